//! What a request has read from the store.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a request has read from the store so far. Concurrent reads of a request share it.
#[derive(Debug, Default)]
pub struct Usage(Mutex<Totals>);

/// The totals of a [`Usage`] at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Totals {
    /// Pages of query results.
    pub pages: u64,
    /// Records in them, including the skipped ones.
    pub records: u64,
    /// Response records that could not be decoded, so that no figure counts them.
    pub skipped: u64,
    /// Users without a `created`, or with a damaged attribute, in whose place a default was returned.
    pub defaulted: u64,
    /// Read capacity units.
    pub capacity_units: f64,
}

impl Usage {
    fn so_far(&self) -> MutexGuard<'_, Totals> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one page of `records` records.
    pub fn add_page(&self, records: usize) {
        let mut totals = self.so_far();
        totals.pages += 1;
        totals.records += records as u64;
    }

    /// Counts `records` response records that could not be decoded.
    pub fn add_skipped(&self, records: usize) {
        self.so_far().skipped += records as u64;
    }

    /// Forgets the skipped records, because all records are read again.
    pub fn forget_skipped(&self) {
        self.so_far().skipped = 0;
    }

    /// Counts `users` users that are returned with a default.
    pub fn add_defaulted(&self, users: usize) {
        self.so_far().defaulted += users as u64;
    }

    /// Counts read capacity units.
    pub fn add_capacity(&self, units: f64) {
        self.so_far().capacity_units += units;
    }

    /// Returns the totals so far.
    pub fn totals(&self) -> Totals {
        *self.so_far()
    }
}
