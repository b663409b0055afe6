//! The Lambda function `users`. The library implements the operation.
#![recursion_limit = "256"] // the futures of the runtime and the SDK nest deeply

use http::header::ACCEPT_ENCODING;
use http_body_util::BodyDataStream;
use lambda_http::lambda_runtime::{FunctionResponse, MetadataPrelude, StreamResponse, run};
use lambda_http::{Error, service_fn};
use service::config::Config;
use service::event::{FunctionOutput, Gateway, Invocation};
use service::response::{Body, Response, buffered};
use service::{App, log};
use store::Store;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let config = Config::from_env();
    log::init();
    let store = Store::from_lambda_env(config.tables, None, config.endpoint).await?;
    let app = &App::new(store);
    if config.warms_up {
        app.store.warm_up(1).await;
    }
    run(service_fn(async |event| {
        Ok::<_, Error>(match Invocation::from_event(event, service::now()) {
            Invocation::Request(mut call, gateway)
                if gateway == Gateway::Http || config.buffers_responses =>
            {
                // A buffered body is text, so it cannot be compressed.
                call.headers.remove(ACCEPT_ENCODING);
                let response = buffered(users::handle(*call, app).await).await;
                FunctionResponse::BufferedResponse(gateway.response(response))
            }
            Invocation::Request(call, _) => {
                FunctionResponse::StreamingResponse(streamed(users::handle(*call, app).await))
            }
            Invocation::Check => FunctionResponse::BufferedResponse(FunctionOutput::Check(
                app.store.check_users().await,
            )),
        })
    }))
    .await
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
