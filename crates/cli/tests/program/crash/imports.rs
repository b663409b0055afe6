//! Imports that are killed, or whose disk is full, and run again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::disks::{IGNORE_FILE_LIMIT, SmallDisk};
use super::power_disk::PowerDisk;
use super::{Random, Wrong, is_one_line, is_whole};
use crate::outcome::{imported, succeeded};
use crate::process::{Served, output, output_of, restricted, run};
use crate::pty;

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
    data: PathBuf,
    random: Random,
    records: usize,
    route: Route,
    /// How long an import takes that is not killed.
    duration: Duration,
    /// The responses and users that a whole import stores.
    expected: [BTreeSet<String>; 2],
    /// What was stored after the latest interruption.
    stored: [BTreeSet<String>; 2],
    wrong: Wrong,
}

impl Imports {
    /// Writes the file, and imports it without an interruption into another folder than this.
    pub(super) fn new(data: &Path, route: Route, random: Random, records: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole");
        std::fs::write(folder.path().join("records.ndjson"), lines(records)).unwrap();
        let mut imports = Self {
            folder,
            data: data.to_owned(),
            random,
            records,
            route,
            duration: Duration::ZERO,
            expected: Default::default(),
            stored: Default::default(),
            wrong: Wrong::default(),
        };
        imports.duration = match route {
            Route::Folder => timed(imports.import_into(&whole, "exec")),
            Route::Serve => {
                let _served = Served::with_data(&whole);
                timed(imports.import_into(&whole, "exec"))
            }
        };
        imports.expected = export(&whole);
        assert_eq!(imports.expected[0].len(), records);
        imports
    }

    /// Imports into the data folder, kills at a random moment, and checks what the folder holds.
    pub(super) fn kill(&mut self) {
        let moment = self.random.duration_up_to(self.duration);
        match self.route {
            Route::Folder => {
                let import = self.import_into(&self.data, "exec").spawn().unwrap();
                std::thread::sleep(moment);
                kill(import);
            }
            Route::Serve => {
                let mut served = Served::with_data(&self.data);
                let import = self.import_into(&self.data, "exec").spawn().unwrap();
                std::thread::sleep(moment);
                served.signal("KILL");
                served.wait();
                kill(import);
            }
        }
        self.check();
    }

    /// Imports until the power is cut at a random moment, and checks what the folder holds: what the import
    /// said to have written is acknowledged. Returns how many records that were.
    pub(super) fn lose_power(&mut self, disk: &PowerDisk) -> u64 {
        let moment = self.random.duration_up_to(self.duration);
        let (ours, theirs) = pty::open(80);
        let mut command = self.import_into(&self.data, "exec");
        command.env("TERM", "xterm").stderr(theirs);
        let import = command.spawn().unwrap();
        // The end of the output is when nothing holds their side.
        drop(command);
        let shown = std::thread::scope(|scope| {
            let shown = scope.spawn(|| pty::read_while(ours, || disk.has_power()));
            disk.cut_power_after(moment);
            output_of(import);
            shown.join().unwrap()
        });
        disk.restore();
        self.check();
        let acknowledged = last_progress(&shown);
        self.wrong.lost += acknowledged.saturating_sub(self.stored[0].len());
        acknowledged as u64
    }

    /// Imports while no file may be larger than this; returns whether everything was imported nevertheless.
    pub(super) fn limit_files(&mut self, kilobytes: u64) -> bool {
        // In units of 512 bytes.
        let restrictions = format!("{IGNORE_FILE_LIMIT} && ulimit -f {} && exec", 2 * kilobytes);
        let is_whole = self.try_import(&restrictions);
        self.check();
        is_whole
    }

    /// Imports onto a disk with room for less than half of what is missing.
    pub(super) fn fill(&mut self, disk: &SmallDisk) {
        let whole = database_size(&self.folder.path().join("whole"));
        let missing = whole.saturating_sub(database_size(&self.data));
        disk.fill(self.random.below(missing / 2 + 1));
        assert!(!self.try_import("exec"), "the disk was never full");
        // What an import that had no room to create all tables has left can be exported only then.
        disk.empty();
        self.check();
    }

    fn try_import(&mut self, restrictions: &str) -> bool {
        let output = output(&mut self.import_into(&self.data, restrictions));
        let succeeded = output.status.success();
        self.wrong.unclear += usize::from(!succeeded && !is_one_line(&output));
        succeeded
    }

    /// Imports the rest, checks that it is the rest, and returns what was wrong from the start.
    pub(super) fn complete(mut self) -> Wrong {
        let unchanged = self.stored[0].len();
        let written = self.records - unchanged;
        let rest = output(&mut self.import_into(&self.data, "exec"));
        let counts = format!("responses: {written} written, {unchanged} unchanged, 0 rejected\n");
        assert_eq!(imported(&rest), counts);
        self.check();
        let users = &self.expected[1] - &self.stored[1];
        let records = &self.expected[0] - &self.stored[0];
        self.wrong.lost += users.len() + records.len();
        self.wrong
    }

    /// Looks for what is stored that a whole import does not store, and for what was lost.
    fn check(&mut self) {
        if !self.data.join("tables.sqlite").exists() {
            return;
        }
        if !is_whole(&self.data) {
            self.wrong.corrupt += 1;
            return;
        }
        let stored = export(&self.data);
        // A user may still change.
        let ids = |users: &BTreeSet<String>| users.iter().map(|line| user_id(line)).collect();
        let users: [BTreeSet<_>; 3] = [&self.stored[1], &stored[1], &self.expected[1]].map(ids);
        let records = [&self.stored[0], &stored[0], &self.expected[0]].map(Clone::clone);
        for [before, now, expected] in [records, users] {
            self.wrong.lost += (&before - &now).len();
            self.wrong.invented += (&now - &expected).len();
        }
        self.stored = stored;
    }

    fn import_into(&self, folder: &Path, restrictions: &str) -> Command {
        let file = self.folder.path().join("records.ndjson");
        let import = format!("import responses {} --project acme", file.display());
        let mut command = restricted(restrictions, &import);
        command.arg("--data").arg(folder);
        command
    }
}

/// Returns the responses and the users of a data folder.
fn export(folder: &Path) -> [BTreeSet<String>; 2] {
    ["responses", "users"].map(|kind| {
        let folder = folder.display();
        let exported = succeeded(&run(&format!(
            "export {kind} --project acme --data {folder}"
        )));
        let lines: BTreeSet<_> = exported.lines().map(str::to_owned).collect();
        let count = exported.lines().count();
        assert_eq!(lines.len(), count, "no record is there twice");
        lines
    })
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

/// Returns how many records the last report of progress counts.
fn last_progress(shown: &str) -> usize {
    let reports = shown.split(" records,").filter_map(|before| {
        let digits = before.rsplit(|char: char| !char.is_ascii_digit() && char != ',');
        digits.into_iter().next()?.replace(',', "").parse().ok()
    });
    reports.max().unwrap_or_default()
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

fn database_size(folder: &Path) -> u64 {
    std::fs::metadata(folder.join("tables.sqlite")).map_or(0, |file| file.len())
}

fn kill(mut process: Child) {
    process.kill().unwrap();
    process.wait().unwrap();
}
