//! The secret that a client sends, and its digest.

use std::fmt;
use std::str::FromStr;

use model::Invalid;
use sha2::Sha256;

/// A secret as a client sent it. It is never compared or stored; only its digest is. It has no `Debug`,
/// because it is never shown.
pub struct Secret(Vec<u8>);

impl Secret {
    /// Wraps a secret; returns `None` for an empty text.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Option<Self> {
        let bytes = bytes.into();
        (!bytes.is_empty()).then_some(Self(bytes))
    }

    /// Returns the digest under which the store keeps the credential.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

/// The SHA-256 of a secret, which is all that the store keeps of it. Its text is lower
/// hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The number of digits of a short id.
    pub const SHORT: usize = 8;

    fn of(content: &[u8]) -> Self {
        Self(<Sha256 as sha2::Digest>::digest(content).into())
    }

    /// Returns the first digits, which name a credential where its digest may not be shown.
    pub fn short_id(&self) -> String {
        let mut text = self.to_string();
        text.truncate(Self::SHORT);
        text
    }
}

impl FromStr for Digest {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        const INVALID: Invalid = Invalid("must be 64 lower hexadecimal digits");
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 64 || !text.as_bytes().iter().all(is_digit) {
            return Err(INVALID);
        }
        let mut digest = [0; 32];
        for (byte, digits) in digest.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = str::from_utf8(digits).map_err(|_| INVALID)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| INVALID)?;
        }
        Ok(Self(digest))
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
