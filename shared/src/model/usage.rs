//! What a request has read from the store.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a request has read from the store so far. Concurrent reads of a request share it.
#[derive(Debug, Default)]
pub struct Usage {
    pages: AtomicU64,
    records: AtomicU64,
    skipped: AtomicU64,
    defaulted: AtomicU64,
    /// DynamoDB counts eventually consistent reads in halves of a unit.
    half_units: AtomicU64,
}

/// The totals of a [`Usage`] at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// Counts one page of `records` records.
    pub fn add_page(&self, records: usize) {
        self.pages.fetch_add(1, Relaxed);
        self.records.fetch_add(records as u64, Relaxed);
    }

    /// Counts `records` response records that could not be decoded.
    pub fn add_skipped(&self, records: usize) {
        self.skipped.fetch_add(records as u64, Relaxed);
    }

    /// Forgets the skipped records, because all records are read again.
    pub fn forget_skipped(&self) {
        self.skipped.store(0, Relaxed);
    }

    /// Counts `users` users that are returned with a default.
    pub fn add_defaulted(&self, users: usize) {
        self.defaulted.fetch_add(users as u64, Relaxed);
    }

    /// Counts read capacity units.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a page reads some hundred units
    pub fn add_capacity(&self, units: f64) {
        self.half_units
            .fetch_add((units * 2.0).round() as u64, Relaxed);
    }

    /// Returns the totals so far.
    #[allow(clippy::cast_precision_loss)] // exact up to 2^52 units
    pub fn totals(&self) -> Totals {
        Totals {
            pages: self.pages.load(Relaxed),
            records: self.records.load(Relaxed),
            skipped: self.skipped.load(Relaxed),
            defaulted: self.defaulted.load(Relaxed),
            capacity_units: self.half_units.load(Relaxed) as f64 / 2.0,
        }
    }
}
