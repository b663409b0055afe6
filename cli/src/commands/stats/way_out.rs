//! The way out of a period that is too large.

use std::borrow::Cow;
use std::ffi::OsString;

use super::super::client::Refused;
use crate::text::printable;

/// Returns the command that was typed, with another start, where this error says which one could be read in time.
pub(super) fn command(error: &anyhow::Error) -> Option<String> {
    let start = error.downcast_ref::<Refused>()?.readable_from()?;
    let mut typed = std::env::args_os().map(OsString::into_string);
    let mut words = Vec::new();
    while let Some(word) = typed.next() {
        let word = word.ok()?;
        if word == "--start" {
            typed.next();
        } else if !word.starts_with("--start=") {
            words.push(word);
        }
    }
    let command = words.iter().map(String::as_str).chain(["--start", start]);
    let line = shlex::try_join(command).ok()?;
    // What a terminal cannot be shown cannot be pasted.
    matches!(printable(&line), Cow::Borrowed(_)).then_some(line)
}
