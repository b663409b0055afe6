//! Text of a file within a message.

/// Returns the beginning of a text, quoted and on one line.
pub(super) fn quoted(text: &str) -> String {
    const MAX: usize = 60;
    let mut shown: String = text.chars().take(MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}
