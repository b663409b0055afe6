//! What an operator has: a served store, a project with its credentials, and a folder of files.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::http::put_credentials;
use crate::process::{Served, feedback, output, output_of, succeeded};

/// The project `acme` in a served store.
pub(crate) struct Operator {
    served: Served,
    folder: tempfile::TempDir,
}

/// The secret of the project's Read Key.
pub(crate) const READ_KEY: &str = "read-key-of-acme-0000";
/// The password of the account.
pub(crate) const PASSWORD: &str = "password-of-reports-0000";

impl Operator {
    /// Serves a new store, and writes a Read Key and the account `reports` of the project.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let served = Served::with_data(&folder.path().join("data"));
        put_credentials(served.dynamodb(), "acme", READ_KEY, ["reports", PASSWORD]);
        Self { served, folder }
    }

    pub(crate) fn served(&self) -> &Served {
        &self.served
    }

    /// Returns the URL of the store.
    pub(crate) fn dynamodb(&self) -> String {
        format!("http://{}", self.served.dynamodb())
    }

    /// Returns the URL of the API.
    pub(crate) fn api(&self) -> String {
        format!("http://{}", self.served.api)
    }

    /// Writes a file of the folder.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// Returns the path of a file of the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Builds a command that acts on the served store, in the folder.
    pub(crate) fn command(&self, line: &str) -> Command {
        let arguments: Vec<_> = line.split(' ').collect();
        let mut command = feedback(&arguments);
        command
            .current_dir(self.folder.path())
            .env("AWS_ENDPOINT_URL_DYNAMODB", self.dynamodb())
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "local")
            .env("AWS_SECRET_ACCESS_KEY", "local")
            .env("FEEDBACK_READ_KEY", READ_KEY)
            .env("FEEDBACK_USERNAME", "reports")
            .env("FEEDBACK_PASSWORD", PASSWORD);
        command
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        output(&mut self.command(line))
    }

    /// Runs a command with this standard input.
    pub(crate) fn run_with_input(&self, line: &str, input: impl AsRef<[u8]>) -> Output {
        run_with_input(&mut self.command(line), input)
    }

    /// Runs a command that requests the API.
    pub(crate) fn request(&self, line: &str) -> Output {
        self.run(&format!("{line} --url {}", self.api()))
    }

    /// Requests the statistics of all time, of the records that match the filters.
    #[track_caller]
    pub(crate) fn figures(&self, filters: &str) -> Value {
        let line = format!("stats --project acme --start 0001-01-01 --json{filters}");
        let document = succeeded(&self.request(&line));
        let mut document: Value = serde_json::from_str(&document).unwrap();
        document["data"][0]["attributes"].take()
    }

    /// Requests the users.
    #[track_caller]
    pub(crate) fn users(&self) -> Vec<Value> {
        let document = succeeded(&self.request("users --project acme --json"));
        let mut document: Value = serde_json::from_str(&document).unwrap();
        serde_json::from_value(document["users"].take()).unwrap()
    }

    /// Exports the records of the project, sorted.
    #[track_caller]
    pub(crate) fn export(&self, kind: &str) -> Vec<String> {
        sorted_lines(&succeeded(
            &self.run(&format!("export {kind} --project acme")),
        ))
    }
}

/// Runs a command with this standard input.
pub(crate) fn run_with_input(command: &mut Command, input: impl AsRef<[u8]>) -> Output {
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, input.as_ref()).unwrap();
    drop(stdin);
    output_of(process)
}

/// Returns the lines in order: exports have none.
pub(crate) fn sorted_lines(lines: &str) -> Vec<String> {
    let mut lines: Vec<_> = lines.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}
