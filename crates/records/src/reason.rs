//! Why records are rejected.

/// Why a record is rejected, worded to follow the name of its file and its line.
pub type Reason = String;

/// Returns the beginning of a text, quoted and on one line.
pub(super) fn quoted(text: &str) -> String {
    const MAX: usize = 60;
    let mut shown: String = text.chars().take(MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}
