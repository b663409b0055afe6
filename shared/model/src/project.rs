//! Identifiers of projects.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::Invalid;

/// A project's identifier: 1–64 characters of `A-Za-z0-9_-` (contract, section 3).
///
/// It never contains `#`, which separates it from the shard's number in a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct ProjectId(String);

impl ProjectId {
    /// Returns the identifier as it appears in requests, responses and keys.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ProjectId {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if (1..=64).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid(
                "must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -",
            ))
        }
    }
}

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
