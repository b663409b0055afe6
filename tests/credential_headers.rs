//! Which credential headers count: the same lines get the same answer over HTTP and over both kinds
//! of API Gateway's events.

use serde_json::Value;

use crate::support::{
    Lines, Operation, Project, Route, STATISTICS_PROGRAM, Transport, basic, bootstrap, new_project,
};

/// Checks the status of each set of lines over all three.
async fn check(operation: Operation, project: &Project, cases: &[(u16, &Lines<'_>)]) {
    for transport in Transport::ALL {
        let mut route = Route::open(operation, transport);
        for (expected, lines) in cases {
            let reply = route.get(&project.id, lines).await;
            assert_eq!(reply.status, *expected, "{transport:?}: {lines:?}");
        }
    }
}

#[tokio::test]
async fn the_lines_of_a_read_key_count_alike_however_they_arrive() {
    let project = new_project().await;
    let legacy = format!("legacy key, of {}, with commas", project.id);
    project.add_read_key(&legacy).await;
    let right = ("AuthKey", project.read_key.as_str());
    let wrong = ("AuthKey", "wrong");
    let as_username = basic(&project.read_key, "None");
    let basic_right = ("Authorization", as_username.as_str());
    let as_wrong_username = basic("wrong", "None");
    let basic_wrong = ("Authorization", as_wrong_username.as_str());
    let as_token = format!("Bearer {}", project.read_key);
    let token = ("Authorization", as_token.as_str());
    let other = ("Authorization", "Bearer x");
    check(
        Operation::Statistics,
        &project,
        &[
            (200, &[right]),
            (200, &[("AuthKey", &legacy)]),
            (401, &[wrong, right]),
            (401, &[right, wrong]),
            (401, &[right, right]),
            (401, &[right, ("AuthKey", "é")]),
            (401, &[wrong, basic_right]),
            (200, &[right, ("Authorization", "Basic é"), other]),
            (200, &[basic_right]),
            (200, &[other, basic_right]),
            (200, &[basic_right, ("Authorization", "Bearer é")]),
            (401, &[basic_right, basic_right]),
            (401, &[basic_right, ("Authorization", "Basic é")]),
            (200, &[token]),
            (401, &[token, token]),
            (401, &[token, other]),
            (401, &[other]),
            (200, &[token, ("Authorization", "Digest é")]),
            (200, &[other, token, right]),
            (401, &[wrong, token]),
            (401, &[("Authorization", "Basic é"), token]),
            (401, &[basic_wrong, token]),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_lines_of_an_account_count_alike_however_they_arrive() {
    let project = new_project().await;
    let account = basic(&project.username, &project.password);
    let wrong = basic(&project.username, "wrong");
    let token = format!("Bearer {}", project.password);
    let line = |value| ("Authorization", value);
    let (right, wrong, token) = (line(&*account), line(&*wrong), line(&*token));
    check(
        Operation::Users,
        &project,
        &[
            (200, &[right]),
            (401, &[right, wrong]),
            (401, &[wrong, right]),
            (401, &[right, right]),
            (401, &[right, line("Basic é")]),
            (401, &[line("basic é"), right]),
            (401, &[right, line("Basic")]),
            (200, &[right, line("Bearer x")]),
            (200, &[line("Bearer x"), line("Bearer y"), right]),
            (401, &[wrong, token]),
            (200, &[token]),
            (401, &[token, token]),
            (401, &[token, line("Bearer é")]),
            (200, &[line("Digest é"), token]),
            (200, &[line(r#"Digest username="x", realm="y""#), right]),
            (200, &[("AuthKey", "é"), right]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_v1_event_without_lists_has_its_lines_in_the_map() {
    let project = new_project().await;
    let mut event = Operation::Statistics.v1(&project.id, &[("AuthKey", &project.read_key)]);
    let mut bootstrap = bootstrap(STATISTICS_PROGRAM, &[]);
    event["multiValueHeaders"] = Value::Null;
    assert_eq!(bootstrap.invoke(&event).await.response().0, 200);
    event.as_object_mut().unwrap().remove("multiValueHeaders");
    assert_eq!(bootstrap.invoke(&event).await.response().0, 200);
}
