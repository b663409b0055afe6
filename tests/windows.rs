//! Windows of dates that end with an interval (contract, section 4). The figures are compared with a naive model in
//! `model`.

use serde_json::{Value, json};

use crate::support::{app_of, check_instants, check_statistics, elements, empty_app};

#[tokio::test]
async fn dates_are_those_of_the_zone_and_one_that_it_skipped_is_none_of_them() {
    let shown = |elements: &[Value]| {
        let instants = |of: &Value| ["start", "end", "windowStart"].map(|name| of[name].clone());
        elements.iter().flat_map(instants).collect()
    };
    let table = "
        month UTC 2026-01-20 2026-02-04T10:30 &window=7d
        2026-01-20T00:00Z 2026-02-01T00:00Z 2026-01-25T00:00Z 2026-02-01T00:00Z 2026-02-04T10:30Z 2026-01-29T00:00Z
        day Pacific/Apia 2012-01-01 2012-01-02 &window=7d
        2012-01-01T00:00+14:00 2012-01-02T00:00+14:00 2011-12-25T00:00-10:00
        day UTC 0001-01-05 0001-01-06 &window=7d
        0001-01-05T00:00Z 0001-01-06T00:00Z 0001-01-01T00:00Z
    ";
    check_instants(&empty_app(), "interval", shown, table).await;
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
    let found = elements(&app_of(&records), query).await;
    let groups = found.iter().map(|it| json!([it["group"], it["displays"]]));
    assert!(
        groups.eq([json!(["new", 1]), json!(["old", 2])]),
        "{found:?}"
    );
}

#[tokio::test]
async fn other_windows_are_refused() {
    let table = "
        interval=day&window={6d 367d 90 d 7D +7d 7.0d} | invalid window | must be a number of days from 7d to 366d
        interval={all quarter year}&window=90d | invalid window | is only for the intervals day, week and month
        interval=day&window=90d&respondents=latest | invalid window | cannot be combined with respondents=latest
        window=90d | missing interval | interval is required with window
        describe=traits&window=90d | invalid describe | describe cannot be combined with window
        interval={day week month}&window={7d 366d}&startDate=2026-01-01&endDate=2026-01-02 | 0
        interval=day&window=7d&startDate=2026-01-01&endDate=2026-01-01 | none
    ";
    check_statistics(&empty_app(), table).await;
}
