//! Reports the progress of a command on standard error.

use std::fs::File;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use indicatif::{HumanDuration, ProgressBar, ProgressBarIter, ProgressStyle};

use crate::text::printable;

/// The progress of a command: a bar on a terminal, and an occasional line elsewhere. Cloning it is cheap.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
    /// The second in which the last line was printed.
    last_line: Arc<AtomicU64>,
}

const WITHOUT_BAR: &str = "{spinner}  {msg}";

impl Progress {
    /// Begins to report; `length` is how much there is to do, if that is known.
    pub(crate) fn new(length: Option<u64>) -> Self {
        let (bar, template) = match length {
            Some(length) => (ProgressBar::new(length), "{bar:20} {percent:>3}%  {msg}"),
            None => (ProgressBar::no_length(), WITHOUT_BAR),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self {
            bar,
            on_terminal: std::io::stderr().is_terminal(),
            last_line: Arc::default(),
        }
    }

    /// Shows no bar any more, because what remains cannot be told.
    pub(crate) fn end_bar(&self) {
        if let Ok(style) = ProgressStyle::with_template(WITHOUT_BAR) {
            self.bar.set_style(style);
        }
    }

    /// Wraps a file, so that reading it advances the bar.
    pub(crate) fn track(&self, file: File) -> ProgressBarIter<File> {
        self.bar.wrap_read(file)
    }

    pub(crate) fn advance(&self, by: u64) {
        self.bar.inc(by);
    }

    pub(crate) fn position(&self) -> u64 {
        self.bar.position()
    }

    /// Says how far the command is, and how long it will take.
    pub(crate) fn show(&self, message: &str) {
        let left = match self.bar.length() {
            Some(_) => format!(", {:#} left", HumanDuration(self.bar.eta())),
            None => String::new(),
        };
        self.show_alone(format!("{message}{left}"));
    }

    /// Says how far the command is.
    pub(crate) fn show_alone(&self, message: String) {
        const SECONDS_BETWEEN_LINES: u64 = 10;
        let second = self.bar.elapsed().as_secs();
        if self.on_terminal {
            self.bar.set_message(message);
        } else if second >= self.last_line.load(Relaxed) + SECONDS_BETWEEN_LINES {
            self.last_line.store(second, Relaxed);
            eprintln!("{message}");
        }
    }

    pub(crate) fn print(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{}", printable(line)));
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
