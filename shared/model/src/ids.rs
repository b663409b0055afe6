//! Identifiers of projects, users and records.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::invalid::Invalid;

/// A project's identifier: 1–64 characters of `A-Za-z0-9_-` (contract, Requests).
///
/// It never contains `#`, which separates it from the shard's number in a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ProjectId(String);

impl ProjectId {
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

/// The identifier that the host application passed to the widget: 1–1024 bytes of UTF-8 (contract,
/// Requests).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct UserId(String);

impl UserId {
    pub const MAX_BYTES: usize = 1024;

    pub fn is_valid(text: &str) -> bool {
        (1..=Self::MAX_BYTES).contains(&text.len())
    }

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

/// Derives an identifier from content: the first 24 hexadecimal digits of its SHA-256.
pub fn content_id(content: &[u8]) -> String {
    let mut id = String::with_capacity(24);
    for byte in Sha256::digest(content).iter().take(12) {
        // Writing to memory cannot fail.
        write!(id, "{byte:02x}").unwrap_or_default();
    }
    id
}
