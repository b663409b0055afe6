//! Data folders of other users, and sockets that they answer. Only root can be several users: other runs skip these.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use crate::outcome::{only_line, succeeded};
use crate::place::{Place, users};
use crate::process::{SERVE, Served, output};

const OTHER: u32 = 65_534;
const THIRD: u32 = 65_533;
const IMPORT: &str = "import responses records.ndjson --project demo --data data";

/// A place in which all users may write. `None` if this process can be one user alone.
fn shared_place() -> Option<Place> {
    if !rustix::process::geteuid().is_root() {
        eprintln!("folders of other users are not tried: only root can make them");
        return None;
    }
    let place = Place::new();
    allow_all(&place.path(""));
    place.write_records("records.ndjson", users(3));
    allow_all(&place.path("records.ndjson"));
    Some(place)
}

fn allow_all(path: &Path) {
    fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
}

/// Builds a command that this user runs in a place.
fn command_of(user: u32, place: &Place, line: &str) -> Command {
    let of_user = format!("exec setpriv --reuid={user} --clear-groups");
    place.restricted(&of_user, line)
}

/// Serves the folder as another user, who lets everybody use it.
fn planted(place: &Place) -> Served {
    fs::create_dir(place.data()).unwrap();
    chown(place.data(), Some(OTHER), None).unwrap();
    let mut serve = command_of(OTHER, place, &format!("{SERVE} --data data"));
    let served = Served::ready(serve.spawn().unwrap());
    allow_all(&place.data());
    allow_all(&place.data().join("serve.sock"));
    served
}

#[test]
fn nothing_is_written_into_a_folder_of_another_user_who_serves_it_or_does_not() {
    let Some(place) = shared_place() else {
        return;
    };
    let check = || {
        let refused = only_line(&place.run(IMPORT));
        let whose = "cannot use the data folder data: it belongs to user 65534, ";
        assert!(refused.contains(whose), "{refused}");
        assert!(refused.ends_with("sudo -u '#65534' …\n"), "{refused}");
        let refused = only_line(&output(&mut command_of(THIRD, &place, IMPORT)));
        assert!(refused.contains(whose), "{refused}");
        assert!(refused.ends_with("you are user 65533\n"), "{refused}");
    };
    let served = planted(&place);
    check();
    served.end();
    check();
    let export = "export users --project demo --data data";
    let stored = output(&mut command_of(OTHER, &place, export));
    assert_eq!(succeeded(&stored), "");
}

#[test]
fn a_socket_that_another_user_answers_gets_nothing() {
    let Some(place) = shared_place() else {
        return;
    };
    let served = planted(&place);
    chown(place.data(), Some(0), None).unwrap();
    let refused = only_line(&place.run(IMPORT));
    assert!(refused.contains("it belongs to user 65534"), "{refused}");
    chown(place.data().join("tables.sqlite"), Some(0), None).unwrap();
    let refused = only_line(&place.run(IMPORT));
    let by_whom = "its socket is answered by user 65534, who is neither you nor root";
    assert!(refused.contains(by_whom), "{refused}");
    drop(served);
}
