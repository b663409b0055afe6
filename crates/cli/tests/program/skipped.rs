//! Records that the API cannot read: `feedback mcp` says how many there are.

use serde_json::json;

use crate::http::put_item;
use crate::mcp::Session;
use crate::operator::Operator;

const ONE: &str = "1 record could not be read and is not counted; `feedback check` says why";
const TWO: &str = "2 records could not be read and are not counted; `feedback check` says why";

/// Returns a project with a record in February and one in March, beside one in February and two in March that
/// cannot be read.
fn operator() -> Operator {
    let operator =
        Operator::with_responses("created,rating\n2020-02-01,9\n2020-03-01,9\n".as_bytes());
    for day in ["02-02", "03-02", "03-03"] {
        put_item(operator.served().dynamodb(), "responses", &damaged(day));
    }
    operator
}

/// Returns a response of the project that cannot be read.
fn damaged(day: &str) -> String {
    let at = format!("2020-{day}T00:00:00.000Z#bad");
    let item = json!({"shard": {"S": "acme#0"}, "at": {"S": at}, "rating": {"N": "11"}});
    item.to_string()
}

#[test]
fn every_tool_of_mcp_says_how_many_records_of_its_periods_are_not_counted() {
    let operator = operator();
    let line = format!("mcp --project acme --url {}", operator.api());
    let mut session = Session::start(&mut operator.command(&line));
    let february = json!({"period": "2020-02", "compare": "previous"});
    let both = json!({"start": "2020-03-03", "compare": "2020-02-02/2020-03-01"});
    for (tool, arguments, warning) in [
        ("statistics", json!({"period": "2020-03"}), Some(TWO)),
        ("traits", json!({"period": "2020-02"}), Some(ONE)),
        ("statistics", february, Some(ONE)),
        ("statistics", both, Some(TWO)),
        ("statistics", json!({"period": "2020-04"}), None),
    ] {
        let result = session.call(tool, &arguments);
        let found = &result["structuredContent"]["warning"];
        assert_eq!(found.as_str(), warning, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(text.contains("could not be read"), warning.is_some());
    }
    session.end();
}

#[test]
fn a_tool_of_mcp_gives_all_of_its_warnings() {
    let rows: Vec<_> = (1..=20).map(|day| format!("2020-05-{day:02},3")).collect();
    let operator =
        Operator::with_responses(format!("created,rating\n{}\n", rows.join("\n")).as_bytes());
    put_item(operator.served().dynamodb(), "responses", &damaged("05-21"));
    let line = format!("mcp --project acme --url {}", operator.api());
    let mut session = Session::start(&mut operator.command(&line));
    let result = session.call("statistics", &json!({"period": "2020-05"}));
    let scale = "All ratings are 5 or less. If the scale ends at 5, this is no NPS.";
    let expected = format!("{ONE}. {scale}");
    assert_eq!(result["structuredContent"]["warning"], expected, "{result}");
    session.end();
}
