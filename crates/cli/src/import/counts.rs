//! Counts the records of an import, and reports its progress.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use indicatif::HumanCount;

use crate::progress::Progress;

/// How many records were accepted and rejected so far.
pub(super) struct ImportCounts {
    pub(super) progress: Progress,
    accepted: AtomicU64,
    rejected: AtomicU64,
}

impl ImportCounts {
    /// Begins to count the records of these files.
    pub(super) fn new(files: &[PathBuf]) -> Self {
        // The length of standard input, or of a pipe, is unknown.
        let lengths = files.iter().map(|file| {
            let found = std::fs::metadata(file).ok();
            Some(found.filter(std::fs::Metadata::is_file)?.len())
        });
        Self {
            progress: Progress::new(lengths.sum()),
            accepted: AtomicU64::default(),
            rejected: AtomicU64::default(),
        }
    }

    pub(super) fn reject(&self) {
        self.rejected.fetch_add(1, Relaxed);
    }

    /// Counts records that are written, or will be with the others that say something of their users, and shows
    /// how many there are so far.
    pub(super) fn advance(&self, records: usize) {
        self.accepted.fetch_add(records as u64, Relaxed);
        let records = HumanCount(self.accepted());
        self.progress.show(&format!("{records} records"));
    }

    /// Shows how many users are written of all that the records mention, which is a phase of its own.
    pub(super) fn show_users(&self, written: usize, of: usize) {
        let records = HumanCount(self.accepted());
        let percent = 100 * written / of.max(1);
        let of = HumanCount(of as u64);
        let message = format!("{records} records read; then users: {percent} % of {of} written");
        self.progress.show_alone(message);
    }

    /// Returns the number of records that were not rejected.
    pub(super) fn accepted(&self) -> u64 {
        self.accepted.load(Relaxed)
    }

    pub(super) fn rejected(&self) -> u64 {
        self.rejected.load(Relaxed)
    }
}
