//! The records that a period contains (contract, section 4).

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::support::{
    Api, app_of, app_of_traits, check_statistics, elements, empty_app, new_project, s,
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
    for (start, end, expected) in [
        ("2026-02-28", "2026-03-01", 0),
        ("2026-03-01", "2026-03-02", 1),
        ("2026-03-02", "2026-03-03", 1),
        ("2026-03-01", "2026-03-01T00:00:00.001Z", 1),
        ("2026-02-28T23:59:59.999Z", "2026-03-01", 0),
        ("2026-02-28", "2026-03-02&interval=all", 1),
    ] {
        for more in ["", "&filter=plan=ne:pro"] {
            let query = format!("&startDate={start}&endDate={end}{more}");
            let figures = Api::shared().statistics(&project, &query).await.figures();
            assert_eq!(figures["displays"], expected, "{query}");
        }
    }
}

#[tokio::test]
async fn the_figures_of_an_empty_period_are_zeros() {
    let app = app_of(&[("2026-03-01T12:00:00.000Z", json!({"rating": {"N": "9"}}))]);
    for query in [
        "startDate=2026-03-01T12:00:00.000Z&endDate=2026-03-01T12:00:00.000Z",
        "startDate=9999-12-31",
        "startDate=9999-12-31T23:59:59.999Z&endDate=9999-12-31T23:59:59.999Z",
    ] {
        let zeros = json!({"responses": 0, "displays": 0, "dismissed": 0, "promoters": 0, "passives": 0,
                           "detractors": 0, "nps": 0.0, "frequency": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]});
        assert_eq!(elements(&app, query).await[0], zeros, "{query}");
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

#[tokio::test]
async fn the_thirty_days_before_an_end_are_those_of_the_clocks_of_the_zone() {
    for end in ["2025-04-10", "2025-11-10"] {
        let query = format!("endDate={end}&timezone=Europe/Prague&interval=day");
        let days = elements(&empty_app(), &query).await;
        assert_eq!(days.len(), 30, "{query}");
    }
}

#[tokio::test]
async fn the_thirty_days_before_a_midnight_that_clocks_skip_begin_with_a_midnight() {
    let query = "endDate=2025-09-07&timezone=America/Santiago&interval=all";
    let whole = elements(&empty_app(), query).await;
    assert_eq!(whole[0]["start"], "2025-08-08T00:00:00.000-04:00");
    assert_eq!(whole[0]["end"], "2025-09-07T01:00:00.000-03:00");
}

#[tokio::test]
async fn the_start_and_the_end_of_a_default_period_are_those_that_were_counted() {
    let whole = elements(&empty_app(), "interval=all").await;
    let [start, end] = ["start", "end"].map(|name| {
        let text = whole[0][name].as_str().unwrap();
        text.parse::<DateTime<Utc>>().unwrap()
    });
    assert_eq!(end - start, TimeDelta::days(30));
    assert!((Utc::now() - end).abs() < TimeDelta::minutes(1));
}

#[tokio::test]
async fn an_empty_whole_period_is_one_element_of_zeros_that_ends_where_it_starts() {
    let app = app_of_traits(["pro", "free"].map(|plan| json!({"plan": {"S": plan}})));
    for period in ["2026-03-01&endDate=2026-03-01", "9000-01-01"] {
        let query = format!("startDate={period}&interval=all");
        let elements_of = async |more: &str| elements(&app, &(query.clone() + more)).await;
        let whole = elements_of("&confidence=95").await;
        assert_eq!(whole.len(), 1, "{period}");
        assert_eq!(whole[0]["start"], whole[0]["end"]);
        assert_eq!([&whole[0]["displays"], &whole[0]["responses"]], [0, 0]);
        assert_eq!([&whole[0]["nps"], &whole[0]["npsLow"]], [&Value::Null; 2]);
        assert_eq!(elements_of("&groupBy=plan").await, [] as [Value; 0]);
    }
}
