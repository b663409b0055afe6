//! The operations of the API, over the store of this crate.

use std::sync::LazyLock;

use http::HeaderMap;
use http_body_util::BodyExt;
use items::TableNames;
use lambda_http::Context;
use model::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;
use service::App;
use service::Call;
use service::response::{Response, buffered};
use store::Store;

use crate::stub::{self, block_on};

/// An operation of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `GET /api/users`.
    Users,
    /// `GET /api/v2/response-statistics`.
    Statistics,
}

/// The response to a request.
#[derive(Debug)]
pub struct Outcome {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body; `None` if it is truncated.
    pub body: Option<Vec<u8>>,
}

/// The state of the handlers. Building it takes longer than handling a request.
fn app() -> &'static App {
    static APP: LazyLock<App> = LazyLock::new(|| {
        App::new(Store::of_dynamodb(
            &stub::client(),
            TableNames::default(),
            None,
        ))
    });
    &APP
}

impl Operation {
    fn path(self) -> &'static str {
        match self {
            Self::Users => users::PATH,
            Self::Statistics => response_statistics::PATH,
        }
    }

    async fn handle(self, call: Call) -> Response {
        match self {
            Self::Users => users::handle(call, app()).await,
            Self::Statistics => response_statistics::handle(call, app()).await,
        }
    }
}

/// Handles a request with this query while the store returns this page. Returns `None` if the query
/// is not valid in a URL.
pub fn request(operation: Operation, query: &str, page: &[u8]) -> Option<Outcome> {
    let path = operation.path();
    let message = http::Request::get(format!("{path}?{query}"))
        .header("AuthKey", "any key")
        .header("Authorization", "Basic dTphbnkga2V5")
        .body(())
        .ok()?;
    stub::set_page(page);
    let call = Call::from_http(message.into_parts().0, service::now());
    block_on(async {
        let (head, body) = operation.handle(call).await.into_parts();
        let body = body.collect().await;
        Some(Outcome {
            status: head.status.as_u16(),
            headers: head.headers,
            body: body.ok().map(|body| body.to_bytes().to_vec()),
        })
    })
}

/// Runs a function with this event while the store returns this page. Returns what the function
/// returns, or `None` if the event is not JSON.
pub fn event(operation: Operation, event: &[u8], page: &[u8]) -> Option<Value> {
    const TIMEOUT_MILLIS: u64 = 20_000;
    let payload: Box<RawValue> = serde_json::from_slice(event).ok()?;
    let now = service::now();
    let mut context = Context::default();
    context.request_id = String::from("00000000-0000-0000-0000-000000000000");
    context.deadline = now.millis_since(Timestamp::EPOCH).cast_unsigned() + TIMEOUT_MILLIS;
    let (mut call, gateway) = Call::from_event(&payload, context, now);
    stub::set_page(page);
    // A buffered body is text, so it cannot be compressed.
    call.headers.remove(http::header::ACCEPT_ENCODING);
    let response = block_on(async { buffered(operation.handle(call).await).await });
    let response = serde_json::to_value(gateway.response(response));
    Some(response.expect("a response is JSON"))
}
