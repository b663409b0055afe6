//! Reads files one after the other: opens each, plans how it is read, and takes its records.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::input::{Input, is_stdin};
use crate::paths::Paths;
use crate::plan::{Plan, Reading};
use crate::records::Records;
use crate::report::Report;
use crate::rules::ImportRules;

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
        .try_for_each(|path| read_file(path, &watch, &mut records, files.len() == 1));
    let (report, ended) = records.finish(read.is_ok());
    (report, read.and(ended))
}

fn read_file(
    path: &Path,
    watch: impl Fn(File) -> Box<dyn Read>,
    records: &mut Records,
    is_only: bool,
) -> anyhow::Result<()> {
    let name = path.display().to_string();
    let mut input = Input::open(path, watch, records.options()).with_context(|| name.clone())?;
    let divided = divide(&mut input, &name, records, is_only);
    // What cannot be read explains why the rest is not valid.
    let read = input.into_result().context("cannot read it to its end");
    read.and(divided).context(name)
}

/// Plans a file, and divides it into its records.
fn divide(
    input: &mut Input,
    name: &str,
    records: &mut Records,
    is_only: bool,
) -> anyhow::Result<()> {
    let mut file = records.begin_file(input, name, is_only)?;
    let plan = file.plan.clone();
    let divided = match &plan.reading {
        Reading::Json(format) => format.read(input, &mut file),
        Reading::Table(table) => table.read(&plan.meaning.rules, input, &mut file),
    };
    let ended = file.end(divided.is_ok());
    divided.and(ended)
}

/// Checks that all files can be opened, are no directories, and say how they are read, so that a mistake is found
/// before anything is imported. Anything but a file, such as a pipe, may be opened only once.
///
/// # Errors
///
/// Names the file. Fails with [`Undecided`](crate::Undecided) if the options leave open how it is read.
pub fn check(files: &[PathBuf], rules: &ImportRules) -> anyhow::Result<()> {
    let mut paths = Paths::new(rules);
    for path in files.iter().filter(|path| !is_stdin(path)) {
        let found = path.metadata().with_context(|| cannot_open(path))?;
        ensure!(!found.is_dir(), "{}: it is a directory", cannot_open(path));
        if found.is_file() {
            let opened = Input::open(path, |file| Box::new(file), rules);
            let planned = opened
                .and_then(|mut input| Plan::of(&mut input, rules, &mut paths, files.len() == 1));
            planned.with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

fn cannot_open(path: &Path) -> String {
    format!("cannot open {}", path.display())
}
