use super::Timestamp;

/// The time over which statistics are computed: `start` inclusive, `end` exclusive, so that
/// adjoining periods neither overlap nor leave a gap (contract, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    start: Timestamp,
    end: Timestamp,
}

impl Period {
    const DEFAULT_DAYS: i64 = 30;

    /// The period of a request at `now`: without `end` it ends now, without `start` it begins 30
    /// days before its end.
    ///
    /// `None` when `start` lies after a *given* end; a start in the future of an open end is an
    /// empty period.
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

    /// The first instant of the period.
    pub fn start(&self) -> Timestamp {
        self.start
    }

    /// The first instant after the period.
    pub fn end(&self) -> Timestamp {
        self.end
    }

    /// Whether no instant lies in it.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }
}
