//! Windows of dates that end with an interval (contract, section 4). The figures are compared with a naive model in
//! `model`.

use serde_json::{Value, json};

use crate::support::{Operation, app_of, ask, check_statistics, empty_app, sha256};

/// Returns the attributes of the elements.
async fn elements(records: &[(&str, Value)], query: &str) -> Vec<Value> {
    let reply = ask(&app_of(records), Operation::Statistics, query).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let json = reply.json();
    let elements = json["data"].as_array().unwrap().iter();
    elements
        .map(|element| element["attributes"].clone())
        .collect()
}

fn starts(elements: &[Value]) -> Vec<[&str; 3]> {
    elements
        .iter()
        .map(|element| ["start", "end", "windowStart"].map(|name| element[name].as_str().unwrap()))
        .collect()
}

fn rated(rating: u8) -> Value {
    json!({"rating": {"N": rating.to_string()}})
}

#[tokio::test]
async fn a_window_ends_with_the_last_date_of_its_interval_and_a_running_date_counts() {
    let records = [
        ("2026-01-24T23:59:59.999Z", rated(0)),
        ("2026-01-25T00:00:00.000Z", rated(10)),
        ("2026-01-31T12:00:00.000Z", rated(10)),
        ("2026-02-04T10:29:59.999Z", rated(10)),
        ("2026-02-04T10:30:00.000Z", rated(0)),
    ];
    let query = "startDate=2026-01-20&endDate=2026-02-04T10:30&interval=month&window=7d";
    let elements = elements(&records, query).await;
    assert_eq!(
        starts(&elements),
        [
            [
                "2026-01-20T00:00:00.000Z",
                "2026-02-01T00:00:00.000Z",
                "2026-01-25T00:00:00.000Z"
            ],
            [
                "2026-02-01T00:00:00.000Z",
                "2026-02-04T10:30:00.000Z",
                "2026-01-29T00:00:00.000Z"
            ],
        ]
    );
    let counted: Vec<_> = elements
        .iter()
        .map(|it| [&it["promoters"], &it["detractors"]])
        .collect();
    assert_eq!(counted, [[&json!(2), &json!(0)], [&json!(2), &json!(0)]]);
}

#[tokio::test]
async fn dates_are_those_of_the_zone_and_one_that_it_skipped_is_none_of_them() {
    let query =
        "startDate=2012-01-01&endDate=2012-01-02&timezone=Pacific/Apia&interval=day&window=7d";
    let elements = elements(&[], query).await;
    assert_eq!(
        starts(&elements),
        [[
            "2012-01-01T00:00:00.000+14:00",
            "2012-01-02T00:00:00.000+14:00",
            "2011-12-25T00:00:00.000-10:00"
        ]]
    );
}

#[tokio::test]
async fn groups_are_ranked_by_the_period_and_those_before_it_are_there() {
    let plan = |rating: u8, plan: &str| json!({"rating": {"N": rating.to_string()}, "traits": {"M": {"plan": {"S": plan}}}});
    let records = [
        ("2026-01-30T12:00:00.000Z", plan(10, "old")),
        ("2026-01-31T12:00:00.000Z", plan(10, "old")),
        ("2026-02-01T12:00:00.000Z", plan(0, "new")),
    ];
    let query = "startDate=2026-02-01&endDate=2026-02-02&interval=day&window=7d&groupBy=plan";
    let found = elements(&records, query).await;
    let groups: Vec<_> = found
        .iter()
        .map(|it| (&it["group"], &it["displays"]))
        .collect();
    assert_eq!(
        groups,
        [(&json!("new"), &json!(1)), (&json!("old"), &json!(2))]
    );
}

#[tokio::test]
async fn a_window_in_year_one_begins_with_it() {
    let query = "startDate=0001-01-05&endDate=0001-01-06&interval=day&window=7d";
    assert_eq!(elements(&[], query).await.len(), 1);
}

#[tokio::test]
async fn other_windows_are_refused_and_ids_have_the_days() {
    let app = empty_app();
    let table = "
        interval=day&window={ 6d 367d 90 d 7D +7d 7.0d} | invalid window | must be a number of days from 7d to 366d
        interval={all quarter year}&window=90d | invalid window | is only for the intervals day, week and month
        interval=day&window=90d&respondents=latest | invalid window | cannot be combined with respondents=latest
        window=90d | missing interval | interval is required with window
        describe=traits&window=90d | invalid describe | describe cannot be combined with window
        interval={day week month}&window={7d 366d}&startDate=2026-01-01&endDate=2026-01-02 | 0
        interval=day&window=7d&startDate=2026-01-01&endDate=2026-01-01 | none
    ";
    check_statistics(&app, table).await;
    let query = "startDate=2026-02-01&endDate=2026-02-02&interval=day&window=90d";
    let reply = ask(&app, Operation::Statistics, query).await;
    let text = r#"["p","2026-02-01T00:00:00.000Z","2026-02-02T00:00:00.000Z",[],["day","UTC",null,null,null,null],["2026-02-01T00:00:00.000Z",null,null],["window",90]]"#;
    assert_eq!(reply.json()["data"][0]["id"], sha256(text)[..24]);
}
