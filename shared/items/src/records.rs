//! The records of the service, displays and users, and their items.

use std::borrow::Cow;

use model::{Invalid, Outcome, ProjectId, Timestamp, UserId, text_type};
use serde::Serialize;

use crate::encoded_item::EncodedItem;
use crate::item_members::ItemMembers;
use crate::json::Scalar;
use crate::response_item::decode_outcome;
use crate::table::{Partition, Shard};
use crate::traits::Traits;

text_type! {
    /// The identifier of a response record: 1–999 bytes, so that a sort key, which begins with an
    /// instant, stays within DynamoDB's 1024.
    pub struct RecordId, "must be 1 to 999 bytes", |text| (1..=999).contains(&text.len())
}

/// One display of the survey to a user.
#[derive(Debug, Clone)]
pub struct ResponseRecord {
    pub project: ProjectId,
    /// The record's own identifier. It determines the shard.
    pub id: RecordId,
    /// When the survey was displayed.
    pub created: Timestamp,
    pub outcome: Outcome,
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
        let shard = Shard::of_record(self.id.as_str());
        let shard = Partition::of_responses(&self.project, shard);
        let key = [shard.key().to_owned(), self.sort_key()];
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
    fn sort_key(&self) -> String {
        format!("{}#{}", self.created, self.id.0)
    }
}

/// What is known about a user, or what one record says about one. It serializes to the object of the
/// contract, section 3, without what is unknown.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserFacts {
    /// The record's identifier in the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub user_id: UserId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsubscribed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traits: Option<Traits>,
}

impl UserFacts {
    /// Decodes an item without what is damaged; returns `None` if its key is.
    pub fn from_item(item: &ItemMembers<'_>) -> Option<Self> {
        let owned = |name| item.string(name).map(Cow::into_owned);
        Some(Self {
            id: owned("id"),
            user_id: item.parsed("userId")?,
            last_seen: item.parsed("lastSeen"),
            created: item.parsed("created"),
            email: owned("email"),
            name: owned("name"),
            unsubscribed: match item.scalar("unsubscribed") {
                Scalar::Bool(flag) => Some(flag),
                _ => None,
            },
            traits: item.get("traits").and_then(Traits::from_value),
        })
    }

    /// Encodes what is known about a user of the project.
    ///
    /// # Errors
    ///
    /// Refuses what DynamoDB would refuse.
    pub fn item(&self, project: &ProjectId) -> Result<EncodedItem, Invalid> {
        let instant = |at: Option<Timestamp>| at.map(|at| at.to_string());
        let key = [project.as_str(), self.user_id.as_str()].map(str::to_owned);
        EncodedItem::new(key, |[project, user_id], members| {
            members.known_text("created", instant(self.created).as_deref());
            members.known_text("email", self.email.as_deref());
            members.known_text("id", self.id.as_deref());
            members.known_text("lastSeen", instant(self.last_seen).as_deref());
            members.known_text("name", self.name.as_deref());
            members.text("project", project);
            if let Some(traits) = &self.traits {
                members.traits(traits)?;
            }
            if let Some(unsubscribed) = self.unsubscribed {
                members.flag("unsubscribed", unsubscribed);
            }
            members.text("userId", user_id);
            Ok(())
        })
    }
}
