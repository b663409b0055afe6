//! How credentials are stored, rotated and revoked (contract, section 2).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use test_support::stub::Request;

use crate::support::{
    Operation, STATISTICS, USERS, app_of_script, basic, credential, new_project, page_of_users,
    read_to_end, respond, s, sha256, status,
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

#[tokio::test]
async fn a_damaged_stored_credential_authorizes_nothing() {
    // The crate `auth` has the table of all damages.
    let project = new_project().await;
    let secret = format!("damaged-secret-of-{}", project.id);
    let may = ["users", "statistics"];
    let account = basic(&project.username, &secret);
    for (projects, expected) in [(&["p", "not a project"][..], 401), (&[&project.id], 200)] {
        project.add_credential(&secret, projects, &may, None).await;
        let of_users = status(&project.target(USERS), &[("Authorization", &account)]).await;
        let of_statistics = status(&project.target(STATISTICS), &[("AuthKey", &secret)]).await;
        assert_eq!([of_users, of_statistics], [expected; 2]);
    }
}

#[tokio::test]
async fn a_credential_is_accepted_and_a_revoked_one_refused_from_the_next_request_on() {
    let project = new_project().await;
    let key = "a key that is added later";
    let target = project.target(STATISTICS);
    let status_now = async || status(&target, &[("AuthKey", key)]).await;
    assert_eq!(status_now().await, 401);
    project.add_read_key(key).await;
    assert_eq!(status_now().await, 200);
    project.revoke(key).await;
    assert_eq!(status_now().await, 401);
}

#[tokio::test]
async fn a_list_that_has_begun_is_completed_after_its_credential_is_revoked() {
    let revoked = Arc::new(AtomicBool::new(false));
    let is_revoked = revoked.clone();
    let app = app_of_script(move |request: &Request| {
        let input = &request.input;
        match request.operation.as_str() {
            "GetItem" if is_revoked.load(Ordering::SeqCst) => json!({}).into(),
            "GetItem" => credential(input).into(),
            _ if input["ExclusiveStartKey"].is_null() => page_of_users(&["a"], true).into(),
            _ => page_of_users(&["b"], false).into(),
        }
    });
    let list = respond(&app, Operation::Users, "").await;
    revoked.store(true, Ordering::SeqCst);
    let (reply, _) = read_to_end(list).await;
    assert_eq!(reply.user_ids(), ["a", "b"]);
    assert_eq!(respond(&app, Operation::Users, "").await.status(), 401);
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
