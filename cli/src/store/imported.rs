//! The result of an import.

/// What became of imported records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Imported {
    /// Records that changed a table.
    pub(crate) written: u64,
    /// Records that added nothing.
    pub(crate) unchanged: u64,
    /// The positions of records that were not written, because with what is stored they would
    /// exceed DynamoDB's largest item.
    pub(crate) too_large: Vec<usize>,
}

impl Imported {
    /// Counts the facts of a written user.
    pub(super) fn count_user(&mut self, facts: usize, too_large: Vec<usize>) {
        self.written += (facts - too_large.len()) as u64;
        self.too_large.extend(too_large);
    }

    /// Counts records that were merged into one write: the first changed the table, and the others
    /// of the same key did not on their own.
    pub(super) fn count_written(&mut self, records: usize) {
        self.written += 1;
        self.unchanged += records as u64 - 1;
    }
}
