//! The handlers over a store that responds to every Query with the same page.

use std::sync::{LazyLock, Mutex};

use aws_sdk_dynamodb::config::http::{HttpRequest, HttpResponse};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_types::body::SdkBody;
use http_body_util::BodyExt;
use shared::App;
use shared::config::Tables;
use shared::http::Call;
use shared::model::Timestamp;
use shared::store::Store;
use tokio::runtime::Runtime;

const CREDENTIAL: &str = r#"{"Item":{"kind":{"S":"KIND"},"project":{"S":"p"},"username":{"S":"u"},"projects":{"SS":["p"]}}}"#;

/// An operation of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `GET /api/users`.
    Users,
    /// `GET /api/v2/response-statistics`.
    Statistics,
}

/// The response of the store to a Query.
static PAGE: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The HTTP client of a store that authorizes every credential of the operation.
#[derive(Debug)]
struct Responses(Operation);

impl HttpConnector for Responses {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let kind = match self.0 {
            Operation::Users => "account",
            Operation::Statistics => "read-key",
        };
        let body = if target.ends_with("GetItem") {
            CREDENTIAL.replace("KIND", kind).into_bytes()
        } else {
            PAGE.lock().expect("a lock that no panic poisoned").clone()
        };
        let status = 200.try_into().expect("200 is a status");
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::from(body))))
    }
}

/// The state of the handlers. Building it takes longer than handling a request.
struct Service {
    runtime: Runtime,
    users: App,
    statistics: App,
}

/// Builds the state of one handler.
fn app(operation: Operation) -> App {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(Credentials::new("a", "b", None, None, "fuzz"))
        .retry_config(RetryConfig::disabled())
        .http_client(http_client_fn(move |_, _| {
            SharedHttpConnector::new(Responses(operation))
        }))
        .build();
    let client = aws_sdk_dynamodb::Client::from_conf(config);
    App::new(Store::new(&client, Tables::from_env()))
}

static SERVICE: LazyLock<Service> = LazyLock::new(|| Service {
    runtime: tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime"),
    users: app(Operation::Users),
    statistics: app(Operation::Statistics),
});

/// Handles a request with this query while the store returns this page. Returns the status and the
/// body of the response, or `None` if the query is not valid in a URL. The body is `None` if it is
/// truncated.
pub fn request(operation: Operation, query: &str, page: &[u8]) -> Option<(u16, Option<Vec<u8>>)> {
    let path = match operation {
        Operation::Users => users::PATH,
        Operation::Statistics => response_statistics::PATH,
    };
    let message = http::Request::get(format!("{path}?{query}"))
        .header("AuthKey", "any key")
        .header("Authorization", "Basic dTphbnkga2V5")
        .body(())
        .ok()?;
    let call = Call::from_http(message.into_parts().0, Timestamp::now());
    page.clone_into(&mut PAGE.lock().expect("a lock that no panic poisoned"));
    SERVICE.runtime.block_on(async {
        let response = match operation {
            Operation::Users => users::handle(call, &SERVICE.users).await,
            Operation::Statistics => response_statistics::handle(call, &SERVICE.statistics).await,
        };
        let status = response.status().as_u16();
        let body = response.into_body().collect().await;
        Some((status, body.ok().map(|body| body.to_bytes().to_vec())))
    })
}
