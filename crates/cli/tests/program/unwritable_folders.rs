//! Data folders in which nothing can be written.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::crash::SmallDisk;
use crate::http::put_user;
use crate::outcome::{only_line, succeeded};
use crate::place::{COMMANDS, Place, users};
use crate::process::output;

/// Root may write everywhere, unless it gives that up.
fn unprivileged() -> &'static str {
    if rustix::process::geteuid().is_root() {
        "exec setpriv --bounding-set=-dac_override,-dac_read_search"
    } else {
        "exec"
    }
}

fn set_writable(folder: &Path, is_writable: bool) {
    let mode = if is_writable { 0o700 } else { 0o500 };
    fs::set_permissions(folder, Permissions::from_mode(mode)).unwrap();
}

/// Returns the files of a folder with their content.
fn files(folder: &Path) -> Vec<(OsString, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap()))
        .collect()
}

/// Expects every command to refuse the folder, with these restrictions of the shell, and to leave it as it is.
fn refused(place: &Place, folder: &Path, restrictions: &str) {
    let before = files(folder);
    for command in COMMANDS {
        let command = format!("{command} --data {}", folder.display());
        let line = only_line(&output(&mut place.restricted(restrictions, &command)));
        let reason = "nothing can be written there; copy the folder to where it can be written";
        assert!(line.trim_end().ends_with(reason), "{command}: {line}");
    }
    assert!(files(folder) == before && !place.path("backup.sqlite").exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_and_left_as_it_is_and_a_copy_is_used() {
    let place = Place::new();
    place.import(users(3));
    set_writable(&place.data(), false);
    refused(&place, &place.data(), unprivileged());
    let copy = place.path("copy");
    fs::create_dir(&copy).unwrap();
    for (name, content) in files(&place.data()) {
        fs::write(copy.join(name), content).unwrap();
    }
    set_writable(&place.data(), true);
    assert_eq!(place.export("users", "copy").len(), 3);
}

#[test]
fn a_database_that_cannot_be_written_is_named() {
    let place = Place::new();
    place.import(users(3));
    let database = place.data().join("tables.sqlite");
    fs::set_permissions(&database, Permissions::from_mode(0o400)).unwrap();
    let mut stats = place.restricted(unprivileged(), "stats --project demo --data data");
    let line = only_line(&output(&mut stats));
    let reason = "tables.sqlite cannot be read and written: Permission denied";
    assert!(line.trim_end().ends_with(reason), "{line}");
}

#[test]
fn a_folder_on_a_read_only_mount_is_refused_and_left_as_it_is() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("nothing is read-only: nothing can be mounted here");
        return;
    };
    let place = Place::new();
    place.import(users(3));
    let data = disk.path().join("data");
    fs::create_dir(&data).unwrap();
    let database = "tables.sqlite";
    fs::copy(place.data().join(database), data.join(database)).unwrap();
    disk.set_read_only();
    refused(&place, &data, "exec");
}

#[test]
fn a_backup_of_a_folder_that_another_process_serves_needs_no_permission_to_write() {
    let place = Place::new();
    let served = place.serve();
    for user in users(3) {
        put_user(served.dynamodb(), &user);
    }
    set_writable(&place.data(), false);
    let mut backup = place.restricted(unprivileged(), "backup --data data backup.sqlite");
    let output = output(&mut backup);
    set_writable(&place.data(), true);
    succeeded(&output);
    place.restore("backup.sqlite", "restored");
    assert_eq!(place.export("users", "restored").len(), 3);
}
