//! The items of users.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;

use super::attributes::{Item, boolean, item, parsed, string, text};
use super::dynamodb_json::value_json;
use super::size::check_size;
use super::{ResponseRecord, Traits};
use crate::model::{Invalid, ProjectId, Timestamp, UserId};

/// What is known about a user, or what one record says about one. It serializes to the object of the
/// contract, section 3, without what is unknown.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserFacts {
    /// The record's identifier in the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The user.
    pub user_id: UserId,
    /// When the user was last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<Timestamp>,
    /// When the user was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The user's e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The user's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the user is unsubscribed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsubscribed: Option<bool>,
    /// What the host application says about the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traits: Option<Traits>,
    /// How new they are.
    #[serde(skip)]
    pub as_of: AsOf,
}

impl UserFacts {
    /// Decodes an item without what is damaged; returns `None` if its key is.
    pub fn from_item(item: &Item) -> Option<Self> {
        let owned = |name| string(item, name).map(str::to_owned);
        let traits = item.get("traits").and_then(value_json);
        Some(Self {
            id: owned("id"),
            user_id: parsed(item, "userId")?,
            last_seen: parsed(item, "lastSeen"),
            created: parsed(item, "created"),
            email: owned("email"),
            name: owned("name"),
            unsubscribed: boolean(item, "unsubscribed"),
            traits: traits.and_then(|traits| Traits::from_json(&traits)),
            as_of: AsOf::of(item),
        })
    }

    /// Encodes the facts as the item of a user of the project.
    ///
    /// # Errors
    ///
    /// Refuses what DynamoDB would refuse, but for the size.
    pub fn item(self, project: &ProjectId) -> Result<Item, Invalid> {
        let instant = |at: Option<Timestamp>| at.map(|at| text(&at.to_string()));
        Ok(item([
            ("project", Some(text(project.as_str()))),
            ("userId", Some(text(self.user_id.as_str()))),
            ("id", self.id.map(AttributeValue::S)),
            ("created", instant(self.created)),
            ("lastSeen", instant(self.last_seen)),
            ("email", self.email.map(AttributeValue::S)),
            ("name", self.name.map(AttributeValue::S)),
            ("unsubscribed", self.unsubscribed.map(AttributeValue::Bool)),
            (
                "traits",
                self.traits.as_ref().map(Traits::encode).transpose()?,
            ),
            ("asOf", Some(AttributeValue::S(self.as_of.0))),
        ]))
    }

    /// Checks that DynamoDB can store them.
    ///
    /// # Errors
    ///
    /// Refuses what DynamoDB would refuse.
    pub fn check(&self, project: &ProjectId) -> Result<(), Invalid> {
        check_size(&self.clone().item(project)?)
    }
}

/// Returns the key of a user.
pub fn user_key(project: &ProjectId, user_id: &UserId) -> Item {
    item([
        ("project", Some(text(project.as_str()))),
        ("userId", Some(text(user_id.as_str()))),
    ])
}

/// How new a fact is: newer ones are greater. Its text is the attribute `asOf`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AsOf(String);

impl AsOf {
    /// What a response record says is as new as the record. Of two at the same instant, the one with the larger
    /// `id` is newer.
    pub fn record(record: &ResponseRecord) -> Self {
        Self(record.sort_key())
    }

    /// What a list says of users who were last seen then is newer than all response records of that instant (`$`
    /// sorts after the `#` of their keys).
    pub fn list(last_seen: Timestamp) -> Self {
        Self(format!("{last_seen}$"))
    }

    /// Returns how new the newest facts of a user are. What another program wrote, which does not say that, is as
    /// new as `lastSeen`; without one, it is older than everything.
    pub fn of(user: &Item) -> Self {
        let seen = string(user, "lastSeen").and_then(|seen| Timestamp::canonical(seen.into()));
        let as_of = string(user, "asOf").unwrap_or_default();
        Self(as_of.max(seen.as_deref().unwrap_or("0")).to_owned())
    }

    /// Returns what is stored, which may be any text.
    pub fn stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
