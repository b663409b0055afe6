//! `GET /api/v2/response-statistics` (contract, section 4), except the forms of its parameters. `recorded` has whole documents.

use serde_json::{Value, json};
use service::App;

use crate::support::{Operation, app_of, ask, ask_counting, filter};

const PERIOD: &str = "startDate=2026-03-01&endDate=2026-03-02";

/// Makes the state of the handlers over records with these attributes.
fn app(records: impl IntoIterator<Item = Value>) -> App {
    let at = "2026-03-01T12:00:00.000Z";
    let records = records.into_iter().map(|attributes| (at, attributes));
    app_of(&records.collect::<Vec<_>>())
}

fn rated(rating: u8) -> Value {
    json!({"rating": {"N": rating.to_string()}})
}

#[tokio::test]
async fn a_record_that_cannot_be_decoded_is_in_no_figure_and_is_counted() {
    let damages = [
        json!({"rating": {"N": "11"}}),
        json!({"rating": {"N": "-1"}}),
        json!({"rating": {"N": "7.5"}}),
        json!({"rating": {"N": "1e30"}}),
        json!({"rating": {"S": "10"}}),
        json!({"rating": {"N": "10"}, "dismissed": {"S": "true"}}),
        json!({"dismissed": {"N": "1"}}),
    ];
    let app = app([rated(10)].into_iter().chain(damages));
    let (reply, counts) = ask_counting(&app, Operation::Statistics, PERIOD).await;
    let of_the_other = json!({"responses": 1, "displays": 1, "dismissed": 0, "promoters": 1, "passives": 0,
        "detractors": 0, "nps": 100.0, "frequency": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]});
    assert_eq!(reply.figures(), of_the_other);
    assert_eq!(counts, [8, 7]);
}

#[tokio::test]
async fn a_response_says_how_many_records_of_its_period_could_not_be_decoded() {
    let (whole, damaged) = (rated(10), json!({"rating": {"N": "11"}}));
    let damaged = app([whole.clone(), damaged.clone(), damaged]);
    let filtered = PERIOD.to_owned() + &filter("plan", "eq", "x");
    for (app, query, skipped) in [
        (&damaged, PERIOD, Some("2")),
        (&damaged, &filtered, Some("2")),
        (&damaged, &format!("{PERIOD}&describe=traits"), Some("2")),
        (&damaged, "startDate=2020-01-01&endDate=2020-01-02", None),
        (&app([whole]), PERIOD, None),
    ] {
        let reply = ask(app, Operation::Statistics, query).await;
        assert_eq!(reply.status, 200, "{query}");
        assert_eq!(reply.header("x-skipped-records"), skipped, "{query}");
    }
}
