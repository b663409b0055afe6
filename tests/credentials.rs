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
    let of_users = status(&users, &[("Authorization", &account)]).await;
    let of_statistics = status(&statistics, &[("AuthKey", &secret)]).await;
    assert_eq!([of_users, of_statistics], [401; 2], "{attributes:?}");
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

/// A project, and handlers with a cache of their own, whose clock the test sets to a time of 1 March 2026.
struct Handlers {
    app: App,
    project: Project,
}

impl Handlers {
    async fn new() -> Self {
        let app = app_at(&format!("http://{}", service().dynamodb_address().unwrap()));
        let project = new_project().await;
        Self { app, project }
    }

    /// Returns the status of the response to a request with this secret at this time.
    async fn status(&self, operation: Operation, secret: &str, time: &str) -> u16 {
        let Self { app, project } = self;
        let (path, name, line) = match operation {
            Users => (USERS, "Authorization", basic(&project.username, secret)),
            Statistics => (STATISTICS, "AuthKey", secret.to_owned()),
        };
        let request = http::Request::get(project.target(path)).header(name, line);
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let now = format!("2026-03-01T{time}Z");
        let call = Call::from_http(parts, now.parse().unwrap());
        respond_to(app, operation, call).await.status().as_u16()
    }
}

#[tokio::test]
async fn a_revoked_credential_is_refused_after_sixty_seconds_at_most() {
    let handlers = Handlers::new().await;
    let (project, key) = (&handlers.project, &handlers.project.read_key);
    let status = async |time| handlers.status(Statistics, key, time).await;
    assert_eq!(status("12:00:00.000").await, 200);
    project.revoke(key).await;
    assert_eq!(status("12:00:59.999").await, 200, "cached");
    assert_eq!(status("12:01:00.000").await, 401);
    assert_eq!(status("12:00:30.000").await, 401, "no longer cached");
}

#[tokio::test]
async fn what_a_credential_may_read_changes_within_sixty_seconds() {
    let handlers = Handlers::new().await;
    let (project, secret) = (&handlers.project, &handlers.project.password);
    let status = async |operation, time| handlers.status(operation, secret, time).await;
    let (now, later) = ("12:00:00.000", "12:01:00.000");
    assert_eq!(status(Users, now).await, 200, "cached");
    assert_eq!(status(Statistics, now).await, 401);
    project.add_read_key(secret).await;
    assert_eq!(status(Statistics, later).await, 200);
    assert_eq!(status(Users, later).await, 401);
}

#[tokio::test]
async fn a_clock_that_is_set_back_does_not_extend_the_caching_of_a_credential() {
    let handlers = Handlers::new().await;
    let (project, key) = (&handlers.project, &handlers.project.read_key);
    let status = async |time| handlers.status(Statistics, key, time).await;
    assert_eq!(status("12:00:00.000").await, 200);
    project.revoke(key).await;
    assert_eq!(status("11:59:59.999").await, 401);
}

#[tokio::test]
async fn a_failed_authentication_is_never_cached() {
    let handlers = Handlers::new().await;
    let key = "a key that is added later";
    let status = async || handlers.status(Statistics, key, "12:00:00.000").await;
    assert_eq!(status().await, 401);
    handlers.project.add_read_key(key).await;
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
