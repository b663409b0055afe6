use std::str::FromStr;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::{Invalid, ProjectId, id_of};

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

/// The `id` of a user whose record has none (contract, section 3).
pub fn default_user_id(project: &ProjectId, user_id: &UserId) -> String {
    id_of(format!("{project}\0{}", user_id.as_str()).as_bytes())
}
