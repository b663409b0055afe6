//! Pauses between attempts.

use std::time::Duration;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use shared::store::{Error, ErrorKind, is_throttled};

/// Pauses that become longer, until ten attempts in a row have made no progress. The pauses alone take sixteen
/// seconds; the SDK repeats a throttled attempt twice, with pauses of its own.
#[derive(Default)]
pub(super) struct Backoff {
    fruitless: u32,
}

impl Backoff {
    /// Pauses after an attempt; `progress` says whether the attempt made progress. `operation` names it
    /// in the error.
    pub(super) async fn pause(
        &mut self,
        operation: &'static str,
        progress: bool,
    ) -> Result<(), Error> {
        const MAX_FRUITLESS: u32 = 10;
        self.fruitless = if progress { 1 } else { self.fruitless + 1 };
        if self.fruitless > MAX_FRUITLESS {
            let code = "no progress in ten attempts";
            return Err(Error::new(ErrorKind::Unavailable, operation, code));
        }
        tokio::time::sleep(Duration::from_millis(25 << self.fruitless.min(7))).await;
        Ok(())
    }
}

/// Sends a request again while the store throttles it.
pub(super) async fn unless_throttled<T, E>(
    operation: &'static str,
    send: impl AsyncFn() -> Result<T, SdkError<E, HttpResponse>>,
) -> Result<T, Error>
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    let mut backoff = Backoff::default();
    loop {
        match send().await {
            Ok(output) => return Ok(output),
            Err(error) if is_throttled(&error) => backoff.pause(operation, false).await?,
            Err(error) => return Err(Error::from_sdk(operation, &error)),
        }
    }
}
