//! The interval of the score (contract, section 4): the expected bounds were computed from the published
//! formula with fifty decimal digits.

use serde_json::{Value, json};
use service::App;

use crate::support::{Operation, app_of, ask, elements};

const DAY: &str = "2026-03-01T12:00:00.000Z";
const PERIOD: &str = "&startDate=2026-03-01&endDate=2026-03-02";

/// Makes the state of the handlers over so many promoters, passives and detractors.
fn rated(promoters: usize, passives: usize, detractors: usize) -> App {
    let of = |rating, count| vec![(DAY, json!({"rating": {"N": rating}})); count];
    app_of(&[of("10", promoters), of("8", passives), of("0", detractors)].concat())
}

/// Checks the bounds at 90, 95 and 99 %.
async fn check(app: &App, expected: [[f64; 2]; 3]) {
    for (confidence, expected) in ["90", "95", "99"].into_iter().zip(expected) {
        let query = format!("{PERIOD}&confidence={confidence}");
        let figures = elements(app, &query).await;
        let found = ["npsLow", "npsHigh"].map(|name| figures[0][name].as_f64().unwrap());
        let is_right = [0, 1].map(|n| (found[n] - expected[n]).abs() < 1e-10);
        assert_eq!(is_right, [true; 2], "{confidence}: {found:?} {expected:?}");
    }
}

#[tokio::test]
async fn the_interval_of_few_responses_is_that_of_the_formula_and_holds_the_score() {
    // The score itself, 100, is above two of the formula's bounds.
    let one_promoter = [
        [-36.682_011_010_680_206, 100.0],
        [-48.498_649_420_252_02, 100.0],
        [-71.593_598_883_083_77, 100.0],
    ];
    check(&rated(1, 0, 0), one_promoter).await;
    let one_passive = [
        [-50.363_151_094_966_74, 50.363_151_094_966_74],
        [-60.011_395_954_441_37, 60.011_395_954_441_37],
        [-78.868_343_227_542_11, 78.868_343_227_542_11],
    ];
    check(&rated(0, 1, 0), one_passive).await;
    let one_of_each = [
        [-51.287_322_695_374_044, 51.287_322_695_374_044],
        [-61.112_614_338_043_166, 61.112_614_338_043_166],
        [-80.315_589_505_771, 80.315_589_505_771],
    ];
    check(&rated(1, 1, 1), one_of_each).await;
    let three_detractors = [
        [-100.0, -2.517_165_785_101_762_6],
        [-100.0, 6.579_286_703_808_584_5],
        [-100.0, 24.357_787_089_524_194],
    ];
    check(&rated(0, 0, 3), three_detractors).await;
}

#[tokio::test]
async fn the_interval_follows_the_figures_and_is_null_without_responses() {
    let app = app_of(&[(DAY, json!({}))]);
    let query = format!("{PERIOD}&confidence=95");
    let reply = ask(&app, Operation::Statistics, &query).await;
    let expected = r#""nps":0.0,"frequency":[0,0,0,0,0,0,0,0,0,0,0],"npsLow":null,"npsHigh":null},"relationships""#;
    assert!(reply.text().contains(expected), "{reply:?}");
    let without = &elements(&app, PERIOD).await[0];
    for name in ["npsLow", "npsHigh"] {
        assert_eq!(without.get(name), None::<&Value>);
    }
    let by_year = elements(&app, &format!("{query}&interval=year")).await;
    assert_eq!(by_year[0]["nps"], json!(null));
}
