//! Reports the progress of a deletion on standard error.

use std::cell::Cell;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};

/// A bar on a terminal, and an occasional line elsewhere.
pub(super) struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
    last_line: Cell<Instant>,
}

impl Progress {
    pub(super) fn new(total: u64) -> Self {
        let bar = ProgressBar::new(total);
        let template = "{bar:20} {percent:>3}%  {human_pos} records deleted, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self {
            bar,
            on_terminal: std::io::stderr().is_terminal(),
            last_line: Cell::new(Instant::now()),
        }
    }

    /// Counts deleted records.
    pub(super) fn advance(&self, records: u64) {
        const BETWEEN_LINES: Duration = Duration::from_secs(10);
        self.bar.inc(records);
        if !self.on_terminal && self.last_line.get().elapsed() >= BETWEEN_LINES {
            self.last_line.set(Instant::now());
            let total = self.bar.length().unwrap_or_default();
            eprintln!(
                "{} of {} records",
                HumanCount(self.deleted()),
                HumanCount(total)
            );
        }
    }

    /// Returns the number of deleted records.
    pub(super) fn deleted(&self) -> u64 {
        self.bar.position()
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
