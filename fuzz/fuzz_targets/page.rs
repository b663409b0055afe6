#![no_main]
//! A page of any bytes is either refused or read, and what is read is JSON; so is the answer.

use fuzz::{Operation, ask};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|page: &[u8]| {
    // A page that names a next one would be asked for without end.
    if String::from_utf8_lossy(page).contains("LastEvaluatedKey")
        || page.contains(&b'\\') && page.len() > 4096
    {
        return;
    }
    for (operation, query) in [
        (Operation::Users, "project=p"),
        (
            Operation::Statistics,
            "project=p&startDate=2020-01-01&filters[user.traits.string.plan][operator]=ne&filters[user.traits.string.plan][value]=x",
        ),
    ] {
        let (status, body) = ask(operation, query, page).expect("a URL");
        assert!(status == 200 || status == 503, "{status}");
        let body = body.expect("a first page is read before the answer begins");
        serde_json::from_slice::<Value>(&body).expect("an answer is JSON");
        if status == 200 {
            let page: Value = serde_json::from_slice(page).expect("what is read is JSON");
            assert!(page["Items"].is_array());
        }
    }
});
