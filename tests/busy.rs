//! The room that requests take before they read (server.md, Limits).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::support::{FullHost, Operation, empty_app, question, respond_to};

#[tokio::test]
async fn a_request_takes_room_for_its_response_its_groups_and_its_persons() {
    for (request, megabytes) in [
        ("users?", 6),
        ("users?limit=10", 6),
        ("response-statistics?", 6),
        ("response-statistics?describe=traits", 6),
        ("response-statistics?compare=previous", 6),
        ("response-statistics?groupBy=plan", 36),
        ("response-statistics?groupBy=plan&compare=previous", 66),
        ("response-statistics?respondents=latest", 110),
        (
            "response-statistics?respondents=latest&groupBy=plan&compare=previous",
            170,
        ),
    ] {
        let (operation, query) = Operation::of_target(request);
        let host = FullHost::default();
        host.freed.notify_one();
        let mut call = question(operation, query);
        call.host = Some(Arc::new(host.clone()));
        let response = respond_to(&empty_app(), operation, call).await;
        assert_eq!(response.status(), 200, "{request}");
        let taken = host.megabytes.load(Ordering::SeqCst);
        assert_eq!(taken, megabytes, "{request}");
    }
}
