//! What a request has read.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a request has read from the store so far. Concurrent reads of a request share it.
#[derive(Debug, Default)]
pub struct ReadUsage(Mutex<Totals>);

/// The totals of a [`ReadUsage`] at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Totals {
    pub pages: u64,
    /// Records on these pages, including the skipped ones.
    pub records: u64,
    /// Response records that could not be decoded, so that no figure counts them.
    pub skipped: u64,
    /// Users without a `created`, or with a damaged attribute, in whose place a default was returned.
    pub defaulted: u64,
    pub capacity_units: f64,
}

impl ReadUsage {
    fn so_far(&self) -> MutexGuard<'_, Totals> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, add: impl FnOnce(&mut Totals)) {
        add(&mut self.so_far());
    }

    pub fn totals(&self) -> Totals {
        *self.so_far()
    }
}
