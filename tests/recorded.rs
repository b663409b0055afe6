//! Recorded responses: requests without newer parameters are answered as they were before, byte for byte.

use crate::support::{Api, STATISTICS};

#[tokio::test]
async fn statistics_of_the_demo_project_are_what_they_were() {
    for line in include_str!("recorded/statistics.ndjson").lines() {
        // What follows `project=demo`, and the response, with `<id>` in the place of the request's id.
        let (query, status, expected): (String, u16, String) = serde_json::from_str(line).unwrap();
        let target = format!("{STATISTICS}?project=demo{query}");
        let key = [("AuthKey", "demo-read-key-0000")];
        let reply = Api::shared().get(&target, &key).await;
        let body = reply.text().replace(reply.request_id(), "<id>");
        assert_eq!((reply.status.as_u16(), body), (status, expected), "{query}");
    }
}
