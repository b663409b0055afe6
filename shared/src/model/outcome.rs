use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::hash::sha256;
use super::{Invalid, ProjectId, Timestamp, Traits, UserId};

/// A rating of 0 to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Rating(u8);

impl TryFrom<u8> for Rating {
    type Error = Invalid;

    fn try_from(value: u8) -> Result<Self, Invalid> {
        if value <= 10 {
            Ok(Self(value))
        } else {
            Err(Invalid("must be 0 to 10"))
        }
    }
}

impl Rating {
    /// The number, 0 to 10.
    pub fn value(self) -> u8 {
        self.0
    }
}

/// What became of one display of the survey (contract, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Answered with a rating.
    Rated(Rating),
    /// Closed without an answer.
    Dismissed,
    /// Neither yet.
    Pending,
}

impl Outcome {
    /// A record with a rating counts as rated even if it is also marked dismissed.
    pub fn new(rating: Option<Rating>, dismissed: bool) -> Self {
        match rating {
            Some(rating) => Self::Rated(rating),
            None if dismissed => Self::Dismissed,
            None => Self::Pending,
        }
    }

    /// The rating, if it was answered.
    pub fn rating(self) -> Option<Rating> {
        match self {
            Self::Rated(rating) => Some(rating),
            Self::Dismissed | Self::Pending => None,
        }
    }
}

/// A response record's identifier: 1–999 bytes, so that a sort key, which begins with an instant,
/// keeps within DynamoDB's 1024.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordId(String);

impl RecordId {
    /// The identifier as it stands in keys.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RecordId {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if (1..=999).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid("must be 1 to 999 bytes"))
        }
    }
}

/// One display of the survey to a user, as it is written to the store.
#[derive(Debug, Clone)]
pub struct ResponseRecord {
    /// The project whose survey it was.
    pub project: ProjectId,
    /// The record's own identifier; it fixes the shard, so writing a record again replaces it.
    pub id: RecordId,
    /// When the survey was displayed.
    pub created: Timestamp,
    /// What became of it.
    pub outcome: Outcome,
    /// The `userId` of the user it was displayed to, if one is known.
    pub user_id: Option<UserId>,
    /// The user's traits at that time, if any are known.
    pub traits: Option<Traits>,
}

impl ResponseRecord {
    /// The hash key of the record's item: the project and the shard.
    pub fn shard_key(&self) -> String {
        format!("{}#{}", self.project, shard_of(self.id.as_str()))
    }

    /// The range key of the record's item: the instant and the identifier.
    pub fn sort_key(&self) -> String {
        format!("{}#{}", self.created, self.id.as_str())
    }
}

/// The number of shards of a project's response records. Part of the item format: a reader and a
/// writer that disagree about it lose or double records silently.
pub const SHARDS: u8 = 4;

/// The shard of the record with this identifier: the first byte of its SHA-256 modulo [`SHARDS`].
pub fn shard_of(record_id: &str) -> u8 {
    let [first, ..] = sha256(record_id.as_bytes());
    first % SHARDS
}
