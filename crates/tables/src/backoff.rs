//! Pauses between attempts.

use std::time::Duration;

use store::{Error, ErrorKind};

/// What an attempt has achieved.
pub(super) enum Attempt<T> {
    Done(T),
    Left(usize),
}

/// Repeats an attempt at so much until it is done, or ten in a row have made no progress. An attempt that the store
/// throttles makes none. The pauses become longer and alone take 13 seconds; except for Queries, the SDK
/// repeats a throttled attempt twice, with pauses of its own.
pub(super) async fn repeat<T>(
    operation: &'static str,
    mut left: usize,
    mut attempt: impl AsyncFnMut() -> Result<Attempt<T>, Error>,
) -> Result<T, Error> {
    const MAX_FRUITLESS: u32 = 10;
    const HALF_OF_FIRST: Duration = Duration::from_millis(25);
    let mut fruitless = 0;
    loop {
        // The compiler has a limit to how deep futures are inside each other, and the SDK's are deep.
        let progress = match Box::pin(attempt()).await {
            Ok(Attempt::Done(output)) => return Ok(output),
            Ok(Attempt::Left(now)) => now < std::mem::replace(&mut left, now),
            Err(error) if error.is_throttled() => false,
            Err(error) => return Err(error),
        };
        fruitless = if progress { 0 } else { fruitless + 1 };
        if fruitless == MAX_FRUITLESS {
            let code = "no progress in ten attempts";
            return Err(Error::new(ErrorKind::Unavailable, operation, code));
        }
        tokio::time::sleep(HALF_OF_FIRST * (1 << fruitless.min(7))).await;
    }
}

/// Sends a request again while the store throttles it.
pub(super) async fn unless_throttled<T>(
    operation: &'static str,
    mut send: impl AsyncFnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    repeat(operation, 1, async || send().await.map(Attempt::Done)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn ten_attempts_in_a_row_without_progress_are_the_last() {
        let mut attempts = 0;
        let repeated = repeat("Query", 2, async || {
            attempts += 1;
            Ok(Attempt::<()>::Left(if attempts < 10 { 2 } else { 1 }))
        });
        assert_eq!(repeated.await.unwrap_err().kind(), ErrorKind::Unavailable);
        assert_eq!(attempts, 20);
    }
}
