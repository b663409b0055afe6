//! What an operator has: a served store, a project with its credentials, and a folder of files.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::process::{Served, feedback};

pub(crate) struct Operator {
    served: Served,
    folder: tempfile::TempDir,
    read_key: String,
    password: String,
}

#[track_caller]
pub(crate) fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
pub(crate) fn failed(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

impl Operator {
    /// Of the project `acme`, over an empty store.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let served = Served::start(&["--data", data.to_str().unwrap()]);
        let mut operator = Self {
            served,
            folder,
            read_key: String::new(),
            password: String::new(),
        };
        let read_key = operator.run("credentials create-read-key --project acme");
        succeeded(&read_key)
            .trim()
            .clone_into(&mut operator.read_key);
        let password = operator.run("credentials create-account --username reports --project acme");
        succeeded(&password)
            .trim()
            .clone_into(&mut operator.password);
        operator
    }

    pub(crate) fn dynamodb(&self) -> String {
        format!("http://{}", self.served.dynamodb())
    }

    pub(crate) fn api(&self) -> String {
        format!("http://{}", self.served.api)
    }

    /// A file of the folder.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command, which acts on the served store, in the folder.
    pub(crate) fn command(&self, line: &str) -> Command {
        let arguments: Vec<_> = line.split(' ').collect();
        let mut command = feedback(&arguments);
        command
            .current_dir(self.folder.path())
            .env("AWS_ENDPOINT_URL_DYNAMODB", self.dynamodb())
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "local")
            .env("AWS_SECRET_ACCESS_KEY", "local")
            .env("FEEDBACK_READ_KEY", &self.read_key)
            .env("FEEDBACK_USERNAME", "reports")
            .env("FEEDBACK_PASSWORD", &self.password);
        command
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// As `run`, with this standard input.
    pub(crate) fn run_with_input(&self, line: &str, input: &[u8]) -> Output {
        let mut process = self.command(line).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = process.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, input).unwrap();
        drop(stdin);
        process.wait_with_output().unwrap()
    }

    /// A command that asks the API.
    pub(crate) fn ask(&self, line: &str) -> Output {
        self.run(&format!("{line} --url {}", self.api()))
    }

    /// The figures of all time, where the filters hold.
    #[track_caller]
    pub(crate) fn figures(&self, filters: &str) -> Value {
        let answer = self.ask(&format!(
            "stats --project acme --start 0001-01-01 --json{filters}"
        ));
        let answer: Value = serde_json::from_str(&succeeded(&answer)).unwrap();
        answer["data"][0]["attributes"].clone()
    }

    #[track_caller]
    pub(crate) fn users(&self) -> Vec<Value> {
        let answer = self.ask("users --project acme --json");
        let mut answer: Value = serde_json::from_str(&succeeded(&answer)).unwrap();
        serde_json::from_value(answer["users"].take()).unwrap()
    }

    /// What the project holds, sorted.
    #[track_caller]
    pub(crate) fn export(&self, kind: &str) -> Vec<String> {
        let exported = succeeded(&self.run(&format!("export {kind} --project acme")));
        let mut lines: Vec<_> = exported.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }

    pub(crate) fn secrets(&self) -> [&str; 2] {
        [&self.read_key, &self.password]
    }
}
