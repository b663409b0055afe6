//! The items of response records.

use std::str::FromStr;

use model::items::{Partition, Shard, decode_outcome};
use model::{Invalid, Outcome, ProjectId, Timestamp, UserId};

use super::encoded::EncodedItem;
use super::members::ItemMembers;
use super::traits::Traits;

/// The identifier of a response record: 1–999 bytes, so that a sort key, which begins with an
/// instant, stays within DynamoDB's 1024.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct RecordId(String);

impl RecordId {
    /// Returns the identifier as it appears in keys.
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

/// One display of the survey to a user.
#[derive(Debug, Clone)]
pub struct ResponseRecord {
    /// The project that the survey belongs to.
    pub project: ProjectId,
    /// The record's own identifier. It determines the shard.
    pub id: RecordId,
    /// When the survey was displayed.
    pub created: Timestamp,
    /// What became of the display.
    pub outcome: Outcome,
    /// The `userId` of the user, if known.
    pub user_id: Option<UserId>,
    /// The user's traits at that time, if known.
    pub traits: Option<Traits>,
}

impl ResponseRecord {
    /// Decodes an item; returns `None` if it is damaged.
    pub fn from_item(item: &ItemMembers<'_>, project: &ProjectId) -> Option<Self> {
        let at = item.string("at")?;
        let (created, id) = at.split_once('#')?;
        Some(Self {
            project: project.clone(),
            id: id.parse().ok()?,
            created: created.parse().ok()?,
            outcome: decode_outcome(&item.scalar("rating"), &item.scalar("dismissed"))?,
            user_id: item.parsed("userId"),
            traits: item.get("traits").and_then(Traits::from_value),
        })
    }

    /// Encodes the record. Its id determines the shard, so writing the record again replaces it.
    ///
    /// # Errors
    ///
    /// Refuses what DynamoDB would refuse.
    pub fn item(&self) -> Result<EncodedItem, Invalid> {
        let shard = Partition::of_responses(&self.project, Shard::of_record(self.id.as_str()));
        let key = [shard.key, self.sort_key()];
        EncodedItem::new(key, |[shard, at], members| {
            members.text("at", at);
            if self.outcome == Outcome::Dismissed {
                members.flag("dismissed", true);
            }
            if let Some(rating) = self.outcome.rating() {
                members.number("rating", rating.value());
            }
            members.text("shard", shard);
            if let Some(traits) = &self.traits {
                members.traits(traits)?;
            }
            if let Some(user_id) = &self.user_id {
                members.text("userId", user_id.as_str());
            }
            Ok(())
        })
    }

    /// Returns the range key of the record's item: the instant and the identifier.
    pub(super) fn sort_key(&self) -> String {
        format!("{}#{}", self.created, self.id.0)
    }
}
