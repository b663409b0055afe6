//! Tests of what a folder that is served says of itself.

use std::net::SocketAddr;

use model::items::Tables;

use super::{LOCK, MARK};
use crate::DataFolder;

#[test]
fn an_address_of_another_machine_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let opened = DataFolder::open(folder.path()).unwrap();
    let here: SocketAddr = ([127, 0, 0, 1], 3000).into();
    for (address, is_here) in [
        ("127.0.0.2:8000", true),
        ("[::1]:8000", true),
        ("[::ffff:127.0.0.1]:8000", true),
        ("0.0.0.0:8000", true),
        // Of documents alone.
        ("192.0.2.1:8000", false),
        ("[2001:db8::1]:8000", false),
    ] {
        let address = address.parse().unwrap();
        for (api, dynamodb) in [(here, address), (address, here)] {
            opened.note(api, dynamodb, Tables::default());
            let noted = DataFolder::noted(folder.path());
            assert_eq!(noted.is_some(), is_here, "{api} {dynamodb}");
        }
    }
}

#[test]
fn a_lock_file_is_read_only_as_far_as_ours_would_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let opened = DataFolder::open(folder.path()).unwrap();
    let here: SocketAddr = ([127, 0, 0, 1], 3000).into();
    opened.note(here, here, Tables::default());
    let lock = folder.path().join(LOCK);
    let ours = std::fs::read_to_string(&lock).unwrap();
    for (spaces, is_read) in [(1, true), (8_192, false)] {
        let gap = format!("{MARK}{}", " ".repeat(spaces));
        std::fs::write(&lock, ours.replacen(MARK, &gap, 1)).unwrap();
        assert_eq!(
            DataFolder::noted(folder.path()).is_some(),
            is_read,
            "{spaces}"
        );
    }
}
