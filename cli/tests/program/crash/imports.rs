//! Imports that are killed and run again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::Random;
use crate::operator::sorted_lines;
use crate::process::{Served, feedback, run, succeeded};

/// How an import reaches the data folder, and what is killed.
#[derive(Clone, Copy)]
pub(super) enum Route {
    /// It opens the folder, and is killed itself.
    Folder,
    /// It writes through a `serve`, which is killed.
    Serve,
}

/// A file of records, and a data folder into which it is imported.
pub(super) struct Imports {
    folder: tempfile::TempDir,
    random: Random,
    records: usize,
    route: Route,
    /// How long an import takes that is not killed.
    duration: Duration,
    /// The responses and users that a whole import stores.
    expected: [BTreeSet<String>; 2],
    /// What was stored after the latest kill.
    stored: [BTreeSet<String>; 2],
}

impl Imports {
    /// Writes the file, and imports it without a kill into a folder of its own.
    pub(super) fn new(route: Route, random: Random, records: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("records.ndjson"), lines(records)).unwrap();
        let mut imports = Self {
            folder,
            random,
            records,
            route,
            duration: Duration::ZERO,
            expected: Default::default(),
            stored: Default::default(),
        };
        imports.duration = match route {
            Route::Folder => timed(imports.import_into("whole")),
            Route::Serve => {
                let served = Served::with_data(&imports.path("whole"));
                timed(imports.import_through(&served))
            }
        };
        imports.expected = imports.export("whole");
        assert_eq!(imports.expected[0].len(), records);
        imports
    }

    /// Imports into the data folder, kills at a random moment, and checks what the folder holds.
    pub(super) fn kill(&mut self) {
        let moment = self.random.duration_up_to(self.duration);
        match self.route {
            Route::Folder => {
                let import = self.import_into("data").spawn().unwrap();
                std::thread::sleep(moment);
                kill(import);
            }
            Route::Serve => {
                let mut served = Served::with_data(&self.path("data"));
                let import = self.import_through(&served).spawn().unwrap();
                std::thread::sleep(moment);
                served.signal("KILL");
                served.wait();
                kill(import);
            }
        }
        self.check();
    }

    /// Imports the rest, and checks that it is the rest.
    pub(super) fn complete(&mut self) {
        let unchanged = self.stored[0].len();
        let written = self.records - unchanged;
        let summary = succeeded(&self.import_into("data").output().unwrap());
        assert_eq!(
            summary,
            format!("responses: {written} written, {unchanged} unchanged, 0 rejected\n")
        );
        assert!(self.export("data") == self.expected);
    }

    /// Checks that nothing is stored that a whole import does not store, and that nothing was lost.
    fn check(&mut self) {
        if !self.path("data/tables.sqlite").exists() {
            return;
        }
        let stored = self.export("data");
        assert!(stored[0].is_subset(&self.expected[0]));
        assert!(stored[0].is_superset(&self.stored[0]), "records were lost");
        // A user may still change.
        let ids = |users: &BTreeSet<String>| users.iter().map(|line| user_id(line)).collect();
        let [before, now, expected]: [BTreeSet<_>; 3] =
            [&self.stored[1], &stored[1], &self.expected[1]].map(ids);
        assert!(now.is_superset(&before), "users were lost");
        assert!(now.is_subset(&expected));
        self.stored = stored;
    }

    fn export(&self, folder: &str) -> [BTreeSet<String>; 2] {
        let folder = self.path(folder);
        ["responses", "users"].map(|kind| {
            let export = ["export", kind, "--project", "acme", "--data"];
            let exported = run(&[&export[..], &[folder.to_str().unwrap()]].concat());
            let lines = sorted_lines(&succeeded(&exported));
            let count = lines.len();
            let lines = BTreeSet::from_iter(lines);
            assert_eq!(lines.len(), count, "no record is there twice");
            lines
        })
    }

    fn import_into(&self, folder: &str) -> Command {
        let mut command = self.import();
        command.arg("--data").arg(self.path(folder));
        command
    }

    fn import_through(&self, served: &Served) -> Command {
        let mut command = self.import();
        let endpoint = format!("http://{}", served.dynamodb());
        command.env("AWS_ENDPOINT_URL_DYNAMODB", endpoint).envs([
            ("AWS_REGION", "local"),
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
        ]);
        command
    }

    fn import(&self) -> Command {
        let file = self.path("records.ndjson");
        let arguments = ["import", "responses", file.to_str().unwrap()];
        feedback(&[&arguments[..], &["--project", "acme"]].concat())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Returns records of users who each have several.
fn lines(records: usize) -> String {
    let mut lines = String::new();
    for n in 0..records {
        writeln!(
            lines,
            r#"{{"id":"r{n}","created":"2020-01-01T{:02}:{:02}:{:02}Z","rating":{},"user":{{"userId":"u{}","traits":{{"n":{n}}}}}}}"#,
            n / 3600, n / 60 % 60, n % 60, n % 11, n * 7919 % (records / 3)
        )
        .unwrap();
    }
    lines
}

fn user_id(line: &str) -> String {
    let user: serde_json::Value = serde_json::from_str(line).unwrap();
    user["userId"].as_str().unwrap().to_owned()
}

/// Runs the command, for as long as it takes; returns how long it took.
fn timed(mut command: Command) -> Duration {
    let started = Instant::now();
    succeeded(&command.output().unwrap());
    started.elapsed()
}

fn kill(mut process: Child) {
    process.kill().unwrap();
    process.wait().unwrap();
}
