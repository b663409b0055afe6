//! Digests of secrets, and identifiers derived from content.

use std::fmt;

use sha2::Sha256;

/// The SHA-256 of a secret, which is all that the store keeps of it. Its text is lower
/// hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The number of digits of a short id.
    pub const SHORT: usize = 8;

    pub(super) fn of(content: &[u8]) -> Self {
        Self(<Sha256 as sha2::Digest>::digest(content).into())
    }

    /// Returns the first digits, which name a credential where its digest may not be shown.
    pub fn short_id(&self) -> String {
        let mut text = self.to_string();
        text.truncate(Self::SHORT);
        text
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Shows nothing: the digest of a weak secret is enough to guess it.
impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(…)")
    }
}

/// Derives an identifier from content: the first 24 hexadecimal digits of its SHA-256.
pub fn content_id(content: &[u8]) -> String {
    let mut text = Digest::of(content).to_string();
    text.truncate(24);
    text
}
