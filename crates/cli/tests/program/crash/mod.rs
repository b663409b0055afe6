//! What was acknowledged survives `kill -9` at any moment, losses of power, and full disks. The tests do it a few
//! times, as their seeds select; `just crash` and `just power` do it for as long as they are told to.

mod disks;
mod erasures;
mod imports;
mod power;
mod power_disk;
mod soak;
mod writers;

use std::ops::AddAssign;
use std::path::Path;
use std::process::Output;

use crate::http::{DEMO_PASSWORD, get, put_demo_credentials, put_user};
use crate::outcome::stderr;
use crate::process::Served;
use disks::FileLimit;
pub(crate) use disks::SmallDisk;
use imports::{Imports, Route};
use soak::Soak;
use test_support::Random;
use writers::Store;

/// What was found that must not be.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wrong {
    /// Records that were acknowledged, and are gone or hold something older.
    lost: usize,
    /// Databases that are not whole.
    corrupt: usize,
    /// Records that nobody wrote, and files that hold what was erased.
    invented: usize,
    /// Errors of more than one line, or of none.
    unclear: usize,
}

impl AddAssign for Wrong {
    fn add_assign(&mut self, other: Self) {
        self.lost += other.lost;
        self.corrupt += other.corrupt;
        self.invented += other.invented;
        self.unclear += other.unclear;
    }
}

/// Returns whether the database of a data folder is one, and whole.
pub(crate) fn is_whole(folder: &Path) -> bool {
    let database = rusqlite::Connection::open(folder.join("tables.sqlite")).unwrap();
    let verdict = database.query_row("PRAGMA integrity_check", [], |row| row.get(0));
    verdict == Ok("ok".to_owned())
}

/// Returns whether a command failed with one line, after those of its progress on a slow machine.
fn is_one_line(output: &Output) -> bool {
    let is_error = |line: &str| line.starts_with("feedback: ");
    let lines = stderr(output);
    let is_line = lines.lines().filter(|line| is_error(line)).count() == 1;
    let is_last = lines.lines().next_back().is_some_and(is_error);
    let is_clear = is_line && is_last && output.status.code() == Some(1);
    if !is_clear {
        eprintln!("{output:?}");
    }
    is_clear
}

#[test]
fn what_a_serve_acknowledged_survives_that_it_is_killed() {
    let mut soak = Soak::default();
    soak.kill_serve(5, Random(1));
    assert!(soak.acknowledgements > 0);
    assert_eq!(soak.wrong, Wrong::default());
}

#[test]
fn an_import_continues_after_it_was_killed() {
    let mut soak = Soak::default();
    soak.kill_imports(3, Route::Folder, 3000, Random(2));
    assert_eq!(soak.wrong, Wrong::default());
}

#[test]
fn an_import_through_a_serve_continues_after_the_serve_was_killed() {
    let mut soak = Soak::default();
    soak.kill_imports(2, Route::Serve, 3000, Random(3));
    assert_eq!(soak.wrong, Wrong::default());
}

#[test]
fn a_serve_that_is_killed_during_erasures_has_erased_whom_it_said() {
    let mut soak = Soak::default();
    soak.kill_erasures(3, Random(9));
    assert_eq!(soak.wrong, Wrong::default());
}

#[test]
fn a_serve_refuses_what_it_cannot_store_and_continues_when_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::new(folder.path(), Random(4));
    for _ in 0..2 {
        store.fill(&FileLimit);
    }
    assert!(store.acknowledgements() > 0);
    assert_eq!(store.verdict(), Wrong::default());
}

#[test]
fn an_import_that_cannot_store_everything_fails_with_one_line_and_continues_when_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let mut imports = Imports::new(folder.path(), Route::Folder, Random(5), 3000);
    for kilobytes in [0, 16, 100, 300, 1000] {
        assert!(!imports.limit_files(kilobytes), "{kilobytes} KB are enough");
    }
    assert_eq!(imports.complete(), Wrong::default());
}

#[test]
fn a_serve_starts_on_a_full_disk_and_answers_reads_and_writes_when_it_can() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("no disk is full: nothing can be mounted here");
        return;
    };
    let folder = disk.path().join("data");
    let user = |served: &Served, id: &str| {
        let target = format!("/api/users?project=demo&userId={id}");
        get(&served.api, &target, DEMO_PASSWORD).contains(&format!(r#""userId":"{id}""#))
    };
    let served = Served::with_data(&folder);
    put_demo_credentials(&served);
    put_user(served.dynamodb(), "before");
    served.end();
    disk.fill(0);
    for signal in ["TERM", "KILL"] {
        let mut served = Served::with_data(&folder);
        assert!(user(&served, "before"), "{signal}");
        served.signal(signal);
        served.wait();
    }
    let served = Served::with_data(&folder);
    assert!(user(&served, "before"));
    disk.empty();
    put_user(served.dynamodb(), "after");
    assert!(user(&served, "after"));
    drop(served);
    assert!(is_whole(&folder));
}
