use std::fmt;

use sha2::Sha256;

pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    <Sha256 as sha2::Digest>::digest(bytes).into()
}

/// The SHA-256 of a secret, which is all that the store ever sees of it. Its text is lower
/// hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    pub(super) fn of(secret: &[u8]) -> Self {
        Self(sha256(secret))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hexadecimal(&self.0, f)
    }
}

/// Shows nothing: a digest is all it takes to recognise a weak secret.
impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(…)")
    }
}

/// An identifier derived from content: the first 24 hexadecimal digits of its SHA-256.
pub fn id_of(content: &[u8]) -> String {
    let mut text = Digest(sha256(content)).to_string();
    text.truncate(24);
    text
}

fn hexadecimal(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}
