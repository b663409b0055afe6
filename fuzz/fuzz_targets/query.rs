#![no_main]
//! Checks that an arbitrary query is accepted or refused, and never causes an error of the service.

use fuzz::{Operation, request};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|query: &str| {
    for operation in [Operation::Users, Operation::Statistics] {
        let Some((status, body)) = request(operation, query, br#"{"Items":[]}"#) else {
            return;
        };
        assert!(matches!(status, 200 | 400 | 403), "{status}");
        serde_json::from_slice::<Value>(&body.expect("the body is complete"))
            .expect("every response is JSON");
    }
});
