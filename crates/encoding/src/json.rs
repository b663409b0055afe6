//! Texts in JSON.

/// Appends a text as JSON.
pub(super) fn push_string(text: &str, out: &mut String) {
    let is_escaped = |byte: u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    if text.bytes().any(is_escaped) {
        // Serializing a string cannot fail.
        out.push_str(&serde_json::to_string(text).unwrap_or_default());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}
