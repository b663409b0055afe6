//! `feedback stats --csv`: the same values as the API's, for spreadsheets and loaders.

use serde_json::{Value, json};

use crate::http::get;
use crate::operator::{Operator, READ_KEY};
use crate::outcome::succeeded;
use crate::pty::in_terminal;

const JANUARY: &str = "stats --project acme --start 2020-01-01 --end 2020-03-01";

/// Imports a promoter of each of these plans, and a dismissed display without a plan.
fn operator(plans: &[&str]) -> Operator {
    let record = |plan: &&str| json!({"rating": 10, "created": "2020-01-05", "user": {"traits": {"plan": plan}}});
    let mut records: Vec<_> = plans.iter().map(record).collect();
    records.push(json!({"dismissed": true, "created": "2020-01-06"}));
    let records: Vec<_> = records.iter().map(Value::to_string).collect();
    Operator::with_responses(records.join("\n"))
}

#[test]
fn the_table_is_that_of_the_api_and_harmless_on_a_terminal() {
    let operator = operator(&["evil\u{1b}[31m\r\nb\rc", "pro"]);
    let question = "--compare 2019-01-01/2019-02-01 --group-by plan --csv";
    let line = format!("{JANUARY} {question} --url {}", operator.api());
    let query = "project=acme&startDate=2020-01-01&endDate=2020-03-01&groupBy=plan\
                 &compare=2019-01-01/2019-02-01&format=csv";
    let target = format!("/api/v2/response-statistics?{query}");
    let key = format!("AuthKey: {READ_KEY}");
    let address = operator.api();
    let response = get(address.trim_start_matches("http://"), &target, &key);
    let (_, body) = response.split_once("\r\n\r\n").unwrap();
    assert!(body.contains(",change.verdict,"), "{body}");
    assert_eq!(succeeded(&operator.run(&line)), body);
    // The terminal ends lines with CRLF, too.
    let shown = in_terminal(&mut operator.command(&line), 80).replace("\r\n", "\n");
    assert!(!shown.contains(['\u{1b}', '\r']), "{shown:?}");
    assert!(shown.contains("evil\u{FFFD}[31m"), "{shown:?}");
}
