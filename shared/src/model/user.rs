use std::str::FromStr;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::{Invalid, ProjectId, Timestamp, id_of};

/// The identifier that the host application gave the widget: 1–1024 bytes of UTF-8 (contract,
/// section 3).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct UserId(String);

impl UserId {
    /// The identifier as it stands in requests, answers and keys.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for UserId {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if (1..=1024).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid("must be 1 to 1024 bytes"))
        }
    }
}

/// A user of a project. It serialises to the object of the contract, section 3: members in that
/// order, unknown ones left out.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// The record's identifier in the service.
    pub id: String,
    /// The project the user belongs to.
    pub project: ProjectId,
    /// The identifier that the host application passed to the widget.
    pub user_id: UserId,
    /// When the user was last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<Timestamp>,
    /// When the user was created.
    pub created: Timestamp,
    /// The user's e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The user's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the user is unsubscribed.
    pub unsubscribed: bool,
    /// Whatever the host application says of the user.
    pub traits: Traits,
}

/// A JSON object, kept as text so that no number loses a digit. The default is the empty one.
#[derive(Debug, Clone, Default)]
pub struct Traits(Option<Box<RawValue>>);

impl Traits {
    /// `None` when the text is not an object.
    pub fn from_json(json: Box<RawValue>) -> Option<Self> {
        json.get().starts_with('{').then_some(Self(Some(json)))
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        self.0.as_ref().map_or("{}", |json| json.get())
    }
}

impl Serialize for Traits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(json) => json.serialize(serializer),
            None => serializer.serialize_map(Some(0))?.end(),
        }
    }
}

impl User {
    /// The `id` of a user whose record has none.
    pub fn default_id(project: &ProjectId, user_id: &UserId) -> String {
        id_of(format!("{project}\0{}", user_id.as_str()).as_bytes())
    }
}
