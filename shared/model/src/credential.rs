//! Credentials: the secret that a client sends, its digest, and what it authorizes.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use sha2::Sha256;

use crate::ids::ProjectId;
use crate::{Invalid, named};

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

    /// A digest of no known secret.
    pub const ABSENT: Self = Self([0; 32]);

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

named! {
    /// What a credential may read.
    pub enum Permission, "must be users or statistics" {
        /// The users of its projects.
        Users = "users",
        /// The statistics of its projects.
        Statistics = "statistics",
    }
}

/// The username that clients send with a secret: not empty, and without colons and control characters, which HTTP
/// Basic cannot carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Username(String);

impl Username {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Username {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text.is_empty() || text.contains(|c: char| c == ':' || c.is_control()) {
            return Err(Invalid(
                "must not be empty or contain colons or control characters",
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

/// What a secret authorizes (contract, section 2): it may read something of at least one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    projects: BTreeSet<ProjectId>,
    may: BTreeSet<Permission>,
    username: Option<Username>,
}

impl Credential {
    /// Makes a credential. The error says what it lacks, or that its username would never be compared, because it
    /// may not read users.
    pub fn new(
        projects: BTreeSet<ProjectId>,
        may: BTreeSet<Permission>,
        username: Option<Username>,
    ) -> Result<Self, Invalid> {
        if projects.is_empty() {
            return Err(Invalid("must have at least one project"));
        }
        if may.is_empty() {
            return Err(Invalid("must say what it may read"));
        }
        if username.is_some() && !may.contains(&Permission::Users) {
            return Err(Invalid("must have no username, unless it may read users"));
        }
        Ok(Self {
            projects,
            may,
            username,
        })
    }

    /// Returns the projects that it authorizes, of which there is one at least.
    pub fn projects(&self) -> &BTreeSet<ProjectId> {
        &self.projects
    }

    /// Returns what it may read of them, which is something.
    pub fn permissions(&self) -> &BTreeSet<Permission> {
        &self.may
    }

    /// Returns whether it may read this of its projects.
    pub fn may(&self, read: Permission) -> bool {
        self.may.contains(&read)
    }

    /// Returns the username that Basic authentication for users must have; without one, any is accepted.
    pub fn username(&self) -> Option<&Username> {
        self.username.as_ref()
    }

    /// Returns the credential without this project; `None` if it would have none.
    #[must_use]
    pub fn without(&self, project: &ProjectId) -> Option<Self> {
        let mut left = self.clone();
        left.projects.remove(project);
        (!left.projects.is_empty()).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_may_read_something_of_a_project_and_has_a_username_for_users_alone() {
        let username = || "reports".parse().ok();
        let new = |projects: &[&str], may: &[Permission], username| {
            let projects = projects.iter().map(|project| project.parse().unwrap());
            Credential::new(projects.collect(), may.iter().copied().collect(), username)
        };
        let (users, statistics) = (Permission::Users, Permission::Statistics);
        for (projects, may, username, is_valid) in [
            (&["p"][..], &[statistics][..], None, true),
            (&["p", "q"], &[users, statistics], username(), true),
            (&["p"], &[users], None, true),
            (&[], &[users], username(), false),
            (&["p"], &[], None, false),
            (&["p"], &[statistics], username(), false),
        ] {
            let made = new(projects, may, username);
            assert_eq!(made.is_ok(), is_valid, "{made:?}");
        }
        for username in ["", "a:b", "a\n", "\u{9b}"] {
            assert!(username.parse::<Username>().is_err(), "{username:?}");
        }
    }
}
