use std::fmt;

use super::{Digest, ProjectId};

/// A secret as a client sent it. It is never shown, compared or stored: only its digest leaves it.
pub struct Secret(Vec<u8>);

impl Secret {
    /// `None` for an empty text, which is no secret.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Option<Self> {
        let bytes = bytes.into();
        (!bytes.is_empty()).then_some(Self(bytes))
    }

    /// What the store finds the credential by.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What a secret opens (contract, section 2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// Opens the statistics of one project.
    ReadKey(ReadKey),
    /// Opens the users of some projects.
    Account(Account),
}

/// Opens the statistics of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadKey {
    /// The project.
    pub project: ProjectId,
}

/// Opens the users of some projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The username that Basic authentication must name.
    pub username: String,
    /// The projects.
    pub projects: Vec<ProjectId>,
}
