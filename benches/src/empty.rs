//! The smallest Lambda function in Rust: what the runtime alone costs.

use lambda_http::lambda_runtime::run;
use lambda_http::{Error, LambdaEvent, service_fn};
use serde::de::IgnoredAny;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(async |_: LambdaEvent<IgnoredAny>| {
        Ok::<_, Error>(())
    }))
    .await
}
