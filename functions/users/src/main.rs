//! The Lambda function `users`. The library implements the operation.
#![recursion_limit = "256"] // the futures of the runtime and the SDK nest deeply

use http::header::ACCEPT_ENCODING;
use http_body_util::BodyDataStream;
use lambda_http::lambda_runtime::{MetadataPrelude, StreamResponse, run};
use lambda_http::{Error, service_fn};
use shared::App;
use shared::config::{Tables, buffers_responses, metrics_namespace, warms_up};
use shared::http::{Body, Call, Response, buffered, init_log};
use shared::model::Timestamp;
use shared::store::Store;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    init_log(metrics_namespace());
    let app = &App::new(Store::from_lambda_env(Tables::from_env(), None).await?);
    if warms_up() {
        app.store.warm_up(1).await;
    }
    if buffers_responses() {
        run(service_fn(async |event| {
            let (mut call, gateway) = Call::from_event(event, Timestamp::now())?;
            // A buffered body is text, so it cannot be compressed.
            call.headers.remove(ACCEPT_ENCODING);
            let response = buffered(users::handle(call, app).await).await;
            Ok::<_, Error>(gateway.response(response))
        }))
        .await
    } else {
        run(service_fn(async |event| {
            let (call, _) = Call::from_event(event, Timestamp::now())?;
            Ok::<_, Error>(streamed(users::handle(call, app).await))
        }))
        .await
    }
}

fn streamed(response: Response) -> StreamResponse<BodyDataStream<Body>> {
    let (parts, body) = response.into_parts();
    StreamResponse {
        metadata_prelude: MetadataPrelude {
            status_code: parts.status,
            headers: parts.headers,
            cookies: Vec::new(),
        },
        stream: BodyDataStream::new(body),
    }
}
