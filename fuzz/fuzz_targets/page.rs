#![no_main]
//! Checks that a page of arbitrary bytes is either refused or read, that every page that is read is
//! JSON, and that every response is JSON.

use fuzz::{Operation, request};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|page: &[u8]| {
    // A page with the key of a next page would be requested without end.
    if String::from_utf8_lossy(page).contains("LastEvaluatedKey")
        || page.contains(&b'\\') && page.len() > 4096
    {
        return;
    }
    for (operation, query) in [
        (Operation::Users, "project=p"),
        (
            Operation::Statistics,
            "project=p&startDate=2020-01-01&filters[user.traits.string.plan][operator]=ne&filters[user.traits.string.plan][value]=x\
             &filters[user.traits.number.plan][operator]=ne&filters[user.traits.number.plan][value]=1.5e-3\
             &filters[user.traits.boolean.plan][operator]=ne&filters[user.traits.boolean.plan][value]=true",
        ),
        (
            Operation::Statistics,
            "project=p&startDate=2020-01-01&endDate=2020-02-01&interval=day&groupBy=user.traits.string.plan",
        ),
    ] {
        let (status, body) = request(operation, query, page).expect("the query is valid in a URL");
        // 422: a value is too long for a group.
        assert!(matches!(status, 200 | 422 | 503), "{status}");
        let body = body.expect("the first page is read before the response begins");
        serde_json::from_slice::<Value>(&body).expect("every response is JSON");
        if status == 200 {
            let page: Value =
                serde_json::from_slice(page).expect("every page that is read is JSON");
            assert!(page["Items"].is_array());
        }
    }
});
