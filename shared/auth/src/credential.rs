//! Credentials: what they authorize.

use std::collections::BTreeSet;
use std::str::FromStr;

use model::{Invalid, ProjectId, word_enum};

word_enum! {
    /// What a credential may read.
    pub enum Permission, "must be users or statistics" {
        Users = "users",
        Statistics = "statistics",
    }
}

/// The username that clients send with a secret: not empty, and without colons and control characters, which HTTP
/// Basic cannot carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Username(String);

impl Username {
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

    pub fn may(&self, read: Permission) -> bool {
        self.may.contains(&read)
    }

    /// Returns the username that Basic authentication for users must have; without one, any is accepted.
    pub fn username(&self) -> Option<&Username> {
        self.username.as_ref()
    }
}
