//! Scores as people read them.

/// Rounds a score to tenths, and half of one away from zero, as the dashboard does. There is no negative
/// zero.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 10.0).round() / 10.0 + 0.0
}

/// Writes a score, with a real minus sign.
pub(crate) fn shown(score: f64) -> String {
    format!("{:.1}", rounded(score)).replace('-', "−")
}

/// Writes the range around a score: a narrow one with a decimal, without which its ends could be the same.
pub(crate) fn range(low: f64, high: f64) -> String {
    let whole = |end: f64| format!("{}", end.round() + 0.0).replace('-', "−");
    let end = if high - low < 4.0 { shown } else { whole };
    format!("{} to {}", end(low), end(high))
}

/// Writes an end of a change's range with its sign, which a zero has too: it says on which side the end
/// is.
pub(crate) fn signed(points: f64) -> String {
    format!("{:+.1}", (points * 10.0).round() / 10.0).replace('-', "−")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{shown, signed};
    use crate::client::StatisticsDocument;
    use crate::figures::parse;

    #[derive(Deserialize)]
    struct Case {
        responses: u64,
        low: f64,
        high: f64,
        interval: String,
        few: bool,
    }

    #[test]
    fn intervals_and_what_is_few_are_those_of_the_table_that_the_dashboard_agrees_with() {
        let cases = include_str!("../../../tests/intervals.json");
        let cases: Vec<Case> = serde_json::from_str(cases).unwrap();
        assert!(cases.len() > 10);
        for case in cases {
            let attributes = serde_json::json!({
                "responses": case.responses, "displays": case.responses, "dismissed": 0, "promoters": 0,
                "passives": 0, "detractors": 0, "nps": 0, "npsLow": case.low, "npsHigh": case.high,
                "frequency": vec![0; 11],
            });
            let document = serde_json::json!({"data": [{"attributes": attributes}]});
            let document = StatisticsDocument {
                text: document.to_string(),
                skipped: 0,
            };
            let figures = &parse(&document).unwrap().elements[0];
            let found = figures.nps_range.as_deref();
            assert_eq!((found, figures.few), (Some(&*case.interval), case.few));
        }
    }

    #[test]
    fn half_a_tenth_is_rounded_away_from_zero() {
        for (score, as_score, as_change) in [
            (6.25, "6.3", "+6.3"),
            (-6.25, "−6.3", "−6.3"),
            (-0.04, "0.0", "−0.0"),
            (100.0, "100.0", "+100.0"),
        ] {
            assert_eq!(
                (shown(score).as_str(), signed(score).as_str()),
                (as_score, as_change)
            );
        }
    }
}
