//! The time that a request has.

use std::time::Duration;

use model::Timestamp;
use tokio::time::{Instant, timeout_at};

use crate::error::Error;

/// The end of the time that a request has, counted from its arrival. Outside Lambda, requests have none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// Makes the deadline of a request that arrives now and that the host ends at `end`, minus the time
    /// that the response needs. An end in the past means none: local tools report such.
    pub(super) fn before(end: Option<Timestamp>, now: Timestamp) -> Self {
        const TO_RESPOND: Duration = Duration::from_millis(500);
        let left = end.and_then(|end| u64::try_from(end.millis_since(now)).ok());
        Self(left.and_then(|left| {
            let left = Duration::from_millis(left).saturating_sub(TO_RESPOND);
            Instant::now().checked_add(left)
        }))
    }

    /// Returns when the time is over, if it ever is.
    pub fn end(self) -> Option<Instant> {
        self.0
    }

    /// Returns whether the time is over, and logs it if it is.
    pub fn is_over(self) -> bool {
        let is_over = self.0.is_some_and(|end| end <= Instant::now());
        if is_over {
            tracing::warn!("the time of the request is over");
        }
        is_over
    }

    /// Awaits `work`, but not beyond the deadline: then the service is unavailable.
    pub async fn limit<T>(self, work: impl Future<Output = T>) -> Result<T, Error> {
        // Moving it into a timeout would multiply the size of the caller's future.
        let mut work = Box::pin(work);
        let Some(end) = self.0 else {
            return Ok(work.await);
        };
        // A timeout alone does not stop work that is always ready.
        while !self.is_over() {
            if let Ok(done) = timeout_at(end, &mut work).await {
                return Ok(done);
            }
        }
        Err(Error::unavailable())
    }
}
