//! The two kinds of records, and the members that a table can have columns for.

use anyhow::anyhow;

/// What a file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Response records, and what they say of their users.
    Responses,
    /// Users.
    Users,
}

/// A member of a record that columns can be mapped to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Member {
    Id,
    Created,
    Rating,
    Dismissed,
    UserId,
    Name,
    Email,
    CreatedAt,
    LastSeen,
    Unsubscribed,
}

impl Kind {
    /// Returns the member of a document that holds the records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::Users => "users",
        }
    }

    /// Returns the other kind.
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
    pub(crate) fn members(self) -> &'static [Member] {
        use Member::{
            Created, CreatedAt, Dismissed, Email, Id, LastSeen, Name, Rating, Unsubscribed, UserId,
        };
        match self {
            Self::Responses => &[
                Id, Created, Rating, Dismissed, UserId, Name, Email, CreatedAt,
            ],
            Self::Users => &[Id, UserId, Created, LastSeen, Email, Name, Unsubscribed],
        }
    }

    /// Returns the members without which a table is refused: it is meant for another command.
    pub(crate) fn required_members(self) -> &'static [Member] {
        match self {
            Self::Responses => &[Member::Created, Member::Rating],
            Self::Users => &[Member::UserId],
        }
    }

    /// Returns whether the member belongs to the `user` of a record rather than to the record itself.
    pub(crate) fn is_in_user(self, member: Member) -> bool {
        use Member::{CreatedAt, Email, Name, UserId};
        self == Self::Responses && [UserId, Name, Email, CreatedAt].contains(&member)
    }
}

impl Member {
    /// Returns its name in a record.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Created => "created",
            Self::Rating => "rating",
            Self::Dismissed => "dismissed",
            Self::UserId => "userId",
            Self::Name => "name",
            Self::Email => "email",
            Self::CreatedAt => "createdAt",
            Self::LastSeen => "lastSeen",
            Self::Unsubscribed => "unsubscribed",
        }
    }

    /// Returns whether its value is a date.
    pub(crate) fn is_date(self) -> bool {
        matches!(self, Self::Created | Self::CreatedAt | Self::LastSeen)
    }
}
