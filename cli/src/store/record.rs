//! Response records as they are written.

use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use shared::model::{Invalid, Outcome, ProjectId, SHARDS, Timestamp, UserId, shard_key};

use super::Traits;

/// The identifier of a response record: 1–999 bytes, so that a sort key, which begins with an
/// instant, stays within DynamoDB's 1024.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct RecordId(String);

impl RecordId {
    /// Returns the identifier as it appears in keys.
    pub(crate) fn as_str(&self) -> &str {
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

/// One display of the survey to a user.
#[derive(Debug, Clone)]
pub(crate) struct ResponseRecord {
    /// The project that the survey belongs to.
    pub(crate) project: ProjectId,
    /// The record's own identifier. It determines the shard.
    pub(crate) id: RecordId,
    /// When the survey was displayed.
    pub(crate) created: Timestamp,
    /// What became of the display.
    pub(crate) outcome: Outcome,
    /// The `userId` of the user, if known.
    pub(crate) user_id: Option<UserId>,
    /// The user's traits at that time, if known.
    pub(crate) traits: Option<Traits>,
}

impl ResponseRecord {
    /// Returns the hash key of the record's item: the project and the shard.
    pub(crate) fn shard_key(&self) -> String {
        shard_key(&self.project, shard_of(&self.id))
    }

    /// Returns the range key of the record's item: the instant and the identifier.
    pub(crate) fn sort_key(&self) -> String {
        format!("{}#{}", self.created, self.id.0)
    }
}

/// Returns the shard of the record: the first byte of the SHA-256 of its id, modulo [`SHARDS`].
fn shard_of(id: &RecordId) -> u8 {
    let [first, ..]: [u8; 32] = Sha256::digest(&id.0).into();
    first % SHARDS
}
