//! Which credential headers count (contract, appendix): the same lines get the same answer over HTTP and
//! over both kinds of API Gateway's events. `access_matrix.rs` has who may read what.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
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
            let challenge = match operation {
                Operation::Users => r#"Basic realm="survey-feedback", charset="UTF-8""#,
                Operation::Statistics => r#"AuthKey realm="survey-feedback""#,
            };
            let challenge = (*expected == 401).then_some(challenge);
            assert_eq!(reply.header("www-authenticate"), challenge);
        }
    }
}

/// Returns values of `Authorization` that are malformed, or are of somebody else.
fn malformed(project: &Project) -> Vec<String> {
    let basic_of = |bytes: &[u8]| format!("Basic {}", BASE64_STANDARD.encode(bytes));
    let none = [
        "",
        "Basic",
        "Basic ????",
        "Bearer",
        r#"Digest username="x""#,
    ];
    let mut values = none.map(str::to_owned).to_vec();
    values.extend([basic_of(b"no colon"), basic_of(b"user\xff:password")]);
    for secret in [&project.read_key, &project.password] {
        let of_others = ["someone else", &project.username.to_uppercase()];
        values.extend(of_others.map(|username| basic(username, secret)));
        values.extend(["", "Basic ", "Basic"].map(|scheme| format!("{scheme}{secret}")));
        values.push(basic(&project.username, secret).replace('=', "") + "=====");
    }
    values
}

#[tokio::test]
async fn malformed_values_are_refused_however_they_arrive() {
    let project = new_project().await;
    let values = malformed(&project);
    let lines: Vec<_> = values.iter().map(|value| [line(value)]).collect();
    let cases: Vec<_> = lines.iter().map(|lines| (401, &lines[..])).collect();
    for operation in Operation::ALL {
        check(operation, &project, &cases).await;
    }
}

/// Makes a line with these credentials.
fn line(value: &str) -> (&'static str, &str) {
    ("Authorization", value)
}

#[tokio::test]
async fn the_lines_of_a_read_key_count_alike_however_they_arrive() {
    let project = new_project().await;
    let legacy = format!("legacy key, of {}, with commas", project.id);
    project.add_read_key(&legacy).await;
    let key = project.read_key.as_str();
    let (right, wrong) = (("AuthKey", key), ("AuthKey", "wrong"));
    let [none, empty, colon] = ["None", "", "a:b"].map(|password| basic(key, password));
    let (basic_right, basic_wrong) = (line(&none), basic("wrong", "None"));
    let account = basic(&project.username, &project.password);
    let (token, other_case) = (format!("Bearer {key}"), format!("bEARER {key}"));
    let (token, other) = (line(&token), line("Bearer x"));
    check(
        Operation::Statistics,
        &project,
        &[
            (200, &[right]),
            (200, &[("AUTHKEY", key)]),
            (200, &[("authkey", key)]),
            (200, &[("AuthKey", &legacy)]),
            (401, &[wrong, right]),
            (401, &[right, wrong]),
            (401, &[right, right]),
            (401, &[right, ("AuthKey", "é")]),
            (401, &[wrong, basic_right]),
            (200, &[right, line(&account)]),
            (200, &[right, line("Basic é"), other]),
            (200, &[basic_right]),
            (200, &[line(&empty)]),
            (200, &[line(&colon)]),
            (200, &[other, basic_right]),
            (200, &[basic_right, line("Bearer é")]),
            (401, &[basic_right, basic_right]),
            (401, &[basic_right, line(&basic_wrong)]),
            (401, &[line(&basic_wrong), basic_right]),
            (401, &[basic_right, line("Basic é")]),
            (200, &[token]),
            (200, &[line(&other_case)]),
            (401, &[token, token]),
            (401, &[token, other]),
            (401, &[other, token]),
            (401, &[other]),
            (200, &[token, line("Digest é")]),
            (200, &[other, token, right]),
            (401, &[wrong, token]),
            (401, &[line("Basic é"), token]),
            (401, &[line(&basic_wrong), token]),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_lines_of_a_password_count_alike_however_they_arrive() {
    let project = new_project().await;
    let (other_name, other_password) = ("Jürgen", ":pass:wörd:of:colons");
    project
        .add_user_credential(other_password, other_name)
        .await;
    let nameless = format!("a-password-for-any-username-of-{}", project.id);
    project
        .add_credential(&nameless, &[&project.id], &["users"], None)
        .await;
    let [any_name, no_name] = ["anybody", ""].map(|username| basic(username, &nameless));
    let other_account = basic(other_name, other_password);
    let account = basic(&project.username, &project.password);
    let other_case = account.replace("Basic ", "bAsIc   ");
    let wrong = basic(&project.username, "wrong");
    let bearer = format!("Bearer {}", project.password);
    let upper_case = bearer.replace("Bearer", "BEARER");
    let (right, wrong, token) = (line(&account), line(&wrong), line(&bearer));
    check(
        Operation::Users,
        &project,
        &[
            (200, &[right]),
            (200, &[("AUTHORIZATION", &account)]),
            (200, &[line(&other_case)]),
            (200, &[line(&other_account)]),
            (200, &[line(&any_name)]),
            (200, &[line(&no_name)]),
            (401, &[right, wrong]),
            (401, &[wrong, right]),
            (401, &[right, right]),
            (401, &[right, line("Basic é")]),
            (401, &[line("basic é"), right]),
            (401, &[right, line("Basic")]),
            (200, &[right, line("Bearer x")]),
            (200, &[line("Bearer x"), line("Bearer y"), right]),
            (401, &[wrong, token]),
            (401, &[token, wrong]),
            (200, &[token]),
            (200, &[line(&upper_case)]),
            (401, &[token, token]),
            (401, &[token, line("Bearer é")]),
            (401, &[line("Bearer wrong"), token]),
            (200, &[line("Digest é"), token]),
            (200, &[line(r#"Digest username="x", realm="y""#), right]),
            (200, &[("AuthKey", "é"), right]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_secret_that_is_the_only_half_of_basic_is_sent_without_a_username() {
    let project = new_project().await;
    let secret = format!("secret-for-both-of-{}", project.id);
    let may = ["users", "statistics"];
    project
        .add_credential(&secret, &[&project.id], &may, Some("reports"))
        .await;
    let [alone, after_nothing] = [basic(&secret, ""), basic("", &secret)];
    let [wrong, wrong_after] = [basic("wrong", ""), basic("", "wrong")];
    let [nothing, other] = [basic("", ""), basic("someone else", &secret)];
    let cases = [
        (200, &[line(&alone)]),
        (200, &[line(&after_nothing)]),
        (401, &[line(&wrong)]),
        (401, &[line(&wrong_after)]),
        (401, &[line(&nothing)]),
        (401, &[line(&other)]),
    ];
    let cases = cases.map(|(status, lines)| (status, &lines[..]));
    for operation in Operation::ALL {
        check(operation, &project, &cases).await;
    }
}

#[tokio::test]
async fn a_v1_event_without_lists_has_its_lines_in_the_map() {
    let project = new_project().await;
    let query = format!("project={}", project.id);
    let mut event = Operation::Statistics.rest(&query, &[("AuthKey", &project.read_key)]);
    let mut bootstrap = bootstrap(STATISTICS_PROGRAM, &[]);
    event["multiValueHeaders"] = Value::Null;
    assert_eq!(bootstrap.invoke(&event).await.response().status, 200);
    event.as_object_mut().unwrap().remove("multiValueHeaders");
    assert_eq!(bootstrap.invoke(&event).await.response().status, 200);
}
