//! The records that a period contains (contract, section 4).

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::support::{
    Api, Operation, app_of, app_of_traits, ask, check_statistics, filter, new_project, s, sha256,
};

/// Checks a table of periods of records with these instants.
async fn check_of(instants: &[&str], table: &str) {
    let records: Vec<_> = instants.iter().map(|at| (*at, json!({}))).collect();
    check_statistics(&app_of(&records), table).await;
}

#[tokio::test]
async fn a_record_whose_key_is_an_instant_alone_is_in_the_period_that_begins_then() {
    let project = new_project().await;
    let shard = s(&format!("{}#0", project.id));
    for at in ["2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z"] {
        let key = [("shard", shard.clone()), ("at", s(at))];
        project.put("responses", &key).await;
    }
    for (period, expected) in [
        ("&startDate=2026-02-28&endDate=2026-03-01", 0),
        ("&startDate=2026-03-01&endDate=2026-03-02", 1),
        ("&startDate=2026-03-02&endDate=2026-03-03", 1),
        ("&startDate=2026-03-01&endDate=2026-03-01T00:00:00.001Z", 1),
        ("&startDate=2026-02-28T23:59:59.999Z&endDate=2026-03-01", 0),
    ] {
        let trait_filter = filter("plan", "ne", "pro");
        for query in [period.to_owned(), period.to_owned() + &trait_filter] {
            let figures = Api::shared().statistics(&project, &query).await.figures();
            assert_eq!(figures["displays"], expected, "{query}");
        }
    }
    let days = "&startDate=2026-02-28&endDate=2026-03-02&interval=day";
    let days = Api::shared().statistics(&project, days).await.json();
    let displays = [0, 1].map(|day| days["data"][day]["attributes"]["displays"].clone());
    assert_eq!(displays, [0, 1]);
}

#[tokio::test]
async fn the_figures_of_an_empty_period_are_zeros() {
    let app = app_of(&[("2026-03-01T12:00:00.000Z", json!({"rating": {"N": "9"}}))]);
    for query in [
        "startDate=2026-03-01T12:00:00.000Z&endDate=2026-03-01T12:00:00.000Z",
        "startDate=9999-12-31",
        "startDate=9999-12-31T23:59:59.999Z&endDate=9999-12-31T23:59:59.999Z",
    ] {
        let figures = ask(&app, Operation::Statistics, query).await.figures();
        assert_eq!(
            figures,
            json!({"responses": 0, "displays": 0, "dismissed": 0, "promoters": 0, "passives": 0,
                   "detractors": 0, "nps": 0.0, "frequency": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}),
            "{query}"
        );
    }
}

#[tokio::test]
async fn without_dates_the_period_is_the_thirty_days_until_a_moment_ago() {
    let (now, minute, month) = (Utc::now(), TimeDelta::minutes(1), TimeDelta::days(30));
    let ages = [
        month + minute * 5,
        month - minute * 5,
        minute * 5,
        TimeDelta::milliseconds(5),
        minute * -5,
    ];
    let instants = ages.map(|age| (now - age).to_rfc3339_opts(SecondsFormat::Millis, true));
    check_of(&instants.each_ref().map(String::as_str), "format=json | 3").await;
}

#[tokio::test]
async fn with_only_an_end_the_period_is_the_thirty_days_before_it_and_not_before_the_year_1() {
    let instants = [
        "0001-01-01T00:00:00.000Z",
        "2026-01-29T23:59:59.999Z",
        "2026-01-30T00:00:00.000Z",
        "2026-02-28T23:59:59.999Z",
    ];
    let table = "
        endDate=2026-03-01 | 2
        endDate=0001-01-05 | 1
        endDate=0001-01-01 | 0
    ";
    check_of(&instants, table).await;
}

/// Returns the elements about three records of two plans.
async fn whole(query: &str) -> Vec<Value> {
    let plans = ["pro", "pro", "free"].map(|plan| json!({"plan": {"S": plan}}));
    let reply = ask(&app_of_traits(plans), Operation::Statistics, query).await;
    reply.json()["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_start_and_the_end_of_a_default_period_are_those_that_were_counted() {
    let elements = whole("interval=all").await;
    let instant = |name: &str| {
        let text = elements[0]["attributes"][name].as_str().unwrap();
        DateTime::parse_from_rfc3339(text).unwrap().to_utc()
    };
    assert_eq!(instant("end") - instant("start"), TimeDelta::days(30));
    assert!((Utc::now() - instant("end")).abs() < TimeDelta::minutes(1));
}

#[tokio::test]
async fn an_empty_whole_period_is_one_element_of_zeros_that_ends_where_it_starts() {
    for period in [
        "startDate=2026-03-01&endDate=2026-03-01",
        "startDate=9000-01-01",
    ] {
        let elements = whole(&format!("{period}&interval=all&confidence=95")).await;
        assert_eq!(elements.len(), 1, "{period}");
        let of = &elements[0]["attributes"];
        assert_eq!(of["start"], of["end"]);
        assert_eq!([&of["displays"], &of["responses"]], [0, 0]);
        assert_eq!([&of["nps"], &of["npsLow"]], [&Value::Null; 2]);
        let grouped = whole(&format!(
            "{period}&interval=all&groupBy=user.traits.string.plan"
        ))
        .await;
        assert_eq!(grouped, [] as [Value; 0]);
    }
}

#[tokio::test]
async fn the_id_of_a_whole_period_has_the_zone_and_neither_week_nor_start() {
    let elements = whole("startDate=2026-02-10&interval=all&timezone=Europe/Prague").await;
    let expected = r#"["p","2026-02-09T23:00:00.000Z",null,[],["all","Europe/Prague",null,null,null,null],[null,null,null]]"#;
    assert_eq!(elements[0]["id"], sha256(expected)[..24]);
}
