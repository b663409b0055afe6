//! Data folders that can be read, and in which nothing can be written.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use crate::crash::SmallDisk;
use crate::http::put_user;
use crate::outcome::{error_line, succeeded};
use crate::place::{Place, users};
use crate::process::{Served, output, restricted};

/// Commands that read a data folder; `COPY` is the file of a backup.
const READS: [&str; 4] = [
    "stats --project demo --start 2000-01-01 --json --data DATA",
    "export users --project demo --data DATA",
    "check --data DATA",
    "backup --data DATA COPY",
];

/// Runs the commands on a folder, with these restrictions of the shell.
fn read(folder: &Path, restrictions: &str, copy: &Path) -> [Output; 4] {
    READS.map(|command| {
        let _ = fs::remove_file(copy);
        let command = command.replace("DATA", folder.to_str().unwrap());
        let command = command.replace("COPY", copy.to_str().unwrap());
        output(&mut restricted(restrictions, &command))
    })
}

/// Returns the files of a folder with their content.
fn files(folder: &Path) -> Vec<(OsString, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    files
        .map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap()))
        .collect()
}

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

#[test]
fn a_folder_that_cannot_be_written_is_read_and_backed_up_and_stays_as_it_is() {
    let place = Place::new();
    place.import(users(3));
    let copy = place.path("backup.sqlite");
    let written = read(&place.data(), "exec", &copy).map(|it| succeeded(&it));
    let before = files(&place.data());
    set_writable(&place.data(), false);
    let unwritable = read(&place.data(), unprivileged(), &copy);
    set_writable(&place.data(), true);
    assert_eq!(unwritable.map(|it| succeeded(&it)), written);
    assert_eq!(files(&place.data()), before);
    place.restore("backup.sqlite", "restored");
    assert_eq!(place.export("users", "restored").len(), 3);
}

#[test]
fn a_restored_backup_that_cannot_be_written_is_read() {
    let place = Place::new();
    place.import(users(2));
    succeeded(&place.run("backup --data data backup.sqlite"));
    place.restore("backup.sqlite", "restored");
    let restored = place.path("restored");
    set_writable(&restored, false);
    let export = format!("export users --project demo --data {}", restored.display());
    let exported = output(&mut restricted(unprivileged(), &export));
    set_writable(&restored, true);
    assert_eq!(succeeded(&exported).lines().count(), 2);
    assert_eq!(files(&restored).len(), 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_while_its_log_holds_writes() {
    let place = Place::new();
    let mut served = place.serve();
    put_user(served.dynamodb(), "u1");
    served.signal("KILL");
    served.wait();
    let before = files(&place.data());
    set_writable(&place.data(), false);
    let outputs = read(&place.data(), unprivileged(), &place.path("backup.sqlite"));
    set_writable(&place.data(), true);
    for output in outputs {
        let line = error_line(&output);
        let reason = "its log holds writes that are not in the database yet";
        assert!(line.contains(reason), "{line}");
    }
    assert_eq!(files(&place.data()), before);
    assert!(!place.path("backup.sqlite").exists());
}

#[test]
fn a_folder_on_a_read_only_mount_is_read_and_backed_up() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("nothing is read-only: nothing can be mounted here");
        return;
    };
    let place = Place::new();
    place.import(users(3));
    let data = disk.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::copy(
        place.data().join("tables.sqlite"),
        data.join("tables.sqlite"),
    )
    .unwrap();
    disk.set_read_only(true);
    let copy = place.path("backup.sqlite");
    let outputs = read(&data, "exec", &copy);
    assert_eq!(
        outputs.map(|it| succeeded(&it)),
        read(&place.data(), "exec", &copy).map(|it| succeeded(&it))
    );
    assert_eq!(files(&data).len(), 1);
}

#[test]
fn a_backup_of_a_folder_that_another_process_serves_needs_no_permission_to_write() {
    let place = Place::new();
    let served = Served::with_data(&place.data());
    for user in users(3) {
        put_user(served.dynamodb(), &user);
    }
    set_writable(&place.data(), false);
    let backup = format!(
        "backup --data {} {}",
        place.data().display(),
        place.path("backup.sqlite").display()
    );
    let output = output(&mut restricted(unprivileged(), &backup));
    set_writable(&place.data(), true);
    succeeded(&output);
    place.restore("backup.sqlite", "restored");
    assert_eq!(place.export("users", "restored").len(), 3);
}
