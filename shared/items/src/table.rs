//! The tables, their names and keys, and the shards of a project's response records.

use std::fmt;

use model::{ProjectId, UserId};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Table {
    /// The users, by project and `userId`.
    Users,
    /// The response records, by shard and `at`.
    Responses,
    /// The credentials, by digest.
    Credentials,
}

impl Table {
    pub const ALL: [Self; 3] = [Self::Users, Self::Responses, Self::Credentials];

    /// Returns its name in a data folder, and by default elsewhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::Users => "users",
            Self::Responses => "responses",
            Self::Credentials => "credentials",
        }
    }

    /// Returns the names of the attributes that are the key: the hash key, and the range key if there is one.
    /// They are strings.
    pub fn key_names(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Users => ("project", Some("userId")),
            Self::Responses => ("shard", Some("at")),
            Self::Credentials => ("digest", None),
        }
    }
}

/// The names of the three tables in DynamoDB; by default those of [`Table::name`].
#[derive(Debug, Clone)]
pub struct TableNames {
    pub users: String,
    pub responses: String,
    pub credentials: String,
}

impl TableNames {
    pub fn name(&self, table: Table) -> &str {
        match table {
            Table::Users => &self.users,
            Table::Responses => &self.responses,
            Table::Credentials => &self.credentials,
        }
    }
}

impl Default for TableNames {
    fn default() -> Self {
        Self {
            users: Table::Users.name().to_owned(),
            responses: Table::Responses.name().to_owned(),
            credentials: Table::Credentials.name().to_owned(),
        }
    }
}

/// A shard of a project's response records. Hashing ids spreads records evenly over the shards, whenever they
/// were created. A reader and a writer that disagree about the shards lose or double records without notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard(u8);

impl Shard {
    /// The number of shards of a project.
    pub const COUNT: u8 = 16;

    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self)
    }

    /// Returns the shard of the record with this id: the first hexadecimal digit of the SHA-256 of the id.
    pub fn of_record(id: &str) -> Self {
        let [first, ..]: [u8; 32] = Sha256::digest(id).into();
        Self(first >> 4)
    }

    /// Returns the number of the shard, which is less than [`COUNT`](Self::COUNT).
    pub fn number(self) -> u8 {
        self.0
    }
}

/// Writes the shard as the hash keys of its records end: a lower-case hexadecimal digit.
impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:x}", self.0)
    }
}

/// The items of a table with one hash key, of which there may be many, so that they are read in pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Partition {
    /// The users with this `project`.
    Users(String),
    /// The response records with this `shard`.
    Responses(String),
}

impl Partition {
    pub fn of_users(project: &ProjectId) -> Self {
        Self::Users(project.to_string())
    }

    pub fn of_responses(project: &ProjectId, shard: Shard) -> Self {
        Self::Responses(format!("{project}#{shard}"))
    }

    pub fn shards(project: &ProjectId) -> impl Iterator<Item = Self> {
        Shard::all().map(|shard| Self::of_responses(project, shard))
    }

    pub fn table(&self) -> Table {
        match self {
            Self::Users(_) => Table::Users,
            Self::Responses(_) => Table::Responses,
        }
    }

    pub fn key(&self) -> &str {
        match self {
            Self::Users(key) | Self::Responses(key) => key,
        }
    }

    pub fn key_names(&self) -> [&'static str; 2] {
        let (hash, range) = self.table().key_names();
        [hash, range.unwrap_or_default()]
    }
}

/// The key of an item: the text of its hash key, and of its range key in a table that has one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ItemKey {
    pub hash: String,
    pub range: Option<String>,
}

impl ItemKey {
    pub fn of_user(project: &ProjectId, user_id: &UserId) -> Self {
        Self {
            hash: project.to_string(),
            range: Some(user_id.as_str().to_owned()),
        }
    }

    pub fn of_credential(digest: &str) -> Self {
        Self {
            hash: digest.to_owned(),
            range: None,
        }
    }
}
