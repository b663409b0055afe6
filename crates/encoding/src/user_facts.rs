//! The items of users.

use std::borrow::Cow;

use model::items::Scalar;
use model::{Invalid, ProjectId, Timestamp, UserId};
use serde::Serialize;

use super::encoded::EncodedItem;
use super::members::{ItemMembers, key};
use super::record::ResponseRecord;
use super::traits::Traits;

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
    /// How new the facts are.
    #[serde(skip)]
    pub as_of: AsOf<'static>,
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
            as_of: AsOf::of(
                owned("asOf").map(Cow::Owned),
                owned("lastSeen").map(Cow::Owned),
            ),
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
            members.text("asOf", &self.as_of.0);
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

/// Returns the key of a user, in DynamoDB's JSON.
pub fn user_key(project: &ProjectId, user_id: &UserId) -> String {
    key([("project", project.as_str()), ("userId", user_id.as_str())])
}

/// How new a fact is: newer ones are greater. Its text is the attribute `asOf`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AsOf<'a>(Cow<'a, str>);

impl<'a> AsOf<'a> {
    /// What a response record says is as new as the record. Of two at the same instant, the one with the
    /// larger `id` is newer.
    pub fn record(record: &ResponseRecord) -> Self {
        Self(record.sort_key().into())
    }

    /// What a list says of users who were last seen then is newer than all response records of that instant
    /// (`$` sorts after the `#` of their keys).
    pub fn list(last_seen: Timestamp) -> Self {
        Self(format!("{last_seen}$").into())
    }

    /// Returns how new the newest facts of a user with these attributes `asOf` and `lastSeen` are. Without
    /// `asOf`, which other programs do not write, they are as new as `lastSeen`; without both, they are older
    /// than all others.
    pub fn of(as_of: Option<Cow<'a, str>>, last_seen: Option<Cow<'a, str>>) -> Self {
        let seen = last_seen.and_then(Timestamp::canonical);
        let as_of = as_of.unwrap_or_default();
        Self(as_of.max(seen.unwrap_or("0".into())))
    }

    /// Returns what is stored, which may be any text.
    pub fn stored(text: impl Into<Cow<'a, str>>) -> Self {
        Self(text.into())
    }

    /// Returns its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
