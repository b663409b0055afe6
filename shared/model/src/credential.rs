//! Credentials: the secret that a client sends, and what it authorizes.

use super::hash::Digest;
use super::named::named;
use super::project::ProjectId;

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

/// What a secret authorizes (contract, section 2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// Authorizes the statistics of one project.
    ReadKey(ProjectId),
    /// Authorizes the users of its projects, and their statistics if it is marked so.
    Account(Account),
}

named! {
    /// The kinds of [`Credential`].
    pub enum CredentialKind, "must be read-key or account" {
        /// A [Read Key](Credential::ReadKey).
        ReadKey = "read-key",
        /// An [`Account`].
        Account = "account",
    }
}

impl Credential {
    /// Returns the projects that it authorizes.
    pub fn projects(&self) -> &[ProjectId] {
        match self {
            Self::ReadKey(project) => std::slice::from_ref(project),
            Self::Account(account) => &account.projects,
        }
    }

    /// Returns whether it authorizes the statistics of its projects.
    pub fn reads_statistics(&self) -> bool {
        match self {
            Self::ReadKey(_) => true,
            Self::Account(account) => account.statistics,
        }
    }

    /// Returns its kind.
    pub fn kind(&self) -> CredentialKind {
        match self {
            Self::ReadKey(_) => CredentialKind::ReadKey,
            Self::Account(_) => CredentialKind::Account,
        }
    }
}

/// Authorizes the users of its projects, and their statistics if it is marked so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The username of Basic authentication.
    pub username: String,
    /// The projects.
    pub projects: Vec<ProjectId>,
    /// Whether its password is also accepted wherever a Read Key is.
    pub statistics: bool,
}
