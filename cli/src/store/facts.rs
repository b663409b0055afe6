//! What records say about a user.

use serde::Serialize;
use shared::model::{Timestamp, UserId};

use super::attributes::{Item, boolean, json, parsed, string};
use super::{AsOf, Traits};

/// What is known about a user, or what one record says about one. It serializes to the object of the
/// contract, section 3, without what is unknown.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserFacts {
    /// The record's identifier in the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// The user.
    pub(crate) user_id: UserId,
    /// When the user was last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_seen: Option<Timestamp>,
    /// When the user was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created: Option<Timestamp>,
    /// The user's e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email: Option<String>,
    /// The user's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Whether the user is unsubscribed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unsubscribed: Option<bool>,
    /// What the host application says about the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) traits: Option<Traits>,
    /// How new they are.
    #[serde(skip)]
    pub(crate) as_of: AsOf,
}

impl UserFacts {
    /// Decodes a stored user, without what is damaged.
    pub(super) fn from_item(item: &Item, user_id: UserId) -> Self {
        Self {
            id: string(item, "id"),
            user_id,
            last_seen: parsed(item, "lastSeen"),
            created: parsed(item, "created"),
            email: string(item, "email"),
            name: string(item, "name"),
            unsubscribed: boolean(item, "unsubscribed"),
            traits: json(item, "traits").and_then(|traits| Traits::from_json(&traits)),
            as_of: AsOf::of(item),
        }
    }
}
