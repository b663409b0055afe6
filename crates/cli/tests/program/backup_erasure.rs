//! A backup and an erasure of the same folder at the same time.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::outcome::{stderr, succeeded};
use crate::place::{Place, contains};
use crate::process::{output_of, send_signal};

/// Returns whether a process has opened this file.
fn has_opened(process: u32, file: &Path) -> bool {
    let opened = fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let mut opened = opened.flatten().map(|entry| fs::read_link(entry.path()));
    let file = file.canonicalize().unwrap();
    opened.any(|opened| opened.is_ok_and(|opened| opened == file))
}

#[test]
fn a_backup_that_meets_an_erasure_has_the_folder_after_it() {
    let place = Place::new();
    place.import(["person-erased", "person-kept"].map(str::to_owned));
    succeeded(&place.run("backup --data data before.sqlite"));
    place.restore("before.sqlite", "erased");
    succeeded(&place.run("erase --project demo --user-id person-erased --yes --data erased"));

    // The backup has opened the database, and waits for a connection that excludes it.
    let database = place.data().join("tables.sqlite");
    let excluding = rusqlite::Connection::open(&database).unwrap();
    let exclude = "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE";
    excluding.execute_batch(exclude).unwrap();
    let backup = place.command("backup --data data backup.sqlite").spawn();
    let backup = backup.unwrap();
    let started = Instant::now();
    while !has_opened(backup.id(), &database) {
        assert!(started.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(5));
    }
    send_signal(backup.id(), "STOP");
    drop(excluding);
    // As an erasure does at its end. Then the next program writes.
    fs::rename(place.path("erased/tables.sqlite"), &database).unwrap();
    let writer = rusqlite::Connection::open(&database).unwrap();
    let write = "CREATE TABLE scratch (x); PRAGMA wal_checkpoint";
    writer.execute_batch(write).unwrap();
    let log = || fs::metadata(place.data().join("tables.sqlite-wal")).map(|log| log.ino());
    let before = log().unwrap();
    send_signal(backup.id(), "CONT");
    let output = output_of(backup);
    succeeded(&output);
    assert!(stderr(&output).contains(" 1 user "), "{output:?}");
    let erased = r#""person-erased""#;
    assert!(contains(&place.path("before.sqlite"), erased));
    assert!(!contains(&place.path("backup.sqlite"), erased));
    place.restore("backup.sqlite", "restored");
    assert_eq!(place.export("users", "restored").len(), 1);
    assert_eq!(log().unwrap(), before, "it is the log of the new database");
}
