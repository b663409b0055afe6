//! One record of a file, whatever the format.

use crate::rules::reason::Reason;
use crate::source::Source;

/// One record of a file.
pub(crate) struct Entry<'a> {
    /// The line that it begins on.
    pub(crate) line: u64,
    /// Its text in the file, on one line where possible.
    pub(crate) raw: &'a [u8],
    /// The record as it stands in the file, or the reason why it cannot be told.
    pub(crate) source: Result<Source<'a>, Reason>,
}
