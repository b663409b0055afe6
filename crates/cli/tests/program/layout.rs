//! The layout of a data folder: its version and its index.

use std::path::Path;

use rusqlite::Connection;

use crate::outcome::{only_line, succeeded};
use crate::place::{COMMANDS, Place, users};

fn database(folder: &Path) -> Connection {
    Connection::open(folder.join("tables.sqlite")).unwrap()
}

/// Returns the version of the layout, and whether the responses have their index.
fn layout(folder: &Path) -> (i64, bool) {
    let database = database(folder);
    let version = database.query_row("PRAGMA user_version", [], |row| row.get(0));
    let index = "SELECT count(*) FROM sqlite_schema WHERE name = 'responses::outcomes'";
    let index = database.query_row(index, [], |row| row.get::<_, i64>(0));
    (version.unwrap(), index.unwrap() == 1)
}

fn place_of_a_user() -> Place {
    let place = Place::new();
    place.import(users(1));
    place
}

#[test]
fn a_database_of_another_version_or_program_is_refused_and_left_as_it_is() {
    let version = "it has version 99 of the layout, and this feedback reads version 3 alone: export with the \
                   feedback that wrote it, and import into a new folder";
    let of_another = "it is a database of another program";
    for (place, change, reason) in [
        (place_of_a_user(), "PRAGMA user_version = 99", version),
        (Place::new(), "CREATE TABLE users (name)", of_another),
    ] {
        std::fs::create_dir_all(place.data()).unwrap();
        database(&place.data()).execute_batch(change).unwrap();
        let before = std::fs::read(place.path("data/tables.sqlite")).unwrap();
        place.write_records("records.ndjson", users(1));
        for command in COMMANDS {
            let line = only_line(&place.run(&format!("{command} --data data")));
            assert!(line.contains(reason), "{command}: {line}");
        }
        let now = std::fs::read(place.path("data/tables.sqlite")).unwrap();
        assert_eq!(now, before, "{reason}");
        assert!(!place.path("backup.sqlite").exists());
    }
}

#[test]
fn a_folder_whose_creation_was_interrupted_is_completed() {
    let place = Place::new();
    succeeded(&place.run("tables create --data data"));
    let begun = "DROP INDEX \"responses::outcomes\"; PRAGMA user_version = 0";
    database(&place.data()).execute_batch(begun).unwrap();
    succeeded(&place.run("credentials list --data data"));
    assert_eq!(layout(&place.data()), (3, true));
}

#[test]
fn an_erasure_and_a_backup_keep_the_index_and_the_version() {
    let place = place_of_a_user();
    succeeded(&place.run("erase --project demo --all --yes --data data"));
    assert_eq!(layout(&place.data()), (3, true));
    succeeded(&place.run("backup --data data backup.sqlite"));
    place.restore("backup.sqlite", "restored");
    assert_eq!(layout(&place.path("restored")), (3, true));
}
