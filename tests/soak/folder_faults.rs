//! The faults of the typed reads of a data folder, and what each makes of a healthy read.

use serde_json::{Value, json};
use store::{ErrorKind, PageRead};

use super::faults::Damage;
use super::injector::{Consequence, Faults, Of, Read};
use test_support::Random;

/// A fault of a typed read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderFault {
    /// It fails, with this code.
    Error(ErrorKind, &'static str),
    /// It takes up to 0.4 seconds longer.
    Delayed,
    /// It takes longer than any request may.
    Late,
    /// It panics while it reads.
    Panic,
    /// It panics before it reads.
    PanicAtOnce,
    /// The body of the page is not what was read; the credential has a value of another type.
    Damaged(Damage),
    /// The body of the page is `{}`; there is no credential.
    Nothing,
    /// The items of the page are `{}`.
    EmptyItems,
    /// An earlier page is returned again.
    PageAgain,
    /// The page ends with the key that it begins after.
    KeyAgain,
    /// The items of the page are in reverse order.
    OutOfOrder,
}

/// Every kind of fault.
const FAULTS: [FolderFault; 19] = [
    FolderFault::Error(ErrorKind::Unavailable, "the database is locked"),
    FolderFault::Error(ErrorKind::Unavailable, "ThrottlingException"),
    FolderFault::Error(ErrorKind::Refused, "no such table"),
    FolderFault::Error(ErrorKind::Damaged, "not a page of items"),
    FolderFault::Error(ErrorKind::Internal, "panicked"),
    FolderFault::Delayed,
    FolderFault::Late,
    FolderFault::Panic,
    FolderFault::PanicAtOnce,
    FolderFault::Damaged(Damage::Cut),
    FolderFault::Damaged(Damage::Empty),
    FolderFault::Damaged(Damage::Syntax),
    FolderFault::Damaged(Damage::Encoding),
    FolderFault::Damaged(Damage::Type),
    FolderFault::Nothing,
    FolderFault::EmptyItems,
    FolderFault::PageAgain,
    FolderFault::KeyAgain,
    FolderFault::OutOfOrder,
];

impl Faults for FolderFault {
    const ALL: &'static [Self] = &FAULTS;

    fn befalls(self, read: Read) -> bool {
        match self {
            Self::Error(..)
            | Self::Delayed
            | Self::Late
            | Self::Panic
            | Self::PanicAtOnce
            | Self::Nothing
            | Self::Damaged(Damage::Type) => true,
            Self::Damaged(_) => read.of != Of::Credential,
            // Records without any attributes are displays that are pending.
            Self::EmptyItems => matches!(read.of, Of::User | Of::Users),
            Self::PageAgain | Self::KeyAgain => read.is_later,
            Self::OutOfOrder => matches!(read.of, Of::Users | Of::Records(_)),
        }
    }

    fn consequence(self, read: Read) -> Consequence {
        match self {
            Self::Delayed | Self::Late => Consequence::Delay,
            Self::Error(ErrorKind::Refused | ErrorKind::Internal, _)
            | Self::Panic
            | Self::PanicAtOnce => Consequence::PermanentFailure,
            // What cannot be decoded authorizes nothing.
            Self::Nothing | Self::Damaged(_) if read.of == Of::Credential => Consequence::Absence,
            _ => Consequence::Failure,
        }
    }
}

impl FolderFault {
    /// Returns what is read instead of this.
    pub(super) fn misread(self, read: PageRead) -> PageRead {
        match self {
            Self::PageAgain => PageRead {
                after: None,
                ..read
            },
            _ => read,
        }
    }

    /// Returns what arrives instead of this page.
    pub(super) fn misrepresent(self, page: &[u8], read: &PageRead, random: &mut Random) -> Vec<u8> {
        let mut body: Value = serde_json::from_slice(page).unwrap();
        match self {
            Self::Damaged(damage) => return damage.of(&body, random),
            Self::Nothing => body = json!({}),
            Self::EmptyItems => body["Items"].as_array_mut().unwrap().fill(json!({})),
            Self::OutOfOrder => body["Items"].as_array_mut().unwrap().reverse(),
            Self::KeyAgain => {
                let [hash, range] = read.partition.key_names();
                body["LastEvaluatedKey"] =
                    json!({hash: {"S": read.partition.key()}, range: {"S": read.after}});
            }
            _ => {}
        }
        body.to_string().into_bytes()
    }

    /// Returns what arrives instead of this credential.
    pub(super) fn replace(self, credential: &str) -> Option<String> {
        let mut credential: Value = serde_json::from_str(credential).unwrap();
        match self {
            Self::Nothing => return None,
            Self::Damaged(_) => credential["may"] = json!({"N": "5"}),
            _ => {}
        }
        Some(credential.to_string())
    }
}
