//! What an operator has: a served store, a project with its credentials, and a folder of files.

use std::path::PathBuf;
use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::http::{put_credentials, send};
use crate::outcome::succeeded;
use crate::place::{Place, sorted_lines};
use crate::process::{Served, at_store, output, run_with_input};

/// The project `acme` in a served store.
pub(crate) struct Operator {
    served: Served,
    place: Place,
}

/// The secret of the project's Read Key.
pub(crate) const READ_KEY: &str = "read-key-of-acme-0000";
/// The secret of the credential `reports`.
pub(crate) const PASSWORD: &str = "password-of-reports-0000";

impl Operator {
    /// Serves a new store, and writes a Read Key and the credential `reports` for users of the project.
    pub(crate) fn new() -> Self {
        Self::serving(Place::new())
    }

    /// Does the same with these responses of the project.
    pub(crate) fn with_responses(records: impl AsRef<[u8]>) -> Self {
        let place = Place::new();
        let import = "import responses - --project acme --data data";
        succeeded(&place.run_with_input(import, records));
        Self::serving(place)
    }

    fn serving(place: Place) -> Self {
        let served = place.serve();
        put_credentials(served.dynamodb(), "acme", READ_KEY, ["reports", PASSWORD]);
        Self { served, place }
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
        self.place.file(name, content);
    }

    /// Returns the path of a file of the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path(name)
    }

    /// Builds a command that acts on the served store, in the folder.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = self.place.command(line);
        self.prepare(&mut command);
        command
    }

    /// Lets a command act on the served store, with the credentials of the project.
    pub(crate) fn prepare<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        at_store(command, &self.dynamodb())
            .env("FEEDBACK_READ_KEY", READ_KEY)
            .env("FEEDBACK_USERNAME", "reports")
            .env("FEEDBACK_PASSWORD", PASSWORD)
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        output(&mut self.command(line))
    }

    /// Runs a command that acts on the store at another URL. The SDK does not repeat what this store refuses, so
    /// the command does, after shorter pauses.
    pub(crate) fn run_through(&self, url: &str, line: &str) -> Output {
        let mut command = self.command(line);
        output(at_store(&mut command, url).env("AWS_MAX_ATTEMPTS", "1"))
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
        users_at(&self.served.api)
    }

    /// Exports the records of the project, sorted.
    #[track_caller]
    pub(crate) fn export(&self, kind: &str) -> Vec<String> {
        sorted_lines(&succeeded(
            &self.run(&format!("export {kind} --project acme")),
        ))
    }
}

/// Requests the users of the project from the API at this address.
#[track_caller]
pub(crate) fn users_at(api: &str) -> Vec<Value> {
    let account = STANDARD.encode(format!("reports:{PASSWORD}"));
    // A response of this version has no chunks.
    let request =
        format!("GET /api/users?project=acme HTTP/1.0\r\nAuthorization: Basic {account}\r\n\r\n");
    let response = send(api, &request).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").expect(&response);
    assert!(head.contains(" 200 OK\r\n"), "{response}");
    let mut document: Value = serde_json::from_str(body).expect(body);
    serde_json::from_value(document["users"].take()).unwrap()
}
