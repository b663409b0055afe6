//! The Lambda function `response-statistics`. The library implements the operation.
#![recursion_limit = "256"] // the futures of the runtime and the SDK nest deeply

use lambda_http::{Error, run, service_fn};
use shared::App;
use shared::config::{Tables, warms_up};
use shared::http::{Call, buffered, init_log};
use shared::model::{SHARDS, Timestamp};
use shared::store::Store;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    init_log();
    let app = &App::new(Store::from_lambda_env(Tables::from_env()).await?);
    if warms_up() {
        app.store.warm_up(SHARDS).await;
    }
    run(service_fn(async |request| {
        let call = Call::from_event(&request, Timestamp::now());
        Ok::<_, Error>(buffered(response_statistics::handle(call, app).await).await)
    }))
    .await
}
