//! The records that a period contains (contract, section 4).

use serde_json::json;

use crate::support::{Api, Project, filter, n, new_project, s};

/// Returns the number of records in the period of this query.
async fn displays(project: &Project, query: &str) -> u64 {
    let figures = Api::shared().statistics(project, query).await.figures();
    figures["displays"].as_u64().unwrap()
}

#[tokio::test]
async fn the_period_includes_its_start_but_not_its_end() {
    let project = new_project().await;
    for created in [
        "2026-02-28T23:59:59.999Z",
        "2026-03-01T00:00:00.000Z",
        "2026-03-01T23:59:59.999Z",
        "2026-03-02T00:00:00.000Z",
    ] {
        project
            .put_response(created, &format!("at-{created}"), &[("rating", n(5))])
            .await;
    }
    assert_eq!(
        displays(&project, "&startDate=2026-03-01&endDate=2026-03-02").await,
        2
    );
    assert_eq!(
        displays(&project, "&startDate=2026-02-01&endDate=2026-03-01").await,
        1
    );
    assert_eq!(
        displays(&project, "&startDate=2026-03-02&endDate=2026-03-03").await,
        1
    );
    assert_eq!(
        displays(
            &project,
            "&startDate=2026-03-01T00:00:00.001Z&endDate=2026-03-01T23:59:59.999Z"
        )
        .await,
        0
    );
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
            assert_eq!(displays(&project, &query).await, expected, "{query}");
        }
    }
    let days = "&startDate=2026-02-28&endDate=2026-03-02&interval=day";
    let days = Api::shared().statistics(&project, days).await.json();
    let displays = [0, 1].map(|day| days["data"][day]["attributes"]["displays"].clone());
    assert_eq!(displays, [0, 1]);
}

#[tokio::test]
async fn the_figures_of_an_empty_period_are_zeros() {
    let project = new_project().await;
    project
        .put_response("2026-03-01T12:00:00.000Z", "one", &[("rating", n(9))])
        .await;
    for query in [
        "&startDate=2026-03-01T12:00:00.000Z&endDate=2026-03-01T12:00:00.000Z",
        "&startDate=9999-12-31",
        "&startDate=9999-12-31T23:59:59.999Z&endDate=9999-12-31T23:59:59.999Z",
    ] {
        let figures = Api::shared().statistics(&project, query).await.figures();
        assert_eq!(
            figures,
            json!({"responses": 0, "displays": 0, "dismissed": 0, "promoters": 0, "passives": 0, "detractors": 0,
                   "nps": 0.0, "frequency": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}),
            "{query}"
        );
    }
}

#[tokio::test]
async fn without_dates_the_period_is_the_last_thirty_days() {
    let project = new_project().await;
    let now = chrono::Utc::now();
    for (id, minutes) in [
        ("future", -5),
        ("now", 5),
        ("inside", 30 * 24 * 60 - 5),
        ("outside", 30 * 24 * 60 + 5),
    ] {
        let created = now - chrono::TimeDelta::minutes(minutes);
        let created = created.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        project
            .put_response(&created, id, &[("rating", n(5))])
            .await;
    }
    assert_eq!(displays(&project, "").await, 2);
}

#[tokio::test]
async fn with_only_an_end_the_period_is_the_thirty_days_before_it() {
    let project = new_project().await;
    for created in [
        "2026-01-30T00:00:00.000Z",
        "2026-01-29T23:59:59.999Z",
        "2026-02-28T23:59:59.999Z",
    ] {
        project
            .put_response(created, created, &[("rating", n(5))])
            .await;
    }
    assert_eq!(displays(&project, "&endDate=2026-03-01").await, 2);
    assert_eq!(displays(&project, "&endDate=0001-01-05").await, 0);
}

#[tokio::test]
async fn a_default_start_is_never_earlier_than_the_year_1() {
    let project = new_project().await;
    project
        .put_response("0001-01-01T00:00:00.000Z", "first", &[("rating", n(5))])
        .await;
    assert_eq!(displays(&project, "&endDate=0001-01-05").await, 1);
}

#[tokio::test]
async fn the_default_end_includes_a_record_written_a_moment_ago() {
    let project = new_project().await;
    let created = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    project
        .put_response(&created, "new", &[("rating", n(10))])
        .await;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    assert_eq!(displays(&project, "").await, 1);
}
