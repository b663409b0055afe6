//! The Lambda function `response-statistics`. The library implements the operation.
#![recursion_limit = "256"] // the futures of the runtime and the SDK nest deeply

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use shared::App;
use shared::config::{Tables, metrics_namespace, responses_index, warms_up};
use shared::http::{Call, Event, ProxyResponse, buffered, init_log};
use shared::model::{SHARDS, Timestamp};
use shared::store::Store;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    init_log(metrics_namespace());
    let store = Store::from_lambda_env(Tables::from_env(), responses_index()).await?;
    let app = &App::new(store);
    if warms_up() {
        app.store.warm_up(SHARDS).await;
    }
    run(service_fn(async |event: LambdaEvent<Event>| {
        let LambdaEvent { payload, context } = event;
        let call = Call::from_event(
            payload,
            context.request_id,
            context.deadline,
            Timestamp::now(),
        );
        let response = buffered(response_statistics::handle(call, app).await).await;
        Ok::<_, Error>(ProxyResponse::from(response))
    }))
    .await
}
