//! `respondents=latest`: each person once (contract, section 4). `respondents_model.rs` has which ratings
//! count.

use std::time::Duration;

use futures_util::FutureExt;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::{
    Api, Project, app_at, body_of, n, new_project, request_statistics, s, serve_shards, sha256,
    silent_store, statistics_call,
};

const YEAR: &str = "&startDate=2026-01-01&endDate=2027-01-01";
const LATEST: &str = "&startDate=2026-01-01&endDate=2027-01-01&respondents=latest";

/// Makes a project in which one person rated 3 and then 10, another one did not rate, and nobody rated 7.
async fn project() -> Project {
    let project = new_project().await;
    for (created, id, attributes) in [
        (
            "2026-03-01T12:00:00.000Z",
            "a",
            vec![("rating", n(3)), ("userId", s("jane"))],
        ),
        (
            "2026-04-01T12:00:00.000Z",
            "b",
            vec![("rating", n(10)), ("userId", s("jane"))],
        ),
        ("2026-05-01T12:00:00.000Z", "c", vec![("userId", s("jane"))]),
        ("2026-05-01T12:00:00.000Z", "d", vec![("rating", n(7))]),
    ] {
        project.put_response(created, id, &attributes).await;
    }
    project
}

#[tokio::test]
async fn superseded_follows_frequency_and_the_id_ends_with_latest() {
    let project = project().await;
    let id = |query: &str| sha256(&query.replace("PROJECT", &project.id))[..24].to_owned();
    let plain = id(
        r#"["PROJECT","2026-01-01T00:00:00.000Z","2027-01-01T00:00:00.000Z",[],[null,null,null,null,null,null],[null,null,null],"latest"]"#,
    );
    let reply = Api::shared().statistics(&project, LATEST).await;
    let figures = r#""responses":2,"displays":4,"dismissed":0,"promoters":1,"passives":1,"detractors":0,"nps":50.0,"frequency":[0,0,0,0,0,0,0,1,0,0,1],"superseded":1"#;
    let expected =
        format!(r#"[{{"id":"{plain}","type":"response-statistics","attributes":{{{figures}}},"#);
    assert!(reply.text().contains(&expected), "{}", reply.text());
    let divided = format!("{LATEST}&interval=year&confidence=95");
    let reply = Api::shared().statistics(&project, &divided).await;
    let expected = id(
        r#"["PROJECT","2026-01-01T00:00:00.000Z","2027-01-01T00:00:00.000Z",[],["year","UTC",null,null,null,95],["2026-01-01T00:00:00.000Z",null,null],"latest"]"#,
    );
    assert_eq!(reply.json()["data"][0]["id"], expected);
    assert!(
        reply.text().contains(r#""superseded":1,"npsLow""#),
        "{}",
        reply.text()
    );
}

#[tokio::test]
async fn all_ratings_count_by_default() {
    let project = project().await;
    let get = async |query: &str| {
        Api::shared()
            .statistics(&project, &format!("{YEAR}{query}"))
            .await
    };
    let plain = get("").await;
    assert_eq!(plain.figures()["responses"], 3);
    assert_eq!(get("&respondents=all").await.text(), plain.text());
}

/// Requests ratings of this many persons, and as many without one; returns the status and the only error.
async fn of_persons(count: usize, query: &str) -> (u16, Value) {
    let page = |numbers: std::ops::Range<usize>| {
        let item = |number: usize| {
            let month = 1 + number % 2;
            format!(
                r#"{{"rating":{{"N":"9"}},"at":{{"S":"2026-0{month}-01T00:00:00.000Z#1"}},"userId":{{"S":"person {}"}}}}"#,
                number / 2
            )
        };
        let items: Vec<_> = numbers.map(item).collect();
        format!(r#"{{"Items":[{}]}}"#, items.join(","))
    };
    let anonymous =
        [r#"{"rating":{"N":"9"},"at":{"S":"2026-01-01T00:00:00.000Z#1"}}"#; 1000].join(",");
    let anonymous = format!(r#"{{"Items":[{anonymous}]}}"#);
    let pages = [
        page(0..count / 2),
        anonymous,
        page(count / 2..count),
        page(0..1),
    ];
    let app = app_at(&serve_shards(pages));
    let response = request_statistics(&app, &format!("{LATEST}{query}")).await;
    let status = response.status().as_u16();
    let body: Value = serde_json::from_str(&body_of(response).await).unwrap();
    (status, body["errors"][0].clone())
}

#[tokio::test]
async fn a_million_pairs_of_a_person_and_an_interval_are_the_most() {
    assert_eq!(of_persons(1_000_000, "&interval=month").await.0, 200);
    let (status, error) = of_persons(1_000_001, "&interval=month").await;
    assert_eq!(
        (status, &error["code"]),
        (422, &json!("too_many_respondents"))
    );
    let detail = error["detail"].as_str().unwrap();
    for part in [
        "2026-01-01T00:00:00.000Z",
        "2027-01-01T00:00:00.000Z",
        "startDate",
        "longer interval",
    ] {
        assert!(detail.contains(part), "{detail}");
    }
}

#[tokio::test]
async fn a_process_computes_one_such_request_at_a_time() {
    let (url, mut queries) = silent_store();
    let stuck = app_at(&url);
    let mut first = response_statistics::handle(statistics_call(LATEST), &stuck).boxed();
    tokio::select! {
        response = &mut first => panic!("{}", response.status()),
        query = queries.recv() => assert!(query.is_some()),
    }
    let project = project().await;
    let (api, other) = (Api::shared(), project.id.clone());
    let second = api.statistics(&project, LATEST);
    tokio::pin!(second);
    assert!(
        timeout(Duration::from_millis(300), &mut second)
            .await
            .is_err()
    );
    let undivided = api.statistics(&project, YEAR).await;
    assert_eq!(undivided.status, 200, "others do not wait: {other}");
    drop(first);
    sleep(Duration::from_millis(10)).await;
    assert_eq!(second.await.status, 200);
}
