#![no_main]
//! Checks that an arbitrary query is accepted or refused, and never causes an error of the service.

use fuzz::{Operation, assert_no_server_error, request};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Responses and users alike, with traits of each type.
const PAGE: &[u8] = br#"{"Items":[
    {"userId":{"S":"a"},"at":{"S":"2012-01-01T00:00:00.000Z#a"},"rating":{"N":"9"},"traits":{"M":{"a":{"S":"x"},"b":{"BOOL":true}}}},
    {"userId":{"S":"b"},"at":{"S":"2012-01-02T00:00:00.000Z#b"},"dismissed":{"BOOL":true},"traits":{"M":{"a":{"N":"-0.5"}}}},
    {"userId":{"S":"c"},"at":{"S":"2012-01-03T00:00:00.000Z#c"},"traits":{"M":{"a":{"BOOL":false},"plan":{"S":"pro"}}}}]}"#;

fuzz_target!(|query: &str| {
    for operation in [Operation::Users, Operation::Statistics] {
        let Some(outcome) = request(operation, query, PAGE) else {
            return;
        };
        assert_no_server_error(outcome.status);
        let expected = [200, 400, 403, 404, 422];
        assert!(expected.contains(&outcome.status), "{}", outcome.status);
        serde_json::from_slice::<Value>(&outcome.body.expect("the body is complete"))
            .expect("every response is JSON");
    }
});
