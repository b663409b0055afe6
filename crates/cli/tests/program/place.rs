//! A folder in which commands run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::outcome::succeeded;
use crate::process::{SERVE, Served, feedback, output, restricted, run_with_input};

/// The commands that use a data folder.
pub(crate) const COMMANDS: [&str; 11] = [
    SERVE,
    "stats --project demo",
    "check",
    "backup backup.sqlite",
    "import responses records.ndjson --project demo",
    "export users --project demo",
    "erase --project demo --user-id user-000001 --yes",
    "erase --project demo --all --yes",
    "credentials list",
    "credentials create --project demo --may statistics",
    "tables create",
];

/// A place for a data folder and what commands read and write beside it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Reads a file.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect(name)
    }

    /// Builds a command in the place, in which the data folder is `data`.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = feedback(line);
        command.current_dir(self.folder.path());
        command
    }

    /// Builds the same command with restrictions of the shell.
    pub(crate) fn restricted(&self, restrictions: &str, line: &str) -> Command {
        let mut command = restricted(restrictions, line);
        command.current_dir(self.folder.path());
        command
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        output(&mut self.command(line))
    }

    /// Runs a command with this standard input.
    pub(crate) fn run_with_input(&self, line: &str, input: impl AsRef<[u8]>) -> Output {
        run_with_input(&mut self.command(line), input)
    }

    /// Serves the data folder.
    pub(crate) fn serve(&self) -> Served {
        Served::with_data(&self.data())
    }

    /// Imports one record of each of these users.
    pub(crate) fn import(&self, users: impl IntoIterator<Item = String>) {
        self.write_records("records.ndjson", users);
        let import = "import responses records.ndjson --project demo --data data";
        succeeded(&self.run(import));
    }

    pub(crate) fn write_records(&self, name: &str, users: impl IntoIterator<Item = String>) {
        let record = |user: String| {
            format!(
                r#"{{"id":"of {user}","created":"2020-01-01","rating":9,"user":{{"userId":"{user}"}}}}"#
            )
        };
        let records: Vec<_> = users.into_iter().map(record).collect();
        self.file(name, records.join("\n"));
    }

    /// Makes a new data folder of a backup.
    pub(crate) fn restore(&self, backup: &str, folder: &str) {
        fs::create_dir(self.path(folder)).unwrap();
        fs::copy(self.path(backup), self.path(folder).join("tables.sqlite")).unwrap();
    }

    /// Returns the lines of an export of a data folder.
    pub(crate) fn export(&self, kind: &str, folder: &str) -> Vec<String> {
        let export = format!("export {kind} --project demo --data {folder}");
        sorted_lines(&succeeded(&self.run(&export)))
    }

    /// Returns the names beside the data folder.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

/// Returns what commands whose temporary files are in this folder left there.
pub(crate) fn temporary_folders(parent: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(parent).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Returns the permissions of a file or a folder.
pub(crate) fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Returns whether a file contains this text; a socket contains none.
pub(crate) fn contains(file: &Path, text: &str) -> bool {
    if !file.is_file() {
        return false;
    }
    let content = fs::read(file).unwrap();
    let mut parts = content.windows(text.len());
    parts.any(|part| part == text.as_bytes())
}

pub(crate) fn users(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|n| format!("user-{n:06}"))
}

/// Returns the lines in order: exports have none.
pub(crate) fn sorted_lines(lines: &str) -> Vec<String> {
    let mut lines: Vec<_> = lines.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}
