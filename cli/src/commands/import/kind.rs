//! The two kinds of records that can be imported.

/// What a file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Responses,
    Users,
}

impl Kind {
    /// Returns the member of a document that holds the records.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::Users => "users",
        }
    }

    /// Returns the fields that columns can be mapped to, beside traits.
    pub(super) fn fields(self) -> &'static [&'static str] {
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

    /// Returns the fields without which a table is refused: it is meant for another command.
    pub(super) fn required_fields(self) -> &'static [&'static str] {
        match self {
            Self::Responses => &["created", "rating"],
            Self::Users => &["userId"],
        }
    }

    /// Returns whether the field belongs to the `user` of a record rather than to the record itself.
    pub(super) fn is_in_user(self, field: &str) -> bool {
        self == Self::Responses && ["userId", "name", "email", "createdAt"].contains(&field)
    }
}
