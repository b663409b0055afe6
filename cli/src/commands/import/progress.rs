//! Reports the progress of an import on standard error.

use std::fs::File;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressBarIter, ProgressStyle};

use crate::text::printable;

/// The progress of an import: a bar on a terminal, and an occasional line elsewhere. Cloning it is
/// cheap.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
    counts: Arc<Counts>,
}

struct Counts {
    records: AtomicU64,
    rejected: AtomicU64,
    started: Instant,
    on_terminal: bool,
    last_line: Mutex<Instant>,
}

impl Progress {
    pub(super) fn new(files: &[PathBuf]) -> Self {
        // The length of standard input, or of a pipe, is unknown.
        let length = files
            .iter()
            .map(|file| {
                let found = std::fs::metadata(file).ok();
                Some(found.filter(std::fs::Metadata::is_file)?.len())
            })
            .sum::<Option<u64>>();
        let bar = match length {
            Some(length) => ProgressBar::new(length),
            None => ProgressBar::no_length(),
        };
        let template = match length {
            Some(_) => "{bar:20} {percent:>3}%  {msg}, {eta} left",
            None => "{spinner}  {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self {
            bar,
            counts: Arc::new(Counts {
                records: AtomicU64::new(0),
                rejected: AtomicU64::new(0),
                started: now,
                on_terminal: std::io::stderr().is_terminal(),
                last_line: Mutex::new(now),
            }),
        }
    }

    /// Wraps a file, so that reading it advances the bar.
    pub(super) fn track(&self, file: File) -> ProgressBarIter<File> {
        self.bar.wrap_read(file)
    }

    /// Prints a line.
    pub(super) fn print(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{}", printable(line)));
    }

    /// Counts a rejected record and prints the reason.
    pub(super) fn reject(&self, line: &str) {
        self.counts.rejected.fetch_add(1, Relaxed);
        self.print(line);
    }

    /// Returns the number of rejected records.
    pub(super) fn rejected(&self) -> u64 {
        self.counts.rejected.load(Relaxed)
    }

    /// Counts written records.
    pub(super) fn advance(&self, records: u64) {
        const BETWEEN_LINES: Duration = Duration::from_secs(10);
        let records = self.counts.records.fetch_add(records, Relaxed) + records;
        let rate = rate(records, self.counts.started.elapsed());
        let message = format!("{} records, {rate}/s", HumanCount(records));
        if self.counts.on_terminal {
            self.bar.set_message(message);
            return;
        }
        let last = self.counts.last_line.lock();
        let mut last = last.unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= BETWEEN_LINES {
            *last = Instant::now();
            let left = match self.bar.length() {
                Some(_) => format!(", {} left", HumanDuration(self.bar.eta())),
                None => String::new(),
            };
            eprintln!("{message}{left}");
        }
    }

    /// Returns the number of records that were not rejected.
    pub(super) fn accepted(&self) -> u64 {
        self.counts.records.load(Relaxed)
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)] // for people
fn rate(records: u64, elapsed: Duration) -> HumanCount {
    HumanCount((records as f64 / elapsed.as_secs_f64().max(0.001)) as u64)
}
