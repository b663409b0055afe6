//! The Lambda function `users`. What the operation does stands in the library.
#![recursion_limit = "256"] // the futures of the runtime and the SDK nest deeply

use http::header::ACCEPT_ENCODING;
use lambda_http::{Error, Request, service_fn};
use shared::App;
use shared::config::{Tables, buffers_responses, warms_up};
use shared::http::{buffered, init_log};
use shared::model::Timestamp;
use shared::store::Store;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    init_log();
    let app = &App::new(Store::of_function(Tables::from_env()).await?);
    if warms_up() {
        app.store.warm_up(1).await;
    }
    let handle = async |request| users::handle(request, app, Timestamp::now()).await;
    if buffers_responses() {
        lambda_http::run(service_fn(async |mut request: Request| {
            // What is sent whole is sent as text.
            request.headers_mut().remove(ACCEPT_ENCODING);
            Ok::<_, Error>(buffered(handle(request).await).await)
        }))
        .await
    } else {
        lambda_http::run_with_streaming_response(service_fn(async |request| {
            Ok::<_, Error>(handle(request).await)
        }))
        .await
    }
}
