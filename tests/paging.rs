//! Pages of users: `limit`, `cursor` and `Link` (contract, section 3).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;

use crate::support::{Api, Project, Reply, answer, new_project, next, s};

async fn with_users(count: usize) -> Project {
    let project = new_project().await;
    let users = (0..count).map(|count| {
        vec![
            ("project", s(&project.id)),
            ("userId", s(&format!("user {count:05}"))),
        ]
    });
    project.put_many("users", users.collect()).await;
    project
}

/// Returns the cursor in the link of a page.
fn cursor(reply: &Reply) -> String {
    let next = next(reply).unwrap();
    next.split("cursor=").nth(1).unwrap().to_owned()
}

#[tokio::test]
async fn the_links_lead_to_every_user_once() {
    let project = with_users(23).await;
    let everyone = Api::shared().users(&project, "").await.user_ids();
    assert_eq!(everyone.len(), 23);
    for limit in [1, 5, 22, 23, 24, 1000] {
        let mut reply = Api::shared()
            .users(&project, &format!("&limit={limit}"))
            .await;
        let mut collected = reply.user_ids();
        while let Some(target) = next(&reply) {
            assert_eq!(
                reply.user_ids().len(),
                limit,
                "only the last page may be short"
            );
            reply = Api::shared().get_as_account(&project, &target).await;
            assert!(
                !reply.user_ids().is_empty(),
                "a link led to an empty page, limit {limit}"
            );
            collected.extend(reply.user_ids());
            assert!(collected.len() <= everyone.len(), "the links have no end");
        }
        assert_eq!(collected, everyone, "limit {limit}");
    }
}

#[tokio::test]
async fn the_link_is_the_same_request_with_a_cursor() {
    let project = with_users(3).await;
    let reply = Api::shared()
        .get_as_account(
            &project,
            &format!("/api/users/?limit=1&format=json&project={}", project.id),
        )
        .await;
    let link = next(&reply).unwrap();
    assert!(
        link.starts_with(&format!(
            "/api/users/?limit=1&format=json&project={}&cursor=",
            project.id
        )),
        "{link}"
    );
    let second = Api::shared().get_as_account(&project, &link).await;
    let link = next(&second).unwrap();
    assert_eq!(link.matches("cursor=").count(), 1, "{link}");
    assert!(
        cursor(&second)
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
        "{link}"
    );
}

#[tokio::test]
async fn without_a_limit_there_is_no_link() {
    let project = with_users(3).await;
    for (query, users) in [("", 3), ("&userId=user+00001", 1)] {
        let reply = Api::shared().users(&project, query).await;
        assert_eq!(reply.user_ids().len(), users, "{query}");
        assert_eq!(reply.header("link"), None, "{query}");
    }
}

#[tokio::test]
async fn a_page_begins_after_the_previous_one_even_if_its_last_user_was_deleted() {
    let project = with_users(4).await;
    let first = Api::shared().users(&project, "&limit=2").await;
    let key = project
        .dynamodb
        .delete_item()
        .table_name("users")
        .key("project", s(&project.id));
    key.key("userId", s("user 00001")).send().await.unwrap();
    let second = Api::shared()
        .get_as_account(&project, &next(&first).unwrap())
        .await;
    assert_eq!(second.user_ids(), ["user 00002", "user 00003"]);
}

#[tokio::test]
async fn a_changed_cursor_is_refused() {
    let project = with_users(3).await;
    let whole = cursor(&Api::shared().users(&project, "&limit=1").await);
    let mut bytes = URL_SAFE_NO_PAD.decode(&whole).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let changed = URL_SAFE_NO_PAD.encode(&bytes);
    for cursor in [
        changed.as_str(),
        &whole[1..],
        "",
        "%2B%2B%2B%2B",
        "null",
        &format!("{whole}=="),
        "Zm9v",
    ] {
        let reply = Api::shared()
            .users(&project, &format!("&limit=1&cursor={cursor}"))
            .await;
        assert_eq!(answer(&reply), "invalid cursor", "{cursor}");
    }
}

#[tokio::test]
async fn a_cursor_of_another_project_is_refused() {
    let (one, other) = (with_users(2).await, with_users(2).await);
    let foreign = cursor(&Api::shared().users(&one, "&limit=1").await);
    let reply = Api::shared()
        .users(&other, &format!("&limit=1&cursor={foreign}"))
        .await;
    assert_eq!(answer(&reply), "invalid cursor");
}

#[tokio::test]
async fn user_id_excludes_paging_and_a_cursor_requires_a_limit() {
    let project = with_users(2).await;
    let cursor = cursor(&Api::shared().users(&project, "&limit=1").await);
    for (query, expected) in [
        ("&userId=x&limit=1".to_owned(), "invalid limit"),
        (format!("&userId=x&cursor={cursor}"), "invalid cursor"),
        (
            format!("&userId=x&limit=1&cursor={cursor}"),
            "invalid cursor, invalid limit",
        ),
        (format!("&cursor={cursor}"), "missing limit"),
    ] {
        let reply = Api::shared().users(&project, &query).await;
        assert_eq!(answer(&reply), expected, "{query}");
    }
}

#[tokio::test]
async fn a_page_above_six_megabytes_is_refused_and_a_smaller_one_is_not() {
    let project = new_project().await;
    let name = "x".repeat(350_000);
    for user_id in 0..20 {
        project
            .put_user(&format!("{user_id:02}"), &[("name", s(&name))])
            .await;
    }
    let reply = Api::shared().users(&project, "&limit=20").await;
    assert_eq!(reply.code(422), "response_too_large");
    assert!(reply.text().contains("smaller limit"), "{}", reply.text());
    let reply = Api::shared().users(&project, "&limit=10").await;
    assert_eq!(reply.user_ids().len(), 10);
    assert_eq!(
        Api::shared()
            .get_as_account(&project, &next(&reply).unwrap())
            .await
            .user_ids()
            .len(),
        10
    );
    // Without a limit, the response is a stream of any size.
    assert_eq!(Api::shared().users(&project, "").await.user_ids().len(), 20);
}

#[tokio::test]
async fn a_page_is_measured_as_the_json_string_that_lambda_makes_of_it() {
    let project = new_project().await;
    // A quote has two bytes in the page, and four in a JSON string of the page.
    let name = "\"".repeat(350_000);
    for user_id in 0..6 {
        project
            .put_user(&user_id.to_string(), &[("name", s(&name))])
            .await;
    }
    let reply = Api::shared().users(&project, "&limit=4").await;
    assert_eq!(reply.user_ids().len(), 4);
    let reply = Api::shared().users(&project, "&limit=5").await;
    assert_eq!(reply.code(422), "response_too_large");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lists_and_pages_of_any_size_hold_every_user_in_order(
        names in prop::collection::btree_set("[a-cA-C0-9 /+%#ü\u{FFFD}\u{1F600}]{1,4}", 0..25), limit in 1..30_usize,
    ) {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let project = new_project().await;
            let key = |name| vec![("project", s(&project.id)), ("userId", s(name))];
            project.put_many("users", names.iter().map(|name| key(name)).collect()).await;
            // A BTreeSet of strings is in byte order.
            let expected: Vec<_> = names.into_iter().collect();
            prop_assert_eq!(&Api::shared().users(&project, "").await.user_ids(), &expected);
            let mut paged = Vec::new();
            let mut target = format!("/api/users?project={}&limit={limit}", project.id);
            loop {
                let reply = Api::shared().get_as_account(&project, &target).await;
                let page = reply.user_ids();
                prop_assert_eq!(page.len(), limit.min(expected.len() - paged.len()));
                paged.extend(page);
                match next(&reply) {
                    Some(link) => target = link,
                    None => break,
                }
            }
            prop_assert_eq!(&paged, &expected);
            Ok(())
        })?;
    }
}
