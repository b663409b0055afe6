#![no_main]
//! Checks that an arbitrary query is accepted or refused, and never causes an error of the service.

use fuzz::{Operation, PAGE, assert_no_server_error, request};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|query: &str| {
    for operation in [Operation::Users, Operation::Statistics] {
        let Some(outcome) = request(operation, query, PAGE) else {
            return;
        };
        assert_no_server_error(outcome.status);
        let expected = [200, 400, 403, 404, 422];
        assert!(expected.contains(&outcome.status), "{}", outcome.status);
        let body = outcome.body.expect("the body is complete");
        if outcome.headers["content-type"] == response_statistics::CSV {
            assert!(body.ends_with(b"\r\n"));
        } else {
            serde_json::from_slice::<Value>(&body).expect("every other response is JSON");
        }
    }
});
