//! Data folders in which nothing can be written.

use std::ffi::OsString;
use std::path::Path;

use super::{Wrong, is_one_line};
use crate::process::{SERVE, output, restricted};

/// The commands that write to a data folder.
const COMMANDS: [&str; 5] = [
    "import responses FILE --project acme",
    "erase --project acme --user-id u1 --yes",
    "erase --project acme --all --yes",
    "credentials create --project acme --may statistics",
    SERVE,
];

/// Runs every command that writes to this folder, which these restrictions of the shell or its file system
/// make read-only. Each has to fail with one line, and to change nothing.
pub(super) fn refuse(folder: &Path, restrictions: &str) -> Wrong {
    let mut wrong = Wrong::default();
    let records = tempfile::NamedTempFile::new().unwrap();
    let record = r#"{"id":"new","created":"2020-01-01","rating":9}"#;
    std::fs::write(&records, record).unwrap();
    let before = files(folder);
    for command in COMMANDS {
        let command = command.replace("FILE", records.path().to_str().unwrap());
        let command = format!("{command} --data {}", folder.display());
        let output = output(&mut restricted(restrictions, &command));
        wrong.unclear += usize::from(!is_one_line(&output));
    }
    let after = files(folder);
    wrong.corrupt += before.iter().filter(|file| !after.contains(file)).count();
    wrong.invented += after.len().saturating_sub(before.len());
    wrong
}

/// Returns the files of a folder with their content.
fn files(folder: &Path) -> Vec<(OsString, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap()))
        .collect()
}
