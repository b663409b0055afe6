//! Imports of arbitrary files. They are checked and not written.

use std::path::{Path, PathBuf};

use clap::Parser;
use feedback::commands::import::{Command, Import as Checked};

use crate::store::block_on;

#[derive(Parser)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

/// What an import did.
#[derive(Debug, PartialEq, Eq)]
pub struct Import {
    /// The number of accepted records.
    pub accepted: u64,
    /// The number of rejected records.
    pub rejected: u64,
    /// What was written to each file of rejected records.
    pub rejects: Vec<Vec<u8>>,
}

/// Imports a file of this content with these arguments (`users`, `responses --string-traits`, …).
/// Returns `None` if the file cannot be read to its end.
pub fn import(arguments: &[&str], content: &[u8]) -> Option<Import> {
    let folder = std::env::temp_dir();
    let file = |name| folder.join(format!("{}-{name}", std::process::id()));
    let (input, rejects) = (file("input"), file("rejects"));
    std::fs::write(&input, content).expect("the temporary folder can be written to");
    let files = [&*input, Path::new("--rejects"), &*rejects].map(|path| path.to_str());
    let files = files.map(|path| path.expect("the path of the temporary folder is UTF-8"));
    let words = ["import"].into_iter().chain(arguments.iter().copied());
    let words = words.chain(["--project", "p", "--dry-run"]).chain(files);
    let command = CommandLine::parse_from(words).command;
    let import = Checked::new(command).expect("the options are valid");
    let summary = block_on(import.run()).expect("nothing is written");
    let rejects = take_files(&rejects);
    summary.read.is_ok().then_some(Import {
        accepted: summary.accepted,
        rejected: summary.rejected,
        rejects,
    })
}

/// Reads and removes a file and those that are numbered after it.
fn take_files(first: &Path) -> Vec<Vec<u8>> {
    let numbered = |n| PathBuf::from(format!("{}-{n}", first.display()));
    let paths = std::iter::once(first.to_owned()).chain((2..).map(numbered));
    let files = paths.map_while(|path| {
        let content = std::fs::read(&path).ok()?;
        std::fs::remove_file(path).expect("the temporary folder can be written to");
        Some(content)
    });
    files.collect()
}
