//! Identifiers of projects, users and records.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

text_type! {
    /// A project's identifier: 1–64 characters of `A-Za-z0-9_-` (contract, Requests).
    ///
    /// It never contains `#`, which separates it from the shard's number in a key.
    pub struct ProjectId, "must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -", |text| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        (1..=64).contains(&text.len()) && text.bytes().all(allowed)
    }
}

text_type! {
    /// The identifier that the host application passed to the widget: 1–1024 bytes of UTF-8 (contract, Requests).
    pub struct UserId, "must be 1 to 1024 bytes", |text| (1..=UserId::MAX_BYTES).contains(&text.len())
}

impl UserId {
    pub const MAX_BYTES: usize = 1024;
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
