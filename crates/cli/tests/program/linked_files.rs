//! Data folders whose files are links, or whose socket is deleted or replaced.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;

use crate::outcome::only_line;
use crate::place::{COMMANDS, Place, users};
use crate::process::SERVE;

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
    let [data, linked] = ["data", "linked"].map(|folder| place.path(folder));
    for file in ["tables.sqlite", "tables.sqlite-wal", "tables.sqlite-shm"] {
        fs::create_dir(&linked).unwrap();
        fs::copy(data.join("tables.sqlite"), linked.join("tables.sqlite")).unwrap();
        let _ = fs::remove_file(linked.join(file));
        symlink(format!("../data/{file}"), linked.join(file)).unwrap();
        refused(&place, file);
        fs::remove_dir_all(&linked).unwrap();
    }
    fs::create_dir(&linked).unwrap();
    let [database_of_data, hard_link] = [&data, &linked].map(|folder| folder.join("tables.sqlite"));
    fs::hard_link(&database_of_data, hard_link).unwrap();
    refused(&place, "tables.sqlite");
    assert_eq!(fs::read(database_of_data).unwrap(), database);
}

#[test]
fn a_folder_in_use_has_no_second_writer_whatever_becomes_of_its_socket() {
    let replacements: [fn(&Path); 4] = [
        |_| (),
        |socket| fs::write(socket, "").unwrap(),
        |socket| symlink("nowhere", socket).unwrap(),
        |socket| symlink("serve.sock", socket).unwrap(),
    ];
    let commands = [
        SERVE,
        "import responses records.ndjson --project demo --rejects rejects",
        "erase --project demo --all --yes",
    ];
    // Each command waits ten seconds for the folder, so all wait at the same time, each in a place of its own.
    thread::scope(|scope| {
        for replace in replacements {
            for command in commands {
                scope.spawn(move || no_second_writer(replace, command));
            }
        }
    });
}

fn no_second_writer(replace_socket: fn(&Path), command: &str) {
    let place = Place::new();
    place.import(users(3));
    let mut served = place.serve();
    let read = || fs::read(place.path("data/tables.sqlite")).unwrap();
    let database = read();
    let socket = place.path("data/serve.sock");
    fs::remove_file(&socket).unwrap();
    replace_socket(&socket);
    let line = only_line(&place.run(&format!("{command} --data data")));
    let is_refused = line.contains("in use by another feedback");
    assert!(is_refused, "{command}: {line}");
    assert!(!place.path("rejects").exists(), "nothing was read");
    assert_eq!(read(), database);
    served.signal("KILL");
    served.wait();
    // Whatever is in the place of the socket, the next one takes it.
    let served = place.serve();
    assert_eq!(place.export("users", "data").len(), 3);
    served.end();
}
