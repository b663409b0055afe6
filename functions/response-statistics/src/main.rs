//! The Lambda function `response-statistics`. The library implements the operation.
#![recursion_limit = "256"] // the futures of the runtime and the SDK nest deeply

use lambda_http::lambda_runtime::run;
use lambda_http::{Error, service_fn};
use model::Timestamp;
use model::items::{Shard, Tables};
use service::App;
use service::config::{metrics_namespace, private_traits, responses_index, warms_up};
use service::http::{FunctionOutput, Invocation, buffered, init_log};
use store::Store;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    init_log(metrics_namespace());
    let store = Store::from_lambda_env(Tables::from_env(), responses_index()).await?;
    let app = &App {
        private_traits: private_traits(),
        ..App::new(store)
    };
    if warms_up() {
        app.store.warm_up(Shard::COUNT).await;
    }
    run(service_fn(async |event| {
        Ok::<_, Error>(match Invocation::from_event(event, Timestamp::now()) {
            Invocation::Request(call, gateway) => {
                let response = response_statistics::handle(*call, app).await;
                gateway.response(buffered(response).await)
            }
            Invocation::Check => FunctionOutput::Check(app.store.check_responses().await),
        })
    }))
    .await
}
