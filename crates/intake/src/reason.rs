//! Why records are rejected, and how reasons quote and list what they are about.

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

/// Returns names as they are listed in messages.
pub(crate) fn listed(names: &[impl AsRef<str>]) -> String {
    const MOST: usize = 30;
    let (shown, others) = names.split_at(names.len().min(MOST));
    let mut list: Vec<_> = shown.iter().map(|name| quoted(name.as_ref())).collect();
    if !others.is_empty() {
        list.push(format!("and {} others", others.len()));
    }
    list.join(", ")
}

/// Returns the text as an argument of a shell.
pub fn argument(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.=%/,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
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
