//! How credentials are stored, cached, rotated and revoked (contract, section 2).

use aws_sdk_dynamodb::types::AttributeValue;
use service::App;
use service::Call;

use crate::support::Operation::{self, Statistics, Users};
use crate::support::{
    Project, STATISTICS, USERS, app_at, basic, n, new_project, respond_to, s, service, sha256, ss,
    status,
};

#[tokio::test]
async fn one_secret_reads_the_users_and_the_figures_of_every_project_of_its_credential() {
    let (one, other) = (new_project().await, new_project().await);
    let secret = format!("one-secret-of-{}", one.id);
    let may = ["users", "statistics"];
    one.add_credential(&secret, &[&one.id, &other.id], &may, None)
        .await;
    let bearer = format!("Bearer {secret}");
    for project in [&one, &other] {
        for path in [USERS, STATISTICS] {
            let target = project.target(path);
            assert_eq!(status(&target, &[("Authorization", &bearer)]).await, 200);
        }
    }
}

/// Makes a project with this damaged credential, and checks that it authorizes neither operation.
async fn assert_authorizes_nothing(attributes: &[(&str, AttributeValue)]) {
    let project = new_project().await;
    let secret = format!("damaged-secret-of-{}", project.id);
    let key = [("digest", s(&sha256(&secret)))];
    project
        .put("credentials", &[&key, attributes].concat())
        .await;
    let account = basic(&project.username, &secret);
    let (users, statistics) = (project.target(USERS), project.target(STATISTICS));
    assert_eq!(
        status(&users, &[("Authorization", &account)]).await,
        401,
        "{attributes:?}"
    );
    assert_eq!(
        status(&statistics, &[("AuthKey", &secret)]).await,
        401,
        "{attributes:?}"
    );
    // The same item, undamaged, does authorize.
    project.add_read_key(&secret).await;
    assert_eq!(status(&statistics, &[("AuthKey", &secret)]).await, 200);
}

#[tokio::test]
async fn a_damaged_stored_credential_authorizes_nothing() {
    let both = ("may", ss(&["users", "statistics"]));
    let projects = ("projects", ss(&["p"]));
    let list = |texts: &[&str]| AttributeValue::L(texts.iter().map(|text| s(text)).collect());
    for attributes in [
        vec![both.clone()],
        vec![projects.clone()],
        vec![("project", s("p")), ("kind", s("read-key"))],
        vec![both.clone(), ("projects", s("p"))],
        vec![both.clone(), ("projects", list(&["p"]))],
        vec![both.clone(), ("projects", ss(&["p", "not a project"]))],
        vec![projects.clone(), ("may", ss(&["users", "admin"]))],
        vec![projects.clone(), ("may", list(&["users"]))],
        vec![projects.clone(), both.clone(), ("username", n(1))],
        vec![projects.clone(), both, ("username", s("a:b"))],
        vec![projects, ("may", ss(&["statistics"])), ("username", s("u"))],
    ] {
        assert_authorizes_nothing(&attributes).await;
    }
}

/// Handlers with a cache of their own, whose clock the test sets.
struct Handlers(App);

impl Handlers {
    fn new() -> Self {
        Self(app_at(&format!("http://{}", service().dynamodb_address())))
    }

    /// Returns the status of the response to a request with this secret at this time.
    async fn status(
        &self,
        operation: Operation,
        project: &Project,
        secret: &str,
        now: &str,
    ) -> u16 {
        let (path, name, line) = match operation {
            Operation::Users => (USERS, "Authorization", basic(&project.username, secret)),
            Operation::Statistics => (STATISTICS, "AuthKey", secret.to_owned()),
        };
        let request = http::Request::get(project.target(path)).header(name, line);
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let call = Call::from_http(parts, now.parse().unwrap());
        respond_to(&self.0, operation, call).await.status().as_u16()
    }
}

#[tokio::test]
async fn a_revoked_credential_is_refused_after_sixty_seconds_at_most() {
    let (project, handlers) = (new_project().await, Handlers::new());
    let status = async |now| {
        handlers
            .status(Statistics, &project, &project.read_key, now)
            .await
    };
    assert_eq!(status("2026-03-01T12:00:00.000Z").await, 200);
    project.revoke(&project.read_key).await;
    assert_eq!(
        status("2026-03-01T12:00:59.999Z").await,
        200,
        "a verified credential is cached"
    );
    assert_eq!(status("2026-03-01T12:01:00.000Z").await, 401);
    assert_eq!(
        status("2026-03-01T12:00:30.000Z").await,
        401,
        "a refused one is removed from the cache"
    );
}

#[tokio::test]
async fn what_a_credential_may_read_changes_within_sixty_seconds() {
    let (project, handlers) = (new_project().await, Handlers::new());
    let secret = &project.password;
    let now = "2026-03-01T12:00:00.000Z";
    assert_eq!(
        handlers.status(Users, &project, secret, now).await,
        200,
        "cached"
    );
    assert_eq!(
        handlers.status(Statistics, &project, secret, now).await,
        401
    );
    project.add_read_key(secret).await;
    let later = "2026-03-01T12:01:00.000Z";
    assert_eq!(
        handlers.status(Statistics, &project, secret, later).await,
        200
    );
    assert_eq!(handlers.status(Users, &project, secret, later).await, 401);
}

#[tokio::test]
async fn a_clock_that_is_set_back_does_not_extend_the_caching_of_a_credential() {
    let (project, handlers) = (new_project().await, Handlers::new());
    let status = async |now| {
        handlers
            .status(Statistics, &project, &project.read_key, now)
            .await
    };
    assert_eq!(status("2026-03-01T12:00:00.000Z").await, 200);
    project.revoke(&project.read_key).await;
    assert_eq!(status("2026-03-01T11:59:59.999Z").await, 401);
}

#[tokio::test]
async fn a_failed_authentication_is_never_cached() {
    let (project, handlers) = (new_project().await, Handlers::new());
    let key = "a key that is added later";
    let status = async || {
        handlers
            .status(Statistics, &project, key, "2026-03-01T12:00:00.000Z")
            .await
    };
    assert_eq!(status().await, 401);
    project.add_read_key(key).await;
    assert_eq!(status().await, 200);
}

#[tokio::test]
async fn the_secrets_of_the_demo_project_are_stored_as_digests_only() {
    let project = new_project().await;
    let table = project.dynamodb.scan().table_name("credentials");
    let items = table.send().await.unwrap().items.unwrap();
    let text = format!("{items:?}");
    for secret in ["demo-read-key-0000", "demo-password-0000"] {
        let digest = s(&sha256(secret));
        assert!(items.iter().any(|item| item["digest"] == digest));
        assert!(!text.contains(secret), "{secret} is in the table");
    }
}
