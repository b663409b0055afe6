//! Requests that wait for a turn to count, behind others that never end: they hold nothing, so the listener
//! answers everything else meanwhile.

use futures_util::FutureExt;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use test_support::in_process;
use test_support::stub::{Answer, credential};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::support::{
    Api, Operation, Project, Reply, app_with, ask, basic, new_project, s, service,
};

const BY_PLAN: &str = "startDate=2026-01-01&endDate=2027-01-01&groupBy=user.traits.string.plan";

/// So many responses fill the memory of responses while they are computed.
const MANY: usize = 33;

/// Makes records with this many plans.
fn plans(count: usize) -> Vec<Value> {
    let plan = |number| {
        let at = format!("2026-03-01T12:00:00.000Z#{number:05}");
        json!({"at": {"S": at}, "traits": {"M": {"plan": {"S": format!("plan {number}")}}}})
    };
    (0..count).map(plan).collect()
}

/// Asks for statistics of which the store returns one page with this many plans, and no other.
fn ask_forever(plans_of_page: usize, query: &str) -> JoinHandle<Reply> {
    let page = json!({"Items": plans(plans_of_page)});
    let app = app_with(&in_process::client(move |operation, input| {
        let first = input["ExpressionAttributeValues"]
            .to_string()
            .contains("#0\"");
        let answer = match operation.as_str() {
            "GetItem" => Some(Answer::from(credential(&input))),
            _ if first => Some(Answer::from(page.clone())),
            _ => None,
        };
        async {
            match answer {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        }
    }));
    let query = query.to_owned();
    tokio::spawn(async move { ask(&app, Operation::Statistics, &query).await })
}

/// Checks that many requests with this query wait while the listener answers everything else, and that they
/// are answered once the turns are free, with this number of skipped records.
async fn check_waiting(
    project: &Project,
    query: &str,
    turns: Vec<JoinHandle<Reply>>,
    skipped: Option<&str>,
) {
    sleep(Duration::from_millis(200)).await;
    let api = || Api::at(service().api_address());
    let target = format!("/api/v2/response-statistics?project={}&{query}", project.id);
    let key = project.read_key.clone();
    let mut waiting: Vec<_> = (0..MANY)
        .map(|_| {
            let (target, key) = (target.clone(), key.clone());
            tokio::spawn(async move { api().get(&target, &[("AuthKey", &key)]).await })
        })
        .collect();
    // All of them have read what they read before their turn.
    sleep(Duration::from_secs(2)).await;
    let account = basic(&project.username, &project.password);
    let statistics = format!("/api/v2/response-statistics?project={}", project.id);
    for (target, header, status) in [
        (
            project.target("/api/users"),
            ("Authorization", &account),
            200,
        ),
        (statistics.clone(), ("AuthKey", &key), 200),
        (statistics, ("AuthKey", &account), 401),
        ("/health".to_owned(), ("Accept", &account), 200),
    ] {
        let api = api();
        let headers = [(header.0, header.1.as_str())];
        let reply = timeout(Duration::from_secs(1), api.get(&target, &headers));
        assert_eq!(reply.await.expect(&target).status, status, "{target}");
    }
    for request in &mut waiting {
        let early = request.now_or_never();
        assert!(early.is_none(), "nobody has a turn: {early:?}");
    }
    for turn in turns {
        turn.abort();
    }
    for reply in join_all(waiting).await {
        let reply = reply.unwrap();
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("x-skipped-records"), skipped);
    }
}

#[tokio::test]
async fn requests_that_wait_for_the_turn_of_the_latest_respondents_hold_nothing() {
    let project = new_project().await;
    let query = "startDate=2026-01-01&endDate=2027-01-01&respondents=latest";
    check_waiting(&project, query, vec![ask_forever(1, query)], None).await;
}

#[tokio::test]
async fn requests_that_wait_for_the_turn_of_many_groups_hold_nothing() {
    let project = new_project().await;
    let records = plans(1_000).into_iter().map(|record| {
        let text = |value: &Value| s(value.as_str().unwrap());
        let plan = test_support::map(&[("plan", text(&record["traits"]["M"]["plan"]["S"]))]);
        let shard = format!("{}#0", project.id);
        vec![
            ("shard", s(&shard)),
            ("at", text(&record["at"]["S"])),
            ("traits", plan),
        ]
    });
    project.put_many("responses", records.collect()).await;
    let unread = [
        ("shard", s(&format!("{}#0", project.id))),
        ("at", s("2026-03-01T12:00:00.000Z#unread")),
        ("rating", s("9")),
    ];
    project.put_many("responses", vec![unread.to_vec()]).await;
    let turns = (0..6).map(|_| ask_forever(1_000, BY_PLAN)).collect();
    // Whoever waits for a turn reads all records again.
    check_waiting(&project, BY_PLAN, turns, Some("1")).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_with_a_thousand_groups_waits_25_seconds_for_one_of_six_turns() {
    let six: Vec<_> = (0..6).map(|_| ask_forever(1_000, BY_PLAN)).collect();
    sleep(Duration::from_millis(10)).await;
    let started = tokio::time::Instant::now();
    let refused = ask_forever(1_000, BY_PLAN).await.unwrap();
    assert_eq!(started.elapsed().as_secs(), 25);
    assert_eq!(refused.code(503), "unavailable");
    assert_eq!(refused.header("retry-after"), Some("1"));
    let few = crate::support::app_of_shards([plans(999).iter().map(Value::to_string).collect()]);
    assert_eq!(ask(&few, Operation::Statistics, BY_PLAN).await.status, 200);
    for turn in six {
        turn.abort();
    }
}
