//! The Lambda function `response-statistics`. What the operation does stands in the library.
#![recursion_limit = "256"] // the futures of the runtime and the SDK nest deeply

use lambda_http::{Error, run, service_fn};
use shared::App;
use shared::config::{Tables, warms_up};
use shared::http::{buffered, init_log};
use shared::model::{SHARDS, Timestamp};
use shared::store::Store;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    init_log();
    let app = &App::new(Store::of_function(Tables::from_env()).await?);
    if warms_up() {
        app.store.warm_up(SHARDS).await;
    }
    run(service_fn(async |request| {
        let answer = response_statistics::handle(request, app, Timestamp::now()).await;
        Ok::<_, Error>(buffered(answer).await)
    }))
    .await
}
