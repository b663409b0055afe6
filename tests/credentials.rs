//! The life of credentials: how they are stored, remembered, rotated and revoked (contract, section 2).

use shared::App;
use shared::http::Call;

use crate::support::{Project, STATISTICS, USERS, app_at, basic, n, s, service, sha256, status};

#[tokio::test]
async fn an_account_opens_every_project_that_it_lists() {
    let (one, other) = (Project::new().await, Project::new().await);
    one.add_account("a password for two projects", "both", &[&one.id, &other.id])
        .await;
    let account = basic("both", "a password for two projects");
    for project in [&one, &other] {
        assert_eq!(
            status(&project.target(USERS), &[("Authorization", &account)]).await,
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
            status(&project.target(STATISTICS), &[("AuthKey", key)]).await,
            200
        );
    }
    project.revoke(&project.read_key).await;
    assert_eq!(
        status(
            &project.target(STATISTICS),
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
            status(&project.target(STATISTICS), &[("AuthKey", key)]).await,
            401,
            "{key}"
        );
    }
}

/// A handler of its own, with a clock that the test sets.
struct Handler(App);

impl Handler {
    fn new() -> Self {
        Self(app_at(&format!("http://{}", service().dynamodb_address())))
    }

    /// The status of an answer to this key, asked for at this time.
    async fn status(&self, project: &Project, key: &str, now: &str) -> u16 {
        let request = http::Request::get(project.target(STATISTICS)).header("AuthKey", key);
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let call = Call::from_http(parts, now.parse().unwrap());
        let response = response_statistics::handle(call, &self.0).await;
        response.status().as_u16()
    }
}

#[tokio::test]
async fn a_revoked_credential_is_refused_after_sixty_seconds_at_most() {
    let (project, handler) = (Project::new().await, Handler::new());
    let status = async |now| handler.status(&project, &project.read_key, now).await;
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
    let status = async |now| handler.status(&project, &project.read_key, now).await;
    assert_eq!(status("2026-03-01T12:00:00.000Z").await, 200);
    project.revoke(&project.read_key).await;
    assert_eq!(status("2026-03-01T11:59:59.999Z").await, 401);
}

#[tokio::test]
async fn a_failure_is_never_remembered() {
    let (project, handler) = (Project::new().await, Handler::new());
    let key = "a key that comes later";
    let status = async || {
        handler
            .status(&project, key, "2026-03-01T12:00:00.000Z")
            .await
    };
    assert_eq!(status().await, 401);
    project.add_read_key(key).await;
    assert_eq!(status().await, 200);
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
