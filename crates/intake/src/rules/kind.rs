//! The two kinds of records, and the members that a table can have columns for.

use anyhow::anyhow;

/// What a file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// Response records, and what they say of their users.
    Responses,
    /// Users.
    Users,
}

impl RecordKind {
    /// Returns the member of a document that holds the records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::Users => "users",
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::Responses => Self::Users,
            Self::Users => Self::Responses,
        }
    }

    /// Returns the error of an import of the other kind.
    pub(crate) fn refusal(self) -> anyhow::Error {
        anyhow!("these look like {0}: use feedback import {0}", self.name())
    }

    /// Returns the members that columns can be mapped to, beside traits.
    pub(crate) fn members(self) -> &'static [&'static str] {
        match self {
            Self::Responses => &[
                "id",
                "created",
                "rating",
                "dismissed",
                "userId",
                "name",
                "email",
                "createdAt",
            ],
            Self::Users => &[
                "id",
                "userId",
                "created",
                "lastSeen",
                "email",
                "name",
                "unsubscribed",
            ],
        }
    }

    /// Returns whether the member belongs to the `user` of a record rather than to the record itself.
    pub(crate) fn is_in_user(self, member: &str) -> bool {
        self == Self::Responses && ["userId", "name", "email", "createdAt"].contains(&member)
    }
}

/// Returns whether the value of a member is a text rather than a number, a date or a boolean.
pub(crate) fn is_text(member: &str) -> bool {
    ["id", "userId", "email", "name"].contains(&member)
}

/// Returns whether the value of a member is a date.
pub(crate) fn is_date(member: &str) -> bool {
    ["created", "createdAt", "lastSeen"].contains(&member)
}
