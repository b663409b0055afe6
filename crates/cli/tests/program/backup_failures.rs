//! Backups that cannot be made, or that are interrupted.

use std::fs;
use std::process::Child;

use crate::outcome::{error_line, only_line, succeeded};
use crate::place::{Place, users};
use crate::process::{output, output_of, send_signal, wait_for};

/// Starts a backup that waits, because a connection excludes all others from the database; returns when it
/// has created its file.
fn start_waiting(place: &Place) -> (Child, rusqlite::Connection) {
    let database = rusqlite::Connection::open(place.data().join("tables.sqlite")).unwrap();
    let exclude = "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE";
    database.execute_batch(exclude).unwrap();
    let before = place.names();
    let backup = place.command("backup --data data backup.sqlite").spawn();
    wait_for("file", || (place.names() != before).then_some(()));
    (backup.unwrap(), database)
}

#[test]
fn a_damaged_database_is_reported_and_not_backed_up() {
    let place = Place::new();
    place.import(users(300));
    let database = place.data().join("tables.sqlite");
    let mut content = fs::read(&database).unwrap();
    content[8192..].fill(0xAA);
    fs::write(&database, content).unwrap();
    let before = place.names();
    let line = only_line(&place.run("backup --data data backup.sqlite"));
    assert!(line.contains("malformed"), "{line}");
    assert_eq!(place.names(), before);
}

#[test]
fn a_backup_that_does_not_fit_leaves_no_file() {
    let place = Place::new();
    // More than SQLite keeps in memory before it writes.
    let padding = "x".repeat(300_000);
    let record = |n| {
        format!(
            r#"{{"id":"r{n}","created":"2020-01-01","rating":9,"user":{{"traits":{{"t":"{padding}"}}}}}}"#
        )
    };
    let records: Vec<_> = (0..20).map(record).collect();
    place.file("large.ndjson", records.join("\n"));
    let import = "import responses large.ndjson --project demo --data data";
    succeeded(&place.run(import));
    let before = place.names();
    // At most 1 MB may be written to a file: SQLite's shared memory fits, but not the copy.
    // In units of 512 bytes.
    let restrictions = "trap '' XFSZ && ulimit -f 2048 && exec";
    let mut backup = place.restricted(restrictions, "backup --data data backup.sqlite");
    let line = error_line(&output(&mut backup));
    assert!(line.contains("cannot copy "), "{line}");
    assert_eq!(place.names(), before);
}

#[test]
fn an_interrupted_backup_leaves_no_file() {
    let place = Place::new();
    place.import(users(1));
    let before = place.names();
    for signal in ["INT", "TERM"] {
        let (backup, _database) = start_waiting(&place);
        send_signal(backup.id(), signal);
        let line = error_line(&output_of(backup));
        assert!(line.contains("the backup was interrupted"), "{line}");
        assert_eq!(place.names(), before);
    }
}

#[test]
fn a_killed_backup_leaves_no_file_under_the_name_of_the_backup_and_the_next_one_waits_for_others() {
    let place = Place::new();
    place.import(users(1));
    let (killed, database) = start_waiting(&place);
    send_signal(killed.id(), "KILL");
    assert!(!output_of(killed).status.success());
    drop(database);
    let left = place.names();
    assert!(!left.contains("backup.sqlite"), "{left:?}");
    // A process that excludes others for a moment does not fail it.
    let (backup, database) = start_waiting(&place);
    drop(database);
    succeeded(&output_of(backup));
    place.restore("backup.sqlite", "restored");
    assert_eq!(place.export("users", "restored").len(), 1);
}
