//! Pages of users: `limit`, `cursor` and `Link` (contract, section 3).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use serde_json::json;
use service::App;

use crate::support::{
    Api, Operation, Reply, app_of_users, basic, call, check, handle, new_project, next, s,
};

/// Makes the state of the handlers over the users with these numbers.
fn with_users(numbers: impl IntoIterator<Item = usize>) -> App {
    let user = |number| (format!("user {number:05}"), json!({}));
    app_of_users(numbers.into_iter().map(user))
}

/// Makes the state of the handlers over so many users, each with this name.
fn with_names(count: usize, name: &str) -> App {
    let user = |number| (format!("{number:02}"), json!({"name": {"S": name}}));
    app_of_users((0..count).map(user))
}

async fn get(app: &App, target: &str) -> Reply {
    let request = http::Request::get(target).header("Authorization", basic("u", "any"));
    handle(app, Operation::Users, call(request)).await
}

async fn users(app: &App, query: &str) -> Reply {
    get(app, &format!("/api/users?project=p&{query}")).await
}

/// Requests the page that the link of a page leads to.
async fn page_after(app: &App, reply: &Reply) -> Reply {
    get(app, &format!("/api/users?{}", next(reply).unwrap())).await
}

/// Returns the cursor in the link of a page.
fn cursor(reply: &Reply) -> String {
    let next = next(reply).unwrap();
    next.split("cursor=").nth(1).unwrap().to_owned()
}

#[tokio::test]
async fn the_link_is_the_same_request_with_a_cursor() {
    let app = with_users(0..3);
    let query = "limit=1&format=json&project=p";
    let first = get(&app, &format!("/api/users/?{query}")).await;
    let link = next(&first).unwrap();
    assert!(link.starts_with(&format!("{query}&cursor=")), "{link}");
    let second = page_after(&app, &first).await;
    let link = next(&second).unwrap();
    assert_eq!(link.matches("cursor=").count(), 1, "{link}");
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    assert!(cursor(&second).bytes().all(is_plain), "{link}");
}

#[tokio::test]
async fn without_a_limit_there_is_no_link() {
    let app = with_users(0..3);
    for (query, count) in [("", 3), ("userId=user+00001", 1)] {
        let reply = users(&app, query).await;
        assert_eq!(reply.user_ids().len(), count, "{query}");
        assert_eq!(reply.header("link"), None, "{query}");
    }
}

#[tokio::test]
async fn a_page_begins_after_the_previous_one_even_if_its_last_user_was_deleted() {
    let first = users(&with_users(0..4), "limit=2").await;
    let second = page_after(&with_users([0, 2, 3]), &first).await;
    assert_eq!(second.user_ids(), ["user 00002", "user 00003"]);
}

#[tokio::test]
async fn a_changed_cursor_is_refused_and_one_that_lacks_a_limit_or_has_a_user_id() {
    let app = with_users(0..3);
    let whole = cursor(&users(&app, "limit=1").await);
    let mut bytes = URL_SAFE_NO_PAD.decode(&whole).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let changed = URL_SAFE_NO_PAD.encode(&bytes);
    let cut = &whole[1..];
    let table = format!(
        "
        limit=1&cursor={{{changed} {cut}  %2B%2B%2B%2B null {whole}== Zm9v}} | invalid cursor
        userId=x&limit=1 | invalid limit
        userId=x&cursor={whole} | invalid cursor
        userId=x&limit=1&cursor={whole} | invalid cursor, invalid limit
        cursor={whole} | missing limit"
    );
    check(&app, Operation::Users, &table).await;
}

#[tokio::test]
async fn a_cursor_of_another_project_is_refused() {
    let app = with_users(0..3);
    let cursor = cursor(&users(&app, "limit=1").await);
    let table = format!("?project=another&limit=1&cursor={cursor} | invalid cursor");
    check(&app, Operation::Users, &table).await;
}

#[tokio::test]
async fn a_page_leaves_four_kilobytes_for_its_headers_and_is_measured_as_lambda_escapes_it() {
    // A quote has two bytes in the page, and four in the JSON string that Lambda makes of the page.
    let with_length = |length| with_names(10, &("\"".repeat(1_000) + &"x".repeat(length)));
    let reply = users(&with_length(0), "limit=10").await;
    let escaped = serde_json::to_string(reply.text()).unwrap().len() - 2;
    let most = (6 * 1024 * 1024 - 4 * 1024 - escaped) / 10;
    assert_eq!(users(&with_length(most), "limit=10").await.status, 200);
    let refused = "limit=10 | 422 response_too_large | smaller limit";
    check(&with_length(most + 1), Operation::Users, refused).await;
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
                let link = next(&reply);
                prop_assert_eq!(link.is_some(), paged.len() < expected.len());
                let Some(link) = link else { break };
                target = format!("/api/users?{link}");
            }
            prop_assert_eq!(&paged, &expected);
            Ok(())
        })?;
    }
}
