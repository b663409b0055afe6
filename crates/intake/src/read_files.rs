//! Reads files one after the other: opens each, recognizes its format, and takes its records.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::format::FileFormat;
use crate::input::{Input, is_stdin};
use crate::json;
use crate::records::Records;
use crate::report::Report;
use crate::table;

/// Reads the records of all files, of which `watch` sees how they are read; `-` is standard input. Ends at
/// the first file that cannot be read to its end; the records before that are received. Returns what was
/// read, and whether that is all of the files.
///
/// The error names the file and what is wrong with it, or is that of the receiver.
pub fn read_all(
    files: &[PathBuf],
    watch: impl Fn(File) -> Box<dyn Read>,
    mut records: Records,
) -> (Report, anyhow::Result<()>) {
    let read = files
        .iter()
        .try_for_each(|path| read_file(path, &watch, &mut records));
    let (report, ended) = records.finish(read.is_ok());
    (report, read.and(ended))
}

fn read_file(
    path: &Path,
    watch: impl Fn(File) -> Box<dyn Read>,
    records: &mut Records,
) -> anyhow::Result<()> {
    let name = path.display().to_string();
    let mut input = Input::open(path, watch).with_context(|| cannot_open(path))?;
    records.begin_file(&name);
    let divided = read_records(&mut input, records);
    let ended = records.end_file(divided.is_ok());
    // What cannot be read explains why the rest is not valid.
    let read = input.into_result().context("cannot read it to its end");
    read.and(divided).and(ended).context(name)
}

/// Reads all records of the input. Fails if reading ends before the end of the input.
fn read_records(input: &mut Input, records: &mut Records) -> anyhow::Result<()> {
    let rules = records.rules();
    match FileFormat::of(input, &rules)? {
        FileFormat::Lines => json::read_lines(input, records),
        FileFormat::Array => json::read_array(input, records),
        FileFormat::Documents(documents) => json::read_documents(&documents, input, records),
        FileFormat::Csv => table::read(input, &rules, records),
    }
}

/// Checks that all files can be opened, and are no directories, so that a mistyped name is found before
/// anything is imported. Anything but a file, such as a pipe, may be opened only once.
///
/// # Errors
///
/// Names the file.
pub fn check(files: &[PathBuf]) -> anyhow::Result<()> {
    for path in files.iter().filter(|path| !is_stdin(path)) {
        let found = path.metadata().with_context(|| cannot_open(path))?;
        ensure!(!found.is_dir(), "{}: it is a directory", cannot_open(path));
        if found.is_file() {
            File::open(path).with_context(|| cannot_open(path))?;
        }
    }
    Ok(())
}

fn cannot_open(path: &Path) -> String {
    format!("cannot open {}", path.display())
}
