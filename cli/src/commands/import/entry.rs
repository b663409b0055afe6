//! One record of a file, whatever the format.

use super::source::Source;

/// The largest record in bytes. DynamoDB could not store a larger one.
pub(super) const MAX_RECORD: usize = 16 << 20;

/// One record of a file.
pub(super) struct Entry<'a> {
    /// The line that it begins on.
    pub(super) line: u64,
    /// Its text in the file, on one line where possible.
    pub(super) raw: &'a [u8],
    /// The record as JSON and its source, or the reason why there is no record.
    pub(super) record: Result<(&'a str, Source<'a>), String>,
}

/// Counts the newlines.
pub(super) fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}
