//! Identifiers of users.

use std::str::FromStr;

use super::{Invalid, ProjectId, content_id};

/// The identifier that the host application passed to the widget: 1–1024 bytes of UTF-8 (contract,
/// section 3).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct UserId(String);

impl UserId {
    /// The length of the longest identifier.
    pub const MAX_BYTES: usize = 1024;

    /// Returns whether the text is an identifier.
    pub fn is_valid(text: &str) -> bool {
        (1..=Self::MAX_BYTES).contains(&text.len())
    }

    /// Returns the identifier as it appears in requests, responses and keys.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for UserId {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if Self::is_valid(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid("must be 1 to 1024 bytes"))
        }
    }
}

/// Derives the `id` of a user whose stored item has none (contract, section 3).
pub fn derived_record_id(project: &ProjectId, user_id: &str) -> String {
    content_id(format!("{project}\0{user_id}").as_bytes())
}
