//! One record of a file, whatever the format.

use super::Reason;
use super::source::Source;

/// The largest record in bytes. DynamoDB could not store a larger one.
pub(super) const MAX_RECORD: usize = 16 << 20;

/// One record of a file.
pub(super) struct Entry<'a> {
    /// The line that it begins on.
    pub(super) line: u64,
    /// Its text in the file, on one line where possible.
    pub(super) raw: &'a [u8],
    /// The record as it stands in the file, or the reason why it cannot be told.
    pub(super) source: Result<Source<'a>, Reason>,
}

/// Why a record is not imported.
pub(super) enum Failure {
    /// It is rejected for this reason, and the others are imported.
    Record(Reason),
    /// The import cannot continue.
    Import(anyhow::Error),
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Self::Record(reason)
    }
}

/// Counts the newlines.
pub(super) fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}
