//! Pauses between attempts.

use std::time::Duration;

use shared::store::{Error, ErrorKind};

/// Pauses that become longer, until ten attempts in a row have made no progress. The pauses alone take 13
/// seconds; except for Queries, the SDK repeats a throttled attempt twice, with pauses of its own.
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

/// What an attempt has achieved.
pub(super) enum Attempt<T> {
    Done(T),
    /// Something is left to do.
    Left {
        progress: bool,
    },
}

/// Repeats an attempt until it is done. An attempt that the store throttles makes no progress.
pub(super) async fn repeat<T>(
    operation: &'static str,
    mut attempt: impl AsyncFnMut() -> Result<Attempt<T>, Error>,
) -> Result<T, Error> {
    let mut backoff = Backoff::default();
    loop {
        // The compiler has a limit to how deep futures are inside each other, and the SDK's are deep.
        let progress = match Box::pin(attempt()).await {
            Ok(Attempt::Done(output)) => return Ok(output),
            Ok(Attempt::Left { progress }) => progress,
            Err(error) if error.is_throttled() => false,
            Err(error) => return Err(error),
        };
        backoff.pause(operation, progress).await?;
    }
}

/// Sends a request again while the store throttles it.
pub(super) async fn unless_throttled<T>(
    operation: &'static str,
    mut send: impl AsyncFnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    repeat(operation, async || send().await.map(Attempt::Done)).await
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
