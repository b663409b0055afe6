//! The transcripts of imports: what becomes of each record of a file, on a line of its own.
//!
//! A command is the kind of the records and the options. Its input is a file, which is called `file`, or several,
//! each below its name, as in `>> name`. Bytes that are no printed text are hexadecimal, as in `‹0d 0a›`, and
//! a file whose last line does not end has `‹›` there. Derived ids are numbered.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use snapbox::Redactions;
use test_support::transcript;

use crate::import::{Imported, derived_ids, import_files, try_import};

macro_rules! transcripts {
    ($($name:ident)*) => {
        $(#[test] fn $name() {
            let file = folder().join(concat!(stringify!($name), ".txt"));
            transcript::play(&file, Redactions::new(), imported);
        })*

        #[test]
        fn every_transcript_is_played() {
            let played = [$(concat!(stringify!($name), ".txt")),*].map(str::to_owned);
            let files = std::fs::read_dir(folder()).unwrap();
            let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
            assert_eq!(names.collect::<BTreeSet<_>>(), BTreeSet::from(played));
        }
    };
}

transcripts! { answers breaks cells dates heads identity kept kinds lists members paths rows surveys }

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reading/transcripts")
}

/// Imports the files, and says what became of them.
fn imported(options: &str, input: &[&str]) -> String {
    let mut files = vec![("file", Vec::new())];
    for line in input {
        match line.strip_prefix("> ") {
            Some(name) => files.push((name, Vec::new())),
            None => files.last_mut().unwrap().1.extend(decoded(line)),
        }
    }
    files.retain(|(name, text)| *name != "file" || !text.is_empty() || input.is_empty());
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, &**text)).collect();
    match try_import(options, &files) {
        Ok(imported) => {
            check_what_one_pastes(options, &files, &imported);
            shown(&imported, options.contains(" --dry-run"))
        }
        Err(refusal) => format!("refused: {refusal}\n"),
    }
}

/// Checks that options which are said or proposed can be pasted, and leave nothing open: those that are said give the
/// records that were read.
#[track_caller]
fn check_what_one_pastes(options: &str, files: &[(&str, &[u8])], imported: &Imported) {
    let [file] = files else { return };
    let without_others = options
        .replace(" --want plan", "")
        .replace(" --dry-run", "");
    let without_guess = without_others.replace(" --guess", "");
    let paste = |options: &str, pasted: &str| {
        let pasted = format!("{options}{}", unquoted(pasted));
        import_files(&pasted, std::slice::from_ref(file))
    };
    // What only the user knows stands for itself in a proposal.
    let is_known = |it: &&String| !it.contains('…') && !it.contains("--created DATE");
    for proposal in imported.proposals.iter().filter(is_known) {
        let pasted = paste(&without_others, proposal);
        assert_eq!(pasted.proposals, [""; 0], "{options}: {proposal}");
    }
    let mut told = imported.told.iter();
    let read = told.find_map(|line| line.strip_prefix("read: --"));
    let is_dated = !imported.told.iter().any(|it| it.contains("no dates"));
    if let Some(read) = read.filter(|_| is_dated) {
        let said = format!("--{read}");
        let pasted = paste(&without_guess, &said);
        let records = |it: &Imported| (it.responses.clone(), it.users.clone(), it.rejects.clone());
        assert_eq!(records(&pasted), records(imported), "{options}: {said}");
        let again: Vec<_> = pasted
            .told
            .iter()
            .filter(|it| it.starts_with("read: --"))
            .collect();
        assert_eq!(again, [""; 0], "{options}: {said}");
    }
}

/// Returns options as this file writes them, in front of whose values there is a blank and around which there are no
/// quotes.
fn unquoted(options: &str) -> String {
    let mut unquoted = " ".to_owned();
    for (n, part) in options.split('\'').enumerate() {
        let is_quoted = n % 2 == 1;
        if is_quoted {
            unquoted += part;
        } else {
            unquoted += &part.replace("--null=", "--null ");
        }
    }
    unquoted
}

fn shown(imported: &Imported, is_dry_run: bool) -> String {
    let rejected = encoded(&imported.rejected);
    let mut text = String::new();
    for (name, lines) in [
        ("", &imported.told),
        ("rejected ", &imported.rejects),
        ("kept ", &rejected.lines().map(str::to_owned).collect()),
        ("response ", &imported.responses),
        ("user ", &imported.users),
    ] {
        for line in lines {
            writeln!(text, "{name}{line}").unwrap();
        }
    }
    let (report, summary) = (&imported.report, &imported.report);
    if report.skipped > 0 {
        writeln!(text, "{} skipped", report.skipped).unwrap();
    }
    if is_dry_run {
        let [records, repeated, recreated] = [summary.records, summary.repeated, summary.recreated];
        writeln!(
            text,
            "{records} counted, {repeated} repeated, {recreated} recreated"
        )
        .unwrap();
    }
    match &imported.error {
        Some(error) => writeln!(text, "error: {error}").unwrap(),
        None if report.is_complete => {}
        None => text += "incomplete\n",
    }
    for (n, id) in derived_ids(&text).iter().enumerate() {
        text = text.replace(id, &format!("ID{}", n + 1));
    }
    text
}

/// Returns the bytes of a line of a file.
fn decoded(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (n, part) in line.split(['‹', '›']).enumerate() {
        if n % 2 == 0 {
            bytes.extend(part.as_bytes());
        } else {
            let digits = part.split_whitespace();
            bytes.extend(digits.map(|byte| u8::from_str_radix(byte, 16).unwrap()));
        }
    }
    if !line.ends_with("‹›") {
        bytes.push(b'\n');
    }
    bytes
}

fn encoded(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\n' || !c.is_control() {
                text.push(c);
            } else {
                write!(text, "‹{:02x}›", u32::from(c)).unwrap();
            }
        }
        for byte in chunk.invalid() {
            write!(text, "‹{byte:02x}›").unwrap();
        }
    }
    text
}
