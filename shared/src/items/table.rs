//! The tables, their keys, and the shards of a project's response records.

use crate::model::{ProjectId, Timestamp};

/// A table of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Table {
    /// The users or the response records.
    Paged(PagedTable),
    /// The credentials, by digest.
    Credentials,
}

impl Table {
    /// The users.
    pub const USERS: Self = Self::Paged(PagedTable::Users);
    /// The response records.
    pub const RESPONSES: Self = Self::Paged(PagedTable::Responses);
    /// All tables.
    pub const ALL: [Self; 3] = [Self::USERS, Self::RESPONSES, Self::Credentials];

    /// Returns the names of the attributes that are the key: the hash key, and the range key if there is one.
    /// They are strings.
    pub fn key_names(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Paged(table) => {
                let [hash, range] = table.key_names();
                (hash, Some(range))
            }
            Self::Credentials => ("digest", None),
        }
    }
}

impl From<PagedTable> for Table {
    fn from(table: PagedTable) -> Self {
        Self::Paged(table)
    }
}

/// A table of which many items have the same hash key, so that they are read in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PagedTable {
    /// The users, by project and `userId`.
    Users,
    /// The response records, by shard and `at`.
    Responses,
}

impl PagedTable {
    /// Returns the names of the hash key and the range key.
    pub fn key_names(self) -> [&'static str; 2] {
        match self {
            Self::Users => ["project", "userId"],
            Self::Responses => ["shard", "at"],
        }
    }
}

/// The number of shards of a project's response records. A reader and a writer that disagree about it
/// silently lose or double records.
pub const SHARDS: u8 = 4;

/// The items of a table with one hash key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The table.
    pub table: PagedTable,
    /// The hash key.
    pub key: String,
}

impl Partition {
    /// Returns the users of a project.
    pub fn of_users(project: &ProjectId) -> Self {
        Self {
            table: PagedTable::Users,
            key: project.to_string(),
        }
    }

    /// Returns a shard of the response records of a project.
    pub fn of_responses(project: &ProjectId, shard: u8) -> Self {
        Self {
            table: PagedTable::Responses,
            key: format!("{project}#{shard}"),
        }
    }

    /// Returns all shards of the response records of a project.
    pub fn shards(project: &ProjectId) -> impl Iterator<Item = Self> {
        (0..SHARDS).map(|shard| Self::of_responses(project, shard))
    }
}

/// Returns the creation with which the range key of a response record begins, unless the key is malformed.
pub fn creation_of(at: &str) -> Option<Timestamp> {
    let text = at.split_once('#').map_or(at, |(created, _)| created);
    let created: Timestamp = text.parse().ok()?;
    // Only the canonical form sorts as the instants do.
    (created.to_string() == text).then_some(created)
}
