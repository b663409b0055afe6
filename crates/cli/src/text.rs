//! Text from outside (stored records, credentials, services), made harmless for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _};

use anyhow::{Context as _, ensure};
use indicatif::HumanCount;
use intake::argument;
use model::is_control;
use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};

/// Replaces what could control a terminal or break a line: control characters, line separators, and
/// characters that change the direction of the text.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.contains(is_control) {
        let harmless = |c| if is_control(c) { '\u{FFFD}' } else { c };
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

/// Returns this program as it was called, for commands that are printed to be pasted into the same shell.
pub fn program() -> String {
    let called = std::env::args_os().next();
    argument(&called.unwrap_or("feedback".into()).to_string_lossy())
}

/// Writes what a command was asked for to standard output. A reader may close the pipe early.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut output = std::io::stdout();
    let written = output.write_all(text.as_bytes());
    match written.and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write the output"),
    }
}

/// Fails if this process was started without a standard output. Where there is none, the standard library opens the null
/// device, and does so for reading and writing; a shell opens it for writing alone.
pub(crate) fn require_standard_output() -> anyhow::Result<()> {
    let stdout = std::io::stdout();
    let null = stat("/dev/null").map(|null| null.st_rdev);
    let is_null = fstat(&stdout).is_ok_and(|found| null == Ok(found.st_rdev));
    ensure!(
        !is_null || fcntl_getfl(&stdout).is_ok_and(|flags| flags & OFlags::RWMODE != OFlags::RDWR),
        "standard output is closed (or the null device, opened for reading and writing)"
    );
    Ok(())
}

/// Returns JSON as it is written to standard output: on a terminal [`escaped`], and elsewhere as it is.
pub(crate) fn json_for_output(json: String) -> String {
    if std::io::stdout().is_terminal() {
        escaped(&json)
    } else {
        json
    }
}

/// Returns CSV as it is written to standard output: on a terminal harmless, and elsewhere as it is.
pub(crate) fn csv_for_output(csv: String) -> String {
    if std::io::stdout().is_terminal() {
        let lines: Vec<_> = csv.split("\r\n").map(printable).collect();
        lines.join("\r\n")
    } else {
        csv
    }
}

/// Escapes what [`printable`] replaces, which does not change what the JSON means.
pub(crate) fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_control(c) && c != '\n' {
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{escaped, printable};

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
        assert_eq!(escaped(json), "{\"name\":\"\\u009b2J\\u202eZoë 👩\"}\n");
    }
}
