//! Reads a text from standard input, which other users of the machine do not see and which may hold any
//! character.

use std::io::Read as _;

use anyhow::{Context, ensure};

/// Reads the whole of standard input, without one line ending at its end. Errors call it `what`.
pub(super) fn read_text(what: &str, max_bytes: usize) -> anyhow::Result<String> {
    let mut input = Vec::new();
    // Leaves room for a line ending of two characters, and for one byte too many to be noticed.
    std::io::stdin()
        .take(max_bytes as u64 + 3)
        .read_to_end(&mut input)
        .with_context(|| format!("cannot read {what}"))?;
    let text = match input.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => &input,
    };
    ensure!(
        text.len() <= max_bytes,
        "{what} is longer than {max_bytes} bytes"
    );
    let text = std::str::from_utf8(text).with_context(|| format!("{what} is not UTF-8"))?;
    Ok(text.to_owned())
}
