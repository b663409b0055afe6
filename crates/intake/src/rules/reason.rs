//! Why records are rejected.

/// Why a record is rejected, worded to follow the name of its file and its line.
pub type Reason = String;

/// Returns the beginning of a text, quoted and on one line.
pub(crate) fn quoted(text: &str) -> String {
    const MAX: usize = 60;
    let mut shown: String = text.chars().take(MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

/// Why a record is not imported.
pub(crate) enum RecordError {
    /// It is rejected for this reason, and the others are imported.
    Rejected(Reason),
    /// The import cannot continue.
    Fatal(anyhow::Error),
}

impl From<Reason> for RecordError {
    fn from(reason: Reason) -> Self {
        Self::Rejected(reason)
    }
}
