//! The Lambda function `users`. The library implements the operation.
#![recursion_limit = "256"] // the futures of the runtime and the SDK nest deeply

use http::header::ACCEPT_ENCODING;
use lambda_http::{Error, Request, service_fn};
use shared::App;
use shared::config::{Tables, buffers_responses, warms_up};
use shared::http::{Call, buffered, init_log};
use shared::model::Timestamp;
use shared::store::Store;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    init_log();
    let app = &App::new(Store::from_lambda_env(Tables::from_env()).await?);
    if warms_up() {
        app.store.warm_up(1).await;
    }
    let call = |request: &Request| Call::from_event(request, Timestamp::now());
    if buffers_responses() {
        lambda_http::run(service_fn(async |request| {
            let mut call = call(&request);
            // A buffered body is text, so it cannot be compressed.
            call.headers.remove(ACCEPT_ENCODING);
            Ok::<_, Error>(buffered(users::handle(call, app).await).await)
        }))
        .await
    } else {
        lambda_http::run_with_streaming_response(service_fn(async |request| {
            Ok::<_, Error>(users::handle(call(&request), app).await)
        }))
        .await
    }
}
