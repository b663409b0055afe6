//! The smallest Lambda function in Rust: what the runtime alone costs.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use serde::de::IgnoredAny;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(async |_: LambdaEvent<IgnoredAny>| {
        Ok::<_, Error>(())
    }))
    .await
}
