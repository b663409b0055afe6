//! The faults of the typed reads of a data folder, and what each makes of a healthy read.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::items::{Item, Partition};
use shared::store::{ErrorKind, KeyRange, LocalPage, PageRead};

use super::faults::Damage;
use super::folder::OTHER_YEARS;
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
    /// An earlier page is returned again, as the last one or not.
    PageAgain,
    /// The page ends with the key that it begins after.
    KeyAgain,
    /// The page is of another shard or another project.
    OtherPartition,
    /// The page is of another year; the user is another one.
    OtherRange,
    /// The items of the page are in reverse order.
    OutOfOrder,
    /// The credential is another one, which authorizes as much.
    OtherCredential,
}

/// Every kind of fault.
const FAULTS: [FolderFault; 22] = [
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
    FolderFault::OtherPartition,
    FolderFault::OtherRange,
    FolderFault::OutOfOrder,
    FolderFault::OtherCredential,
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
            Self::OtherCredential => read.of == Of::Credential,
            Self::Damaged(_) | Self::OtherPartition => read.of != Of::Credential,
            // Records without any attributes are displays that are pending.
            Self::EmptyItems => matches!(read.of, Of::User | Of::Users),
            Self::PageAgain | Self::KeyAgain => read.is_later,
            // Users that are skipped are not noticed: a list of them may begin anywhere.
            Self::OtherRange => matches!(read.of, Of::User | Of::Records(_)),
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
    pub(super) fn misread(self, read: PageRead, random: &mut Random) -> PageRead {
        match self {
            Self::PageAgain => PageRead {
                after: None,
                ..read
            },
            Self::OtherPartition => PageRead {
                partition: other(&read.partition),
                ..read
            },
            Self::OtherRange => PageRead {
                range: match &read.range {
                    KeyRange::Between(_) => {
                        let year = random.choose(&OTHER_YEARS);
                        KeyRange::Between([year.to_owned(), format!("{year}-13")])
                    }
                    _ => KeyRange::Equal("user-042".to_owned()),
                },
                after: None,
                ..read
            },
            _ => read,
        }
    }

    /// Returns what arrives instead of this page.
    pub(super) fn misrepresent(
        self,
        page: LocalPage,
        read: &PageRead,
        random: &mut Random,
    ) -> LocalPage {
        let mut body: Value = serde_json::from_slice(&page.body).unwrap();
        match self {
            Self::Damaged(damage) => {
                return LocalPage {
                    body: damage.of(&body, random),
                    ..page
                };
            }
            Self::Nothing => body = json!({}),
            Self::EmptyItems => body["Items"].as_array_mut().unwrap().fill(json!({})),
            Self::OutOfOrder => body["Items"].as_array_mut().unwrap().reverse(),
            Self::PageAgain if random.once_in(2) => {
                body.as_object_mut().unwrap().remove("LastEvaluatedKey");
            }
            Self::KeyAgain => {
                let [hash, range] = read.partition.table.key_names();
                body["LastEvaluatedKey"] =
                    json!({hash: {"S": read.partition.key}, range: {"S": read.after}});
            }
            _ => {}
        }
        LocalPage {
            body: body.to_string().into_bytes(),
            ..page
        }
    }

    /// Returns what arrives instead of this credential.
    pub(super) fn replace(self, mut credential: Item) -> Option<Item> {
        let mut set = |name: &str, value| credential.insert(name.to_owned(), value);
        match self {
            Self::Nothing => return None,
            Self::Damaged(_) => drop(set("kind", AttributeValue::N("5".to_owned()))),
            Self::OtherCredential => drop(set("digest", AttributeValue::S("0".repeat(64)))),
            _ => {}
        }
        Some(credential)
    }
}

/// Returns the next shard, or the users of the other project.
fn other(partition: &Partition) -> Partition {
    let key = match partition.key.rsplit_once('#') {
        Some((project, shard)) => {
            let shard = u8::from_str_radix(shard, 16).unwrap();
            format!("{project}#{:x}", (shard + 1) % 16)
        }
        None => "q".to_owned(),
    };
    Partition {
        table: partition.table,
        key,
    }
}
