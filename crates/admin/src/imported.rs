//! The result of an import.

use super::merge::Merged;

/// What became of imported records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that changed a table.
    pub written: u64,
    /// Records that added nothing.
    pub unchanged: u64,
    /// The positions of records that were not written, because with what is stored they would
    /// exceed DynamoDB's largest item.
    pub too_large: Vec<usize>,
}

impl Imported {
    /// Counts records that were merged into one item.
    pub(super) fn count(&mut self, records: usize, merged: Merged<'_>) {
        self.written += merged.changes as u64;
        self.unchanged += (records - merged.changes - merged.too_large.len()) as u64;
        self.too_large.extend(merged.too_large);
    }
}
