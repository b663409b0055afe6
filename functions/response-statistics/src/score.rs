//! Scores as people read them.

/// Rounds a score to tenths, and half of one away from zero, as the dashboard does. There is no negative
/// zero.
#[must_use]
pub fn rounded(score: f64) -> f64 {
    (score * 10.0).round() / 10.0 + 0.0
}

/// Writes a score, with a real minus sign.
#[must_use]
pub fn shown(score: f64) -> String {
    format!("{:.1}", rounded(score)).replace('-', "−")
}

/// Writes points that are added, with their sign.
#[must_use]
pub fn signed(points: f64) -> String {
    format!("{:+.1}", rounded(points)).replace('-', "−")
}

/// Writes the interval of a score, rounded outwards to tenths, as the dashboard does.
#[must_use]
pub fn range(low: f64, high: f64) -> String {
    outwards(low, high).map(shown).join(" to ")
}

/// Writes the interval of a change, rounded outwards to tenths, each end with its sign. That of what is rounded to
/// zero says on which side of zero it is.
pub(crate) fn signed_range(low: f64, high: f64) -> String {
    let sides = outwards(low, high).into_iter().zip([low, high]);
    let ends = sides.map(|(rounded, end)| match end {
        0.0 => "0.0".to_owned(),
        _ => format!("{:+.1}", rounded.abs().copysign(end)).replace('-', "−"),
    });
    ends.collect::<Vec<_>>().join(" to ")
}

/// Rounds the ends of an interval to tenths, so that it never seems narrower than it is.
fn outwards(low: f64, high: f64) -> [f64; 2] {
    /// What is a tenth but for the error of doubles is one.
    const ERROR: f64 = 1e-9;
    [
        (low * 10.0 + ERROR).floor() / 10.0,
        (high * 10.0 - ERROR).ceil() / 10.0,
    ]
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::range;
    use crate::ENOUGH;

    #[derive(Deserialize)]
    struct Case {
        responses: u32,
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
            assert_eq!(range(case.low, case.high), case.interval);
            assert_eq!(case.responses < ENOUGH, case.few);
        }
    }
}
