#![no_main]
//! Checks that the functions respond to arbitrary events, of REST APIs (v1) and of HTTP APIs (v2),
//! without an error of their own.

use std::sync::Once;

use fuzz::{Operation, PAGE, assert_no_server_error, event};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    static LOG: Once = Once::new();
    LOG.call_once(|| service::log::init());
    for operation in [Operation::Users, Operation::Statistics] {
        let Some(response) = event(operation, bytes, PAGE) else {
            return;
        };
        let status = response["statusCode"].as_u64().expect("a status");
        assert_no_server_error(status.try_into().expect("a status"));
        let body = response["body"].as_str().expect("a body");
        let is_table = response["headers"]["content-type"] == response_statistics::CSV;
        assert!(is_table || serde_json::from_str::<Value>(body).is_ok());
    }
});
