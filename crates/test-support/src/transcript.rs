//! Transcripts: commands and what they print, in a file that a person reviews as a screen.
//!
//! A line that begins with `$ ` is a command, and lines below it that begin with `>` are its input. What it
//! prints follows, up to the next command or comment, a line that begins with `# `. `SNAPSHOTS=overwrite`
//! writes into the files what the commands print now.

use std::path::Path;

use snapbox::{Assert, Data, Redactions};

/// Runs the commands of a file, each with its lines of input, and compares what they print with the file.
///
/// # Panics
///
/// With the lines that differ.
pub fn play(file: &Path, redactions: Redactions, mut run: impl FnMut(&str, &[&str]) -> String) {
    let expected = std::fs::read_to_string(file).unwrap();
    let mut played = String::new();
    let mut lines = expected.lines().peekable();
    let mut below_comment = false;
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("$ ");
        if (command.is_some() || line.starts_with("# ")) && !below_comment && !played.is_empty() {
            played.push('\n');
        }
        below_comment = line.starts_with("# ");
        if below_comment {
            played += &format!("{line}\n");
        }
        let Some(command) = command else { continue };
        played += &format!("{line}\n");
        let mut input = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with('>')) {
            played += &format!("{line}\n");
            let line = &line[1..];
            input.push(line.strip_prefix(' ').unwrap_or(line));
        }
        played += &run(command, &input);
    }
    // A backslash is no separator of a path.
    let assert = Assert::new().normalize_paths(false).redact_with(redactions);
    let assert = assert.action_env("SNAPSHOTS");
    assert.eq(played, Data::read_from(file, None));
}
