//! Data folders whose files are links.

use std::fs;
use std::os::unix::fs::symlink;

use crate::backup::{Place, users};
use crate::process::{only_line, succeeded};

/// The commands that use a data folder.
const COMMANDS: [&str; 8] = [
    "serve --listen 127.0.0.1:0 --dynamodb-listen 127.0.0.1:0",
    "backup backup.sqlite",
    "import responses records.ndjson --project demo",
    "export users --project demo",
    "erase --project demo --user-id user-000001 --yes",
    "erase --project demo --all --yes",
    "credentials list",
    "tables create",
];

/// Expects every command to refuse the folder because of this file.
fn refused(place: &Place, file: &str) {
    let linked = fs::read_dir(place.path("linked")).unwrap().count();
    let names = place.names();
    for command in COMMANDS {
        let line = only_line(&place.run(&format!("{command} --data linked")));
        let reason = format!("linked/{file} is a link");
        assert!(line.contains(&reason), "{command}: {line}");
    }
    assert_eq!(place.names(), names);
    let files = fs::read_dir(place.path("linked")).unwrap().count();
    assert_eq!(files, linked);
}

#[test]
fn a_folder_whose_files_are_links_is_refused_and_left_as_it_is() {
    let place = Place::new();
    place.import(users(3));
    let database = fs::read(place.path("data/tables.sqlite")).unwrap();
    let make = || fs::create_dir(place.path("linked")).unwrap();
    let copy = |name: &str| {
        fs::copy(
            place.path(&format!("data/{name}")),
            place.path(&format!("linked/{name}")),
        )
        .unwrap();
    };
    for file in [
        "tables.sqlite",
        "tables.sqlite-wal",
        "tables.sqlite-shm",
        "lock",
    ] {
        make();
        copy("lock");
        copy("tables.sqlite");
        let link = place.path("linked").join(file);
        let _ = fs::remove_file(&link);
        symlink(format!("../data/{file}"), link).unwrap();
        refused(&place, file);
        fs::remove_dir_all(place.path("linked")).unwrap();
    }
    make();
    fs::hard_link(
        place.path("data/tables.sqlite"),
        place.path("linked/tables.sqlite"),
    )
    .unwrap();
    refused(&place, "tables.sqlite");
    assert_eq!(
        fs::read(place.path("data/tables.sqlite")).unwrap(),
        database
    );
}

#[test]
fn the_folder_itself_may_be_a_link() {
    let place = Place::new();
    place.import(users(3));
    symlink("data", place.path("link")).unwrap();
    succeeded(&place.run("erase --project demo --user-id user-000001 --yes --data link"));
    succeeded(&place.run("backup --data link backup.sqlite"));
    assert_eq!(place.export("users", "link").len(), 2);
    assert_eq!(place.export("users", "data").len(), 2);
}
