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

/// Reads CSV as RFC 4180 defines it.
fn rows(csv: &str) -> Vec<Vec<String>> {
    let mut reader = csv_core::Reader::new();
    let (mut input, mut rows) = (csv.as_bytes(), vec![Vec::new()]);
    let (mut cell, mut buffer) = (Vec::new(), [0; 1024]);
    loop {
        let (result, read, written) = reader.read_field(input, &mut buffer);
        input = &input[read..];
        cell.extend_from_slice(&buffer[..written]);
        if let csv_core::ReadFieldResult::Field { record_end } = result {
            let cell = String::from_utf8(std::mem::take(&mut cell)).unwrap();
            rows.last_mut().unwrap().push(cell);
            if record_end {
                rows.push(Vec::new());
            }
        } else if let csv_core::ReadFieldResult::End = result {
            rows.pop();
            return rows;
        }
    }
}

#[test]
fn no_text_is_a_formula_and_every_text_can_be_read_back() {
    #[rustfmt::skip]
    let plans = [
        "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1", "'quoted", "'=1+1",
        "comma, \"quotes\"\nand lines", "evil\u{1b}[31m", "", " ", "日本語", "1", "true", "null",
    ];
    let operator = operator(&plans);
    let csv = succeeded(&operator.request(&format!("{JANUARY} --group-by plan --csv")));
    let rows = rows(&csv);
    assert_eq!(rows.len(), 1 + plans.len() + 1);
    let mut groups: Vec<_> = rows[1..].iter().map(|row| row[0].as_str()).collect();
    let null = groups.pop();
    assert_eq!(null, Some(""), "the largest group is last among equals");
    for group in &groups {
        let is_formula = group.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝']);
        assert!(!is_formula, "{group:?}");
    }
    let texts = groups.iter();
    let texts = texts.map(|group| group.strip_prefix('\'').unwrap_or(group));
    let mut read: Vec<_> = texts.collect();
    let mut expected = plans;
    read.sort_unstable();
    expected.sort_unstable();
    assert_eq!(read, expected);
    assert!(
        csv.contains("\n\"\",false,1,") && csv.contains("\n,false,0,1,1,"),
        "an empty text is no null: {csv}"
    );
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
