//! What a command has printed, and whether it succeeded.

use std::process::Output;

/// Checks that the command succeeded; returns its standard output.
#[track_caller]
pub(crate) fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Checks that an import succeeded; returns the line that counts its records.
#[track_caller]
pub(crate) fn imported(output: &Output) -> String {
    succeeded(output);
    counts(output)
}

/// Returns the line of an import that counts its records: the first of standard output.
pub(crate) fn counts(output: &Output) -> String {
    let text = str::from_utf8(&output.stdout).unwrap();
    text.split_inclusive('\n')
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Checks the exit code; returns standard error without the place.
#[track_caller]
pub(crate) fn failed(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    stderr(output)
}

/// Returns standard error, without the line by which a command that writes says where.
pub(crate) fn stderr(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    match text.split_once('\n') {
        Some((place, rest)) if place.starts_with("writing to ") => rest.to_owned(),
        _ => text,
    }
}

/// Checks for exit code 1, an empty standard output, and one line on standard error, which it
/// returns.
#[track_caller]
pub(crate) fn only_line(output: &Output) -> String {
    assert!(output.stdout.is_empty(), "{output:?}");
    error_line(output)
}

/// Checks for exit code 1 and one line on standard error, which it returns.
#[track_caller]
pub(crate) fn error_line(output: &Output) -> String {
    let line = failed(output, 1);
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.starts_with("feedback: "), "{line}");
    line
}

/// Returns standard output and standard error.
pub(crate) fn printed(output: &Output) -> String {
    let [stdout, stderr] = [&output.stdout, &output.stderr];
    String::from_utf8([stdout.as_slice(), stderr].concat()).unwrap()
}
