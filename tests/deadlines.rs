//! Requests that run out of the time that Lambda gives them, in simulated time.

use http_body_util::BodyExt;
use std::time::Duration;

use serde_json::{Value, json};
use service::App;
use service::response::{Response, buffered};
use test_support::in_process;
use tokio::time::{Instant, sleep, timeout};

use crate::support::Operation::{self, Statistics, Users};
use crate::support::{app_with, basic, call_of, credential, event_with, respond_to};

/// How long a store takes to read a credential, a first page and a later page. Lists never end.
#[derive(Clone, Copy)]
struct Slow {
    credential: u64,
    first_page: u64,
    later_page: u64,
}

const FAST: Slow = Slow {
    credential: 0,
    first_page: 0,
    later_page: 20,
};
const NEVER: u64 = 10_000;

fn app_over(slow: Slow) -> App {
    app_with(&in_process::client(move |operation, input| async move {
        let after = input["ExclusiveStartKey"]["userId"]["S"].as_str();
        let number = after.map_or(0, |after| after.parse::<u32>().unwrap()) + 1;
        let key = json!({"project": {"S": "p"}, "userId": {"S": format!("{number:09}")}});
        let page = json!({"Items": [key], "LastEvaluatedKey": key});
        let (delay, body) = match (operation.as_str(), after) {
            ("GetItem", _) => (slow.credential, credential(&input)),
            (_, None) => (slow.first_page, page),
            (_, Some(_)) => (slow.later_page, page),
        };
        sleep(Duration::from_millis(delay)).await;
        body.into()
    }))
}

/// Makes a request that has this long, and half a second more for the response itself.
async fn request(
    operation: Operation,
    slow: Slow,
    milliseconds: u64,
    parameters: Value,
) -> Response {
    let account = basic("u", "any");
    let credentials = [("AuthKey", "any key"), ("Authorization", account.as_str())];
    let event = event_with(
        &format!("{}-rest", operation.name()),
        &credentials,
        parameters,
    );
    let call = call_of(&event, Duration::from_millis(milliseconds + 500));
    let app = app_over(slow);
    Box::pin(respond_to(&app, operation, call)).await
}

async fn status_and_code(response: Response) -> (u16, String) {
    let response = buffered(response).await;
    let document: Value = serde_json::from_str(response.body()).unwrap();
    let code = document["errors"][0]["code"].as_str().unwrap().to_owned();
    (response.status().as_u16(), code)
}

/// The parameters of a request without others.
fn of_p() -> Value {
    json!({"project": "p"})
}

fn unavailable() -> (u16, String) {
    (503, "unavailable".to_owned())
}

/// Checks that this ends when the time is over, and not much later.
async fn in_time<T>(milliseconds: u64, outcome: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let outcome = timeout(Duration::from_secs(5), outcome);
    let outcome = outcome.await.expect("an end");
    let took = started.elapsed();
    let difference = took.abs_diff(Duration::from_millis(milliseconds));
    assert!(difference < Duration::from_millis(50), "{took:?}");
    outcome
}

#[tokio::test(start_paused = true)]
async fn time_spent_on_the_credential_is_time_of_the_request() {
    let slow = Slow {
        credential: 500,
        first_page: 500,
        ..FAST
    };
    let response = in_time(800, request(Statistics, slow, 800, of_p())).await;
    assert_eq!(
        status_and_code(response).await,
        (504, "period_too_large".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn a_credential_that_is_not_read_in_time_makes_the_service_unavailable() {
    let slow = Slow {
        credential: NEVER,
        ..FAST
    };
    for operation in Operation::ALL {
        let response = in_time(300, request(operation, slow, 300, of_p())).await;
        assert_eq!(response.headers()["retry-after"], "1");
        assert_eq!(status_and_code(response).await, unavailable());
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_page_and_a_page_that_is_read_in_part_are_unavailable() {
    let first = Slow {
        first_page: NEVER,
        ..FAST
    };
    let later = Slow {
        later_page: NEVER,
        ..FAST
    };
    let page = json!({"project": "p", "limit": "10"});
    for (slow, parameters) in [
        (first, of_p()),
        (first, page.clone()),
        (first, json!({"project": "p", "userId": "a"})),
        (later, page),
    ] {
        let response = in_time(300, request(Users, slow, 300, parameters)).await;
        assert_eq!(status_and_code(response).await, unavailable());
    }
}

/// Reads a stream to its end: what it sent, and whether it ended as if it were whole.
async fn stream(response: Response) -> (String, bool) {
    let mut body = response.into_body();
    let mut text = String::new();
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => text += std::str::from_utf8(&frame.into_data().unwrap()).unwrap(),
            Err(_) => return (text, false),
        }
    }
    (text, true)
}

#[tokio::test(start_paused = true)]
async fn a_stream_breaks_off_unclosed_before_lambda_ends_it() {
    let waits = Slow {
        later_page: NEVER,
        ..FAST
    };
    for slow in [waits, FAST] {
        let all = async {
            let response = request(Users, slow, 700, of_p()).await;
            assert_eq!(response.status(), 200);
            stream(response).await
        };
        let (text, whole) = in_time(700, all).await;
        assert!(!whole);
        assert!(text.starts_with(r#"{"users":[{"#) && !text.ends_with("]}"));
    }
}
