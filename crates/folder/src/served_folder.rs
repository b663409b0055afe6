//! What the process that has locked a folder notes in its lock file: how others reach the folder meanwhile.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::net::{SocketAddr, TcpListener};

use items::TableNames;
use serde::{Deserialize, Serialize};
use server::is_loopback;

/// The name of the lock file.
pub(super) const LOCK: &str = "lock";

/// Marks the content of a lock file as ours.
const MARK: &str = "feedback serve";

/// How other processes reach the folder that `feedback serve` has locked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServedFolder {
    /// The address of the API.
    pub api: SocketAddr,
    /// The address that speaks DynamoDB's protocol.
    pub dynamodb: SocketAddr,
    /// The names of the tables there.
    pub tables: TableNames,
    /// What the DynamoDB address answers in the header [`FOLDER_ID`] while it is this folder's.
    pub id: String,
}

/// The header of the DynamoDB address's answer to `GET /` that names the folder which is served there.
pub const FOLDER_ID: &str = "x-feedback-folder";

/// Replaces the content of the lock file, unless it is another program's.
pub(super) fn write(mut lock: &File, served: Option<&ServedFolder>) -> io::Result<()> {
    let content = match served {
        Some(served) => format!("{MARK} {}\n", serde_json::to_string(served)?),
        None => String::new(),
    };
    lock.rewind()?;
    // Text that is not UTF-8 is not ours.
    let is_ours = content_of(lock).is_ok_and(|found| found.is_empty() || found.starts_with(MARK));
    if is_ours {
        lock.set_len(0)?;
        lock.rewind()?;
        lock.write_all(content.as_bytes())?;
    }
    Ok(())
}

/// Reads the lock file. Returns `None` if there is no note in it, or one of another machine.
pub(super) fn read(lock: &File) -> Option<ServedFolder> {
    let content = content_of(lock).ok()?;
    let served: ServedFolder = serde_json::from_str(content.strip_prefix(MARK)?).ok()?;
    let is_here = is_of_this_machine(served.api) && is_of_this_machine(served.dynamodb);
    is_here.then_some(served)
}

/// Reads the content of a lock file, as much as ours has at most.
fn content_of(lock: &File) -> io::Result<String> {
    const LIMIT: u64 = 4_096;
    let mut content = String::new();
    lock.take(LIMIT).read_to_string(&mut content)?;
    Ok(content)
}

/// Returns whether an address is one of this machine: what is not loopback is, if it can be listened on.
fn is_of_this_machine(mut address: SocketAddr) -> bool {
    address.set_port(0);
    is_loopback(address.ip()) || TcpListener::bind(address).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let one: SocketAddr = address.parse().unwrap();
            for (api, dynamodb) in [(here, one), (one, here)] {
                opened.note(api, dynamodb, TableNames::default());
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
        opened.note(here, here, TableNames::default());
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
}
