//! Pauses between attempts.

use std::time::Duration;

use shared::store::{Error, ErrorKind};

/// Pauses that become longer, until ten attempts in a row have made no progress. By then a table has
/// done nothing for about twenty seconds.
#[derive(Default)]
pub(super) struct Backoff {
    fruitless: u32,
}

impl Backoff {
    /// Pauses after an attempt; `progress` tells whether it achieved anything. `operation` names it
    /// in the error.
    pub(super) async fn pause(
        &mut self,
        operation: &'static str,
        progress: bool,
    ) -> Result<(), Error> {
        const MAX_FRUITLESS: u32 = 10;
        self.fruitless = if progress { 1 } else { self.fruitless + 1 };
        if self.fruitless > MAX_FRUITLESS {
            let code = "throttled in ten attempts";
            return Err(Error::new(ErrorKind::Unavailable, operation, code));
        }
        tokio::time::sleep(Duration::from_millis(25 << self.fruitless.min(7))).await;
        Ok(())
    }
}
