//! The period of a request.

use super::timestamp::Timestamp;

/// The time over which statistics are computed: `start` inclusive, `end` exclusive, so that
/// adjoining periods neither overlap nor leave a gap (contract, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first instant of the period.
    pub start: Timestamp,
    /// The first instant after the period.
    pub end: Timestamp,
}

impl Period {
    const DEFAULT_DAYS: i64 = 30;

    /// Returns the period of a request that arrived at `now`: without `end` it ends now, without
    /// `start` it begins 30 days before its end.
    ///
    /// Returns `None` when `start` is after a *given* end. A start that is after a defaulted end
    /// makes an empty period.
    pub fn of_request(
        start: Option<Timestamp>,
        end: Option<Timestamp>,
        now: Timestamp,
    ) -> Option<Self> {
        if start > end && end.is_some() {
            return None;
        }
        let end = end.unwrap_or(now);
        let start = start.unwrap_or_else(|| end.minus_days(Self::DEFAULT_DAYS));
        Some(Self { start, end })
    }

    /// Returns whether the period contains no instant.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }
}
