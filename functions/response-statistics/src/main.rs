//! The Lambda function `response-statistics`. The library implements the operation.
#![recursion_limit = "256"] // the futures of the runtime and the SDK nest deeply

use items::Shard;
use lambda_http::lambda_runtime::run;
use lambda_http::{Error, service_fn};
use service::config::Config;
use service::event::{FunctionOutput, Invocation};
use service::response::buffered;
use service::{App, log};
use store::Store;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let config = Config::from_env();
    log::init();
    let store =
        Store::from_lambda_env(config.tables, config.responses_index, config.endpoint).await?;
    let app = &App {
        private_traits: config.private_traits,
        ..App::new(store)
    };
    if config.warms_up {
        app.store.warm_up(Shard::COUNT).await;
    }
    run(service_fn(async |event| {
        Ok::<_, Error>(match Invocation::from_event(event, service::now()) {
            Invocation::Request(call, gateway) => {
                let response = response_statistics::handle(*call, app).await;
                gateway.response(buffered(response).await)
            }
            Invocation::Check => FunctionOutput::Check(app.store.check_responses().await),
        })
    }))
    .await
}
