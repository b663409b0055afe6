//! Backups that cannot be made, or that are interrupted.

use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::outcome::{error_line, only_line, succeeded};
use crate::place::{Place, users};
use crate::process::{output, output_of, restricted, rows, send_signal};

/// Starts a backup that waits, because a connection excludes all others from the database; returns when it
/// has created its file.
fn start_waiting(place: &Place) -> (Child, rusqlite::Connection) {
    let database = rusqlite::Connection::open(place.data().join("tables.sqlite")).unwrap();
    let exclude = "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE";
    database.execute_batch(exclude).unwrap();
    let before = place.names();
    let backup = place.command("backup --data data backup.sqlite").spawn();
    let started = Instant::now();
    while place.names() == before {
        assert!(started.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(5));
    }
    (backup.unwrap(), database)
}

#[test]
fn a_backup_that_cannot_be_made_is_refused_in_one_line_and_leaves_no_file() {
    let place = Place::new();
    place.import(users(1));
    fs::create_dir(place.path("empty")).unwrap();
    fs::create_dir(place.path("other")).unwrap();
    fs::write(place.path("other/tables.sqlite"), "").unwrap();
    fs::write(place.path("existing"), "mine").unwrap();
    std::os::unix::fs::symlink("nowhere", place.path("link")).unwrap();
    let names = || (place.names(), fs::read_dir(place.data()).unwrap().count());
    let before = names();
    for (arguments, reason) in rows(
        "
        missing backup.sqlite => there are no tables in missing
        empty backup.sqlite => there are no tables in empty
        other backup.sqlite => cannot read its table responses
        data existing => cannot create existing: it exists
        data link => cannot create link: it exists
        data empty => cannot create empty: it exists
        data missing/backup.sqlite => cannot create missing/backup.sqlite: No such
        data data/backup.sqlite => it is inside the data folder
        data data/tables.sqlite => it is inside the data folder
        data data/tables.sqlite-journal => it is inside the data folder
        data empty/../data/new => it is inside the data folder
        data .. => cannot create ..: it exists
        ",
    ) {
        let line = only_line(&place.run(&format!("backup --data {arguments}")));
        assert!(line.contains(reason), "{arguments}: {line}");
        assert_eq!(names(), before, "{arguments}");
    }
    assert_eq!(fs::read(place.path("existing")).unwrap(), b"mine");
}

#[test]
fn a_backup_replaces_an_earlier_one_of_any_version_and_nothing_else() {
    let place = Place::new();
    place.import(users(1));
    let backup = "backup --data data --replace";
    succeeded(&place.run(&format!("{backup} sunday.sqlite")));
    let earlier = rusqlite::Connection::open(place.path("sunday.sqlite")).unwrap();
    earlier.pragma_update(None, "user_version", 2).unwrap();
    drop(earlier);
    place.import(users(3));
    succeeded(&place.run(&format!("{backup} sunday.sqlite")));
    place.restore("sunday.sqlite", "restored");
    assert_eq!(place.export("users", "restored").len(), 3);
    fs::create_dir(place.path("folder")).unwrap();
    let mine = rusqlite::Connection::open(place.path("mine.sqlite")).unwrap();
    mine.execute_batch("CREATE TABLE mine (text)").unwrap();
    drop(mine);
    place.file("text", "mine");
    place.file("empty", "");
    std::os::unix::fs::symlink("sunday.sqlite", place.path("link")).unwrap();
    let names = place.names();
    let content = || ["mine.sqlite", "text", "empty"].map(|it| fs::read(place.path(it)).unwrap());
    let before = content();
    for (file, reason) in [
        ("folder", "cannot create folder: it is not a file"),
        ("link", "cannot create link: it is not a file"),
        (
            "mine.sqlite",
            "cannot replace mine.sqlite: it is not a backup",
        ),
        ("text", "cannot replace text: it is not a backup"),
        ("empty", "cannot replace empty: it is not a backup"),
        ("restored/tables.sqlite", "it is inside the data folder"),
        ("data/new", "it is inside the data folder"),
    ] {
        let line = only_line(&place.run(&format!("{backup} {file}")));
        assert!(line.contains(reason), "{line}");
        assert!(place.names() == names && content() == before, "{file}");
    }
    // One that fails leaves the earlier one.
    let sunday = fs::read(place.path("sunday.sqlite")).unwrap();
    fs::write(place.data().join("tables.sqlite"), "damaged").unwrap();
    only_line(&place.run(&format!("{backup} sunday.sqlite")));
    assert_eq!(fs::read(place.path("sunday.sqlite")).unwrap(), sunday);
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
    fs::write(place.path("large.ndjson"), records.join("\n")).unwrap();
    let import = "import responses large.ndjson --project demo --data data";
    succeeded(&place.run(import));
    let before = place.names();
    // At most 1 MB may be written to a file: SQLite's shared memory fits, but not the copy.
    let backup = format!(
        "backup --data {} {}",
        place.data().display(),
        place.path("backup.sqlite").display()
    );
    // In units of 512 bytes.
    let restrictions = "trap '' XFSZ && ulimit -f 2048 && exec";
    let line = error_line(&output(&mut restricted(restrictions, &backup)));
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
