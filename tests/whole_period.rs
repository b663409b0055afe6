//! `interval=all`: the period that was counted (contract, section 4).

use chrono::{DateTime, TimeDelta};
use serde_json::{Value, json};

use crate::support::{Operation, app_of_traits, ask, sha256};

const BY_PLAN: &str = "&groupBy=user.traits.string.plan";

/// Asks about three records of two plans.
async fn data(query: &str) -> Vec<Value> {
    let plans = ["pro", "pro", "free"].map(|plan| json!({"plan": {"S": plan}}));
    let reply = ask(&app_of_traits(plans), Operation::Statistics, query).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn one_element_has_the_figures_of_the_period_with_its_start_and_end() {
    let period = "startDate=2026-02-10&endDate=2026-04-01T00:00:00Z&timezone=Europe/Prague";
    let whole = data(&format!("{period}&interval=all")).await;
    let mut expected = data(period).await[0]["attributes"].clone();
    expected["start"] = json!("2026-02-10T00:00:00.000+01:00");
    expected["end"] = json!("2026-04-01T02:00:00.000+02:00");
    assert_eq!(whole.len(), 1);
    assert_eq!(whole[0]["attributes"], expected);
    let grouped = data(&format!("{period}&interval=all{BY_PLAN}")).await;
    let groups = grouped.iter().map(|element| &element["attributes"]);
    let groups: Vec<_> = groups
        .map(|of| json!([of["group"], of["responses"], of["end"]]))
        .collect();
    let end = &expected["end"];
    let expected = [
        json!(["pro", 2, end]),
        json!(["free", 1, end]),
        json!([null, 1, end]),
    ];
    assert_eq!(groups, expected);
}

#[tokio::test]
async fn the_start_and_the_end_of_a_default_period_are_those_that_were_counted() {
    let elements = data("interval=all").await;
    let instant = |name: &str| {
        let text = elements[0]["attributes"][name].as_str().unwrap();
        DateTime::parse_from_rfc3339(text).unwrap().to_utc()
    };
    assert_eq!(instant("end") - instant("start"), TimeDelta::days(30));
    assert!((chrono::Utc::now() - instant("end")).abs() < TimeDelta::minutes(1));
}

#[tokio::test]
async fn an_empty_period_is_one_element_of_zeros_that_ends_where_it_starts() {
    for period in [
        "startDate=2026-03-01&endDate=2026-03-01",
        "startDate=9000-01-01",
    ] {
        let elements = data(&format!("{period}&interval=all&confidence=95")).await;
        assert_eq!(elements.len(), 1, "{period}");
        let of = &elements[0]["attributes"];
        assert_eq!(of["start"], of["end"]);
        assert_eq!([&of["displays"], &of["responses"]], [0, 0]);
        assert_eq!([&of["nps"], &of["npsLow"]], [&Value::Null; 2]);
        let grouped = data(&format!("{period}&interval=all{BY_PLAN}")).await;
        assert_eq!(grouped, [] as [Value; 0]);
    }
}

#[tokio::test]
async fn it_counts_as_one_interval() {
    let century = "startDate=1926-01-01&endDate=2026-12-31&interval=all";
    let groups = data(&format!("{century}{BY_PLAN}&groupLimit=100")).await;
    assert_eq!(groups.len(), 3);
}

#[tokio::test]
async fn its_id_has_the_zone_and_neither_week_nor_start() {
    let elements = data("startDate=2026-02-10&interval=all&timezone=Europe/Prague").await;
    let expected = r#"["p","2026-02-09T23:00:00.000Z",null,[],["all","Europe/Prague",null,null,null,null],[null,null,null]]"#;
    assert_eq!(elements[0]["id"], sha256(expected)[..24]);
}
