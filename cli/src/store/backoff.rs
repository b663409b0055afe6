//! Pauses between attempts.

use std::time::Duration;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use shared::store::{Error, ErrorKind, is_throttled};

/// Pauses that become longer, until ten attempts in a row have made no progress. The pauses alone take 13
/// seconds; the SDK repeats a throttled attempt twice, with pauses of its own.
pub(super) struct Backoff {
    fruitless: u32,
    /// Half of the first pause.
    unit: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self::of(Duration::from_millis(25))
    }
}

impl Backoff {
    fn of(unit: Duration) -> Self {
        Self { fruitless: 0, unit }
    }

    /// Pauses after an attempt; `progress` says whether the attempt made progress. `operation` names it
    /// in the error.
    pub(super) async fn pause(
        &mut self,
        operation: &'static str,
        progress: bool,
    ) -> Result<(), Error> {
        const MAX_FRUITLESS: u32 = 10;
        self.fruitless = if progress { 0 } else { self.fruitless + 1 };
        if self.fruitless == MAX_FRUITLESS {
            let code = "no progress in ten attempts";
            return Err(Error::new(ErrorKind::Unavailable, operation, code));
        }
        tokio::time::sleep(self.unit * (1 << self.fruitless.min(7))).await;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn ten_attempts_in_a_row_without_progress_are_the_last() {
        let mut backoff = Backoff::of(Duration::ZERO);
        let end = async |backoff: &mut Backoff| {
            for _ in 0..9 {
                backoff.pause("Query", false).await.unwrap();
            }
            backoff.pause("Query", false).await.unwrap_err().kind()
        };
        assert_eq!(end(&mut backoff).await, ErrorKind::Unavailable);
        backoff.pause("Query", true).await.unwrap();
        assert_eq!(end(&mut backoff).await, ErrorKind::Unavailable);
    }
}
