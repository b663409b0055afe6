#![no_main]
//! Checks that an arbitrary cursor is refused, or continues after exactly the user that it names.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fuzz::{Operation, last_query, request};
use libfuzzer_sys::fuzz_target;
use model::{UserId, content_id};

fuzz_target!(|content: &str| {
    // Few bytes are a cursor.
    let mut sum = content_id(content.as_bytes());
    sum.truncate(8);
    let cursor = URL_SAFE_NO_PAD.encode(format!("{sum}{content}"));
    let named = content
        .strip_prefix("p\0")
        .filter(|id| UserId::is_valid(id));
    assert_eq!(page_after(&cursor).as_deref(), named, "of a made cursor");
    let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte);
    if !content.is_empty() && content.bytes().all(alphabet) {
        page_after(content);
    }
});

/// Requests a page with this cursor. Returns the user that it begins after, or `None` if the cursor is
/// refused.
fn page_after(cursor: &str) -> Option<String> {
    let query = format!("project=p&limit=1&cursor={cursor}");
    let page = br#"{"Items":[{"userId":{"S":"x\u0000"}},{"userId":{"S":"y"}}]}"#;
    let outcome = request(Operation::Users, &query, page).expect("the query is valid in a URL");
    fuzz::assert_no_server_error(outcome.status);
    if outcome.status == 400 {
        return None;
    }
    assert_eq!(outcome.status, 200);
    assert!(
        outcome.headers.contains_key("link"),
        "there is another user"
    );
    let start = &last_query()["ExclusiveStartKey"];
    assert_eq!(start["project"]["S"], "p");
    Some(start["userId"]["S"].as_str()?.to_owned())
}
