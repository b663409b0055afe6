//! The change from one score to another.

use model::AdjustedScore;
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;

use super::answer::{FEW, Figures, without_formats};

/// The quantile of the normal distribution for 95 %, as in the intervals of scores.
const Z: f64 = 1.959_963_984_540_054;

/// The change from one score to another, in points.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = without_formats)]
pub(crate) struct ScoreChange {
    pub(crate) points: f64,
    /// The ends of its 95% interval, in which the change among all customers plausibly lies.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Whether the interval excludes no change at all; null if either period has fewer than 30 responses.
    pub(crate) clear: Option<bool>,
}

impl ScoreChange {
    /// Compares two periods, if both have responses: the interval is the difference of the adjusted scores,
    /// give or take 1.96 standard errors (contract, section 4, Uncertainty).
    pub(crate) fn between(before: &Figures, after: &Figures) -> Option<Self> {
        let points = after.nps? - before.nps?;
        let [first, second] = [before, after].map(|figures| {
            AdjustedScore::of(figures.responses, figures.promoters, figures.detractors)
        });
        let middle = second.score - first.score;
        let half = Z * (first.variance + second.variance).sqrt();
        let [low, high] = [middle - half, middle + half].map(|end| 100.0 * end);
        let is_known = before.responses >= FEW && after.responses >= FEW;
        Some(Self {
            points,
            low,
            high,
            clear: is_known.then_some(low > 0.0 || high < 0.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::super::score::{shown, signed};
    use super::{Figures, ScoreChange};

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

    #[derive(Deserialize)]
    struct Case {
        before: Value,
        after: Value,
        difference: f64,
        low: f64,
        high: f64,
        clear: Option<bool>,
    }

    fn figures(counts: &Value) -> Figures {
        let count = |name: &str| counts[name].as_u64().unwrap();
        let [promoters, passives, detractors] = ["promoters", "passives", "detractors"].map(count);
        let responses = promoters + passives + detractors;
        #[allow(clippy::cast_precision_loss)]
        let nps = 100.0 * (promoters as f64 - detractors as f64) / responses as f64;
        let figures = json!({
            "responses": responses, "displays": responses, "dismissed": 0, "promoters": promoters,
            "passives": passives, "detractors": detractors, "nps": nps, "frequency": vec![0; 11],
        });
        serde_json::from_value(figures).unwrap()
    }

    #[test]
    fn a_change_is_that_of_the_table_that_the_dashboard_agrees_with() {
        let cases = include_str!("../../../../tests/changes.json");
        let cases: Vec<Case> = serde_json::from_str(cases).unwrap();
        assert!(cases.len() > 10);
        for Case {
            before,
            after,
            difference,
            low,
            high,
            clear,
        } in cases
        {
            let change = ScoreChange::between(&figures(&before), &figures(&after)).unwrap();
            assert_eq!(change.clear, clear, "{before} {after}");
            for (found, expected) in [
                (change.points, difference),
                (change.low, low),
                (change.high, high),
            ] {
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{before} {after}: {change:?}"
                );
            }
        }
    }
}
