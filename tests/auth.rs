//! Who may ask (contract, section 2).

use lambda_http::RequestExt;
use shared::App;
use shared::config::Tables;
use shared::http::Answer;
use shared::model::Timestamp;
use shared::store::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Api, Project, basic, n, s, service, sha256};

const STATISTICS: &str = "/api/v2/response-statistics";
const USERS: &str = "/api/users";

fn target(path: &str, project: &Project) -> String {
    format!("{path}?project={}", project.id)
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

async fn status(target: &str, headers: &[(&str, &str)]) -> u16 {
    Api::shared().get(target, headers).await.status.as_u16()
}

#[tokio::test]
async fn an_account_opens_users_with_basic_and_with_bearer() {
    let project = Project::new().await;
    let target = target(USERS, &project);
    let (name, password) = (&project.username, &project.password);
    let encoded = basic(name, password);
    for authorization in [
        encoded.as_str(),
        &encoded.replace("Basic", "bAsIc"),
        &encoded.replace("Basic ", "Basic   "),
        &bearer(password),
        &bearer(password).replace("Bearer", "BEARER"),
    ] {
        assert_eq!(
            status(&target, &[("Authorization", authorization)]).await,
            200,
            "{authorization}"
        );
    }
}

#[tokio::test]
async fn a_read_key_opens_statistics_in_its_header_and_as_the_username_of_basic() {
    let project = Project::new().await;
    let target = target(STATISTICS, &project);
    let key = &project.read_key;
    assert_eq!(status(&target, &[("AuthKey", key)]).await, 200);
    for password in ["None", "", "a:b"] {
        assert_eq!(
            status(&target, &[("Authorization", &basic(key, password))]).await,
            200,
            "{password:?}"
        );
    }
    assert_eq!(
        status(&target, &[("Authorization", &bearer(key))]).await,
        401
    );
}

#[tokio::test]
async fn header_names_count_in_any_case_as_they_are_sent() {
    let project = Project::new().await;
    let account = basic(&project.username, &project.password);
    for (path, header) in [
        (STATISTICS, format!("AuthKey: {}", project.read_key)),
        (STATISTICS, format!("authkey: {}", project.read_key)),
        (STATISTICS, format!("Authkey: {}", project.read_key)),
        (STATISTICS, format!("AUTHKEY:{}", project.read_key)),
        (STATISTICS, format!("aUtHkEy:   {}  ", project.read_key)),
        (USERS, format!("Authorization: {account}")),
        (USERS, format!("AUTHORIZATION: {account}")),
        (USERS, format!("authorization: {account}")),
    ] {
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: localhost\r\n{header}\r\nConnection: close\r\n\r\n",
            target(path, &project)
        );
        let mut stream = tokio::net::TcpStream::connect(service().api_address())
            .await
            .unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{header}: {answer}");
    }
}

#[tokio::test]
async fn absent_malformed_unknown_and_revoked_credentials_get_one_and_the_same_answer() {
    let project = Project::new().await;
    project.add_read_key("a revoked read key").await;
    project.revoke("a revoked read key").await;
    project
        .add_account("a revoked password", "someone", &[&project.id])
        .await;
    project.revoke("a revoked password").await;
    let encoded = |text: &[u8]| {
        format!(
            "Basic {}",
            base64::Engine::encode(&base64::prelude::BASE64_STANDARD, text)
        )
    };
    let without_colon = encoded(b"no colon");
    let not_utf8 = encoded(b"user\xff:password");
    let statistics = [
        None,
        Some(("AuthKey", "")),
        Some(("AuthKey", "unknown")),
        Some(("AuthKey", "a revoked read key")),
        Some(("AuthKey", &project.password)),
        Some(("Authorization", "Basic")),
        Some(("Authorization", "Basic !!!!")),
        Some(("Authorization", &without_colon)),
    ];
    let users = [
        None,
        Some(("AuthKey", project.read_key.as_str())),
        Some(("Authorization", "")),
        Some(("Authorization", "Basic")),
        Some(("Authorization", "Basic ")),
        Some(("Authorization", "Basic ????")),
        Some(("Authorization", "Bearer ")),
        Some(("Authorization", "Digest username=\"someone\"")),
        Some(("Authorization", &without_colon)),
        Some(("Authorization", &not_utf8)),
        Some(("Authorization", &project.password)),
    ];
    let own = |text: String| ("Authorization", text);
    let users_too = [
        own(basic(&project.username, "unknown")),
        own(basic(&project.username, "")),
        own(basic("someone else", &project.password)),
        own(basic("", &project.password)),
        own(basic(&project.username, &project.read_key)),
        own(basic(&project.read_key, "None")),
        own(basic("someone", "a revoked password")),
        own(bearer(&project.read_key)),
        own(bearer("unknown")),
    ];
    let users_too = users_too
        .iter()
        .map(|(name, value)| Some((*name, value.as_str())));
    for (path, challenge, headers) in [
        (
            STATISTICS,
            r#"AuthKey realm="survey-feedback""#,
            statistics.to_vec(),
        ),
        (
            USERS,
            r#"Basic realm="survey-feedback", charset="UTF-8""#,
            users.into_iter().chain(users_too).collect(),
        ),
    ] {
        let mut bodies = std::collections::BTreeSet::new();
        for header in headers {
            let reply = Api::shared()
                .get(&target(path, &project), header.as_slice())
                .await;
            assert_eq!(reply.code(401), "unauthenticated", "{header:?}");
            assert_eq!(
                reply.header("www-authenticate"),
                Some(challenge),
                "{header:?}"
            );
            bodies.insert(reply.text().replace(reply.request_id(), "ID"));
        }
        assert_eq!(bodies.len(), 1, "{bodies:?}");
    }
}

#[tokio::test]
async fn a_password_may_contain_colons_and_a_username_any_utf8() {
    let project = Project::new().await;
    project
        .add_account(":pass:wörd:of:colons", "Jürgen", &[&project.id])
        .await;
    let account = basic("Jürgen", ":pass:wörd:of:colons");
    assert_eq!(
        status(&target(USERS, &project), &[("Authorization", &account)]).await,
        200
    );
}

#[tokio::test]
async fn of_several_credentials_the_operations_own_scheme_counts() {
    let project = Project::new().await;
    let (key, account) = (
        project.read_key.as_str(),
        basic(&project.username, &project.password),
    );
    let as_username = basic(key, "None");
    let token = bearer(&project.password);
    let statistics = target(STATISTICS, &project);
    assert_eq!(
        status(
            &statistics,
            &[("AuthKey", key), ("Authorization", &account)]
        )
        .await,
        200
    );
    assert_eq!(
        status(
            &statistics,
            &[("AuthKey", "wrong"), ("Authorization", &as_username)]
        )
        .await,
        401
    );
    let users = target(USERS, &project);
    let wrong = basic(&project.username, "wrong");
    assert_eq!(
        status(&users, &[("Authorization", &account), ("AuthKey", "wrong")]).await,
        200
    );
    assert_eq!(
        status(
            &users,
            &[
                ("Authorization", "Bearer wrong"),
                ("Authorization", &account)
            ]
        )
        .await,
        200
    );
    assert_eq!(
        status(
            &users,
            &[("Authorization", &token), ("Authorization", &wrong)]
        )
        .await,
        401
    );
    // Of two of one scheme nobody can say which one counts.
    assert_eq!(
        status(
            &users,
            &[("Authorization", &account), ("Authorization", &wrong)]
        )
        .await,
        401
    );
    assert_eq!(
        status(&statistics, &[("AuthKey", key), ("AuthKey", "wrong")]).await,
        401
    );
}

#[tokio::test]
async fn valid_credentials_of_another_project_are_forbidden_whether_or_not_it_exists() {
    let (own, other) = (Project::new().await, Project::new().await);
    let account = basic(&own.username, &own.password);
    for project in [other.id.as_str(), "does-not-exist"] {
        let headers = [
            ("AuthKey", own.read_key.as_str()),
            ("Authorization", &account),
        ];
        for path in [STATISTICS, USERS] {
            let reply = Api::shared()
                .get(&format!("{path}?project={project}"), &headers)
                .await;
            assert_eq!(reply.code(403), "forbidden", "{path} {project}");
        }
    }
}

#[tokio::test]
async fn an_account_opens_every_project_that_it_lists() {
    let (one, other) = (Project::new().await, Project::new().await);
    one.add_account("a password for two projects", "both", &[&one.id, &other.id])
        .await;
    let account = basic("both", "a password for two projects");
    for project in [&one, &other] {
        assert_eq!(
            status(&target(USERS, project), &[("Authorization", &account)]).await,
            200
        );
    }
}

#[tokio::test]
async fn keys_are_rotated_side_by_side() {
    let project = Project::new().await;
    project.add_read_key("the project's next read key").await;
    for key in [project.read_key.as_str(), "the project's next read key"] {
        assert_eq!(
            status(&target(STATISTICS, &project), &[("AuthKey", key)]).await,
            200
        );
    }
    project.revoke(&project.read_key).await;
    assert_eq!(
        status(
            &target(STATISTICS, &project),
            &[("AuthKey", "the project's next read key")]
        )
        .await,
        200
    );
}

#[tokio::test]
async fn a_stored_credential_that_is_damaged_opens_nothing() {
    let project = Project::new().await;
    let digest = |secret: &str| s(&sha256(secret));
    project
        .put(
            "credentials",
            &[
                ("digest", digest("without kind")),
                ("project", s(&project.id)),
            ],
        )
        .await;
    project
        .put(
            "credentials",
            &[
                ("digest", digest("number")),
                ("kind", s("read-key")),
                ("project", n(1)),
            ],
        )
        .await;
    project
        .put(
            "credentials",
            &[
                ("digest", digest("other kind")),
                ("kind", s("admin")),
                ("project", s(&project.id)),
            ],
        )
        .await;
    for key in ["without kind", "number", "other kind"] {
        assert_eq!(
            status(&target(STATISTICS, &project), &[("AuthKey", key)]).await,
            401,
            "{key}"
        );
    }
}

/// A handler of its own, with a clock that the test sets.
struct Handler(App);

impl Handler {
    fn new() -> Self {
        Self(App::new(Store::at_endpoint(
            &format!("http://{}", service().dynamodb_address()),
            Tables::from_env(),
        )))
    }

    async fn ask(&self, project: &Project, key: &str, now: Timestamp) -> Answer {
        let request = http::Request::get(target(STATISTICS, project)).header("AuthKey", key);
        let request = request
            .body(lambda_http::Body::Empty)
            .unwrap()
            .with_raw_http_path(STATISTICS);
        response_statistics::handle(request, &self.0, now).await
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_revoked_credential_is_refused_after_sixty_seconds_at_most() {
    let (project, handler) = (Project::new().await, Handler::new());
    let status = async |now| {
        handler
            .ask(&project, &project.read_key, at(now))
            .await
            .status()
            .as_u16()
    };
    assert_eq!(status("2026-03-01T12:00:00.000Z").await, 200);
    project.revoke(&project.read_key).await;
    assert_eq!(
        status("2026-03-01T12:00:59.999Z").await,
        200,
        "verified credentials are remembered"
    );
    assert_eq!(status("2026-03-01T12:01:00.000Z").await, 401);
    assert_eq!(
        status("2026-03-01T12:00:30.000Z").await,
        401,
        "and forgotten when they are refused"
    );
}

#[tokio::test]
async fn a_clock_that_goes_back_does_not_lengthen_a_credentials_life() {
    let (project, handler) = (Project::new().await, Handler::new());
    let status = async |now| {
        handler
            .ask(&project, &project.read_key, at(now))
            .await
            .status()
            .as_u16()
    };
    assert_eq!(status("2026-03-01T12:00:00.000Z").await, 200);
    project.revoke(&project.read_key).await;
    assert_eq!(status("2026-03-01T11:59:59.999Z").await, 401);
}

#[tokio::test]
async fn a_failure_is_never_remembered() {
    let (project, handler) = (Project::new().await, Handler::new());
    let now = at("2026-03-01T12:00:00.000Z");
    assert_eq!(
        handler
            .ask(&project, "a key that comes later", now)
            .await
            .status(),
        401
    );
    project.add_read_key("a key that comes later").await;
    assert_eq!(
        handler
            .ask(&project, "a key that comes later", now)
            .await
            .status(),
        200
    );
}

#[tokio::test]
async fn the_store_holds_digests_and_no_secret() {
    let project = Project::named("holds-digests").await;
    let table = project
        .dynamodb
        .scan()
        .table_name("credentials")
        .send()
        .await
        .unwrap();
    let table = format!("{table:?}");
    assert!(
        table.contains("holds-digests") && table.contains("account-of-"),
        "{table}"
    );
    for secret in [
        project.password.as_str(),
        &project.read_key,
        "demo-read-key-0000",
        "demo-password-0000",
    ] {
        assert!(!table.contains(secret), "{secret} is in the table");
    }
}
