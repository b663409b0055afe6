//! One line for every request, written when its answer has been sent or given up.

use std::sync::Arc;
use std::time::Instant;

use crate::model::Usage;

/// What the line will say. It is written when this is dropped, so a client that leaves early is
/// logged too.
///
/// It holds no header, no query and no path: they may carry secrets and personal data.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) request_id: String,
    pub(super) operation: &'static str,
    pub(super) status: u16,
    pub(super) started: Instant,
    pub(super) usage: Arc<Usage>,
    /// Whether the whole answer was handed over.
    pub(super) complete: bool,
}

impl Drop for Entry {
    fn drop(&mut self) {
        let totals = self.usage.totals();
        tracing::info!(
            request_id = self.request_id,
            operation = self.operation,
            status = self.status,
            complete = self.complete,
            duration_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            pages = totals.pages,
            records = totals.records,
            skipped = totals.skipped,
            capacity_units = totals.capacity_units,
            "request"
        );
    }
}

/// Writes the log of a Lambda function as JSON lines to standard output, where Lambda collects it.
pub fn init() {
    tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::INFO)
        .with_ansi(false)
        .init();
}
