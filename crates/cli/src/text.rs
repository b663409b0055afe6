//! Text from outside (stored records, credentials, services), made harmless for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{Error, ErrorKind, IsTerminal as _, Result, Stdout, Write};

use anyhow::Context as _;
use indicatif::HumanCount;

/// Replaces what could control a terminal or break a line: control characters, line separators, and
/// characters that change the direction of the text.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.contains(is_harmful) {
        let harmless = |c| if is_harmful(c) { '\u{FFFD}' } else { c };
        text.chars().map(harmless).collect()
    } else {
        text.into()
    }
}

/// Returns how many there are of a noun, such as `1 record` or `2,000 records`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", HumanCount(count))
}

/// Returns an error and its causes as one line for people, without the system's numbers of errors.
pub fn words(error: &anyhow::Error) -> String {
    // The SDK lists what it tried on several lines.
    let causes = format!("{error:#}").replace('\n', " ");
    let mut words = String::new();
    let mut rest = causes.as_str();
    while let Some((before, after)) = rest.split_once(" (os error ") {
        words += before;
        rest = after.split_once(')').map_or("", |(_number, after)| after);
    }
    printable(&(words + rest)).into_owned()
}

/// The context of a failure to write to standard output.
pub(crate) const UNPRINTABLE: &str = "cannot write the output";

/// Writes what a command was asked for. A reader may close the pipe early.
pub(crate) fn print(mut output: impl Write, text: &str) -> anyhow::Result<()> {
    let written = output.write_all(text.as_bytes());
    let written = written.and_then(|()| output.flush());
    unless_closed(written.context(UNPRINTABLE))
}

/// Ignores the failure to write that means that the reader has closed the pipe early.
pub(crate) fn unless_closed(result: anyhow::Result<()>) -> anyhow::Result<()> {
    let is_closed = |error: &Error| error.kind() == ErrorKind::BrokenPipe;
    match result {
        Err(error) if error.downcast_ref().is_some_and(is_closed) => Ok(()),
        result => result,
    }
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A writer of JSON. On a terminal, it escapes what [`printable`] replaces, which does not change what
/// the JSON means; elsewhere, it changes nothing.
pub(crate) struct JsonWriter<W> {
    inner: W,
    on_terminal: bool,
    /// The beginning of a character.
    incomplete: Vec<u8>,
}

impl JsonWriter<Stdout> {
    pub(crate) fn stdout() -> Self {
        let stdout = std::io::stdout();
        Self {
            on_terminal: stdout.is_terminal(),
            inner: stdout,
            incomplete: Vec::new(),
        }
    }
}

impl<W: Write> Write for JsonWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if !self.on_terminal {
            return self.inner.write(bytes);
        }
        let bytes_and_before = [&std::mem::take(&mut self.incomplete), bytes].concat();
        for chunk in bytes_and_before.utf8_chunks() {
            self.inner.write_all(escaped(chunk.valid()).as_bytes())?;
            // An incomplete character waits for its remaining bytes, and is dropped if they never come.
            self.incomplete = chunk.invalid().to_vec();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush()
    }
}

fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_harmful(c) && c != '\n' {
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::{JsonWriter, printable};

    #[test]
    fn only_what_controls_a_terminal_is_replaced() {
        for c in [
            '\u{1b}', '\n', '\t', '\r', '\0', '\u{7f}', '\u{9b}', '\u{202E}', '\u{2066}',
            '\u{2028}',
        ] {
            assert_eq!(printable(&format!("a{c}b")), "a\u{FFFD}b", "{c:?}");
        }
        let ordinary = "Zoë \"O'Neil\" <z@x.org> 東京 👩‍👩‍👧 שלום";
        assert_eq!(printable(ordinary), ordinary);
    }

    #[test]
    fn json_means_the_same_on_a_terminal_and_cannot_control_it() {
        let json = "{\"name\":\"\u{9b}2J\u{202E}Zoë 👩\"}\n";
        for (on_terminal, expected) in [
            (false, json),
            (true, "{\"name\":\"\\u009b2J\\u202eZoë 👩\"}\n"),
        ] {
            let mut writer = JsonWriter {
                inner: Vec::new(),
                on_terminal,
                incomplete: Vec::new(),
            };
            for byte in json.bytes() {
                writer.write_all(&[byte]).unwrap();
            }
            assert_eq!(String::from_utf8(writer.inner).unwrap(), expected);
        }
    }
}
