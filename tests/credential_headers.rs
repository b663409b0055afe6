//! Which credential headers count: the same lines get the same answer over HTTP and over both kinds
//! of API Gateway's events.

use serde_json::{Value, json};

use crate::support::{
    Bootstrap, Project, STATISTICS, STATISTICS_PROGRAM, USERS, USERS_PROGRAM, basic, event,
    send_raw, service,
};

type Lines<'a> = [(&'a str, &'a str)];

/// Sends the lines over HTTP as they are.
async fn over_http(path: &str, project: &str, lines: &Lines<'_>) -> u64 {
    let lines = lines
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"));
    let request = format!(
        "GET {path}?project={project} HTTP/1.1\r\nHost: localhost\r\n{}Connection: close\r\n\r\n",
        lines.collect::<Vec<_>>().concat()
    );
    let response = send_raw(service().api_address(), request.as_bytes()).await;
    response[9..12].parse().unwrap()
}

/// A v1 event has a list of all lines, and a map with the last line of each name.
fn v1(name: &str, project: &str, lines: &Lines<'_>) -> Value {
    let mut event = event(&format!("{name}-rest"));
    event["queryStringParameters"] = json!({"project": project});
    event["multiValueQueryStringParameters"] = json!({"project": [project]});
    event["headers"] = json!({});
    event["multiValueHeaders"] = json!({});
    for (name, value) in lines {
        event["headers"][name] = json!(value);
        match event["multiValueHeaders"][name].as_array_mut() {
            Some(values) => values.push(json!(value)),
            None => event["multiValueHeaders"][name] = json!([value]),
        }
    }
    event
}

/// A v2 event joins the lines of a name with commas.
fn v2(name: &str, project: &str, lines: &Lines<'_>) -> Value {
    let mut event = event(&format!("{name}-http"));
    event["rawQueryString"] = json!(format!("project={project}"));
    event["headers"] = json!({});
    for (name, value) in lines {
        let name = name.to_ascii_lowercase();
        event["headers"][&name] = match event["headers"][&name].as_str() {
            Some(joined) => json!(format!("{joined},{value}")),
            None => json!(value),
        };
    }
    event
}

/// Checks the status of each set of lines over all three.
async fn check(program: &str, path: &str, project: &Project, cases: &[(u64, &Lines<'_>)]) {
    let mut bootstrap = Bootstrap::start(program, &[]).await;
    let name = path.rsplit('/').next().unwrap();
    for (expected, lines) in cases {
        let http = over_http(path, &project.id, lines).await;
        assert_eq!(http, *expected, "HTTP: {lines:?}");
        for (version, event) in [
            ("v1", v1(name, &project.id, lines)),
            ("v2", v2(name, &project.id, lines)),
        ] {
            let (status, _, _) = bootstrap.invoke(&event).await.response();
            assert_eq!(status, *expected, "{version}: {lines:?}");
        }
    }
}

#[tokio::test]
async fn the_lines_of_a_read_key_count_alike_however_they_arrive() {
    let project = Project::new().await;
    let legacy = format!("legacy key, of {}, with commas", project.id);
    project.add_read_key(&legacy).await;
    let right = ("AuthKey", project.read_key.as_str());
    let wrong = ("AuthKey", "wrong");
    let as_username = basic(&project.read_key, "None");
    let basic_right = ("Authorization", as_username.as_str());
    let other = ("Authorization", "Bearer x");
    check(
        STATISTICS_PROGRAM,
        STATISTICS,
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
        ],
    )
    .await;
}

#[tokio::test]
async fn the_lines_of_an_account_count_alike_however_they_arrive() {
    let project = Project::new().await;
    let account = basic(&project.username, &project.password);
    let wrong = basic(&project.username, "wrong");
    let token = format!("Bearer {}", project.password);
    let line = |value| ("Authorization", value);
    let (right, wrong, token) = (line(&*account), line(&*wrong), line(&*token));
    check(
        USERS_PROGRAM,
        USERS,
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
    let project = Project::new().await;
    let mut event = v1(
        "response-statistics",
        &project.id,
        &[("AuthKey", &project.read_key)],
    );
    let mut bootstrap = Bootstrap::start(STATISTICS_PROGRAM, &[]).await;
    event["multiValueHeaders"] = Value::Null;
    assert_eq!(bootstrap.invoke(&event).await.response().0, 200);
    event.as_object_mut().unwrap().remove("multiValueHeaders");
    assert_eq!(bootstrap.invoke(&event).await.response().0, 200);
}
