//! How long throttled reads are repeated.

use std::time::Duration;

/// How long a request that has no deadline, or a long one, waits for its first page, or the next one, while
/// the store throttles.
pub const PATIENCE: Duration = Duration::from_secs(25);

/// Returns how long to wait after a read that was throttled for this time in a row, the first being 1.
pub fn pause(throttled: u32) -> Duration {
    const FIRST: Duration = Duration::from_millis(50);
    FIRST * (1 << throttled.saturating_sub(1).min(4))
}
