//! The tables, their names and keys, and the shards of a project's response records.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use model::{ProjectId, UserId};

/// A table of the service.
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
    /// All tables.
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
    /// That of the users.
    pub users: String,
    /// That of the response records.
    pub responses: String,
    /// That of the credentials.
    pub credentials: String,
}

impl TableNames {
    /// Returns the name of a table.
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

    /// Returns all shards in order.
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
    /// Returns the users of a project.
    pub fn of_users(project: &ProjectId) -> Self {
        Self::Users(project.to_string())
    }

    /// Returns a shard of the response records of a project.
    pub fn of_responses(project: &ProjectId, shard: Shard) -> Self {
        Self::Responses(format!("{project}#{shard}"))
    }

    /// Returns all shards of the response records of a project.
    pub fn shards(project: &ProjectId) -> impl Iterator<Item = Self> {
        Shard::all().map(|shard| Self::of_responses(project, shard))
    }

    /// Returns the table.
    pub fn table(&self) -> Table {
        match self {
            Self::Users(_) => Table::Users,
            Self::Responses(_) => Table::Responses,
        }
    }

    /// Returns the hash key.
    pub fn key(&self) -> &str {
        match self {
            Self::Users(key) | Self::Responses(key) => key,
        }
    }

    /// Returns the names of the hash key and the range key.
    pub fn key_names(&self) -> [&'static str; 2] {
        match self {
            Self::Users(_) => ["project", "userId"],
            Self::Responses(_) => ["shard", "at"],
        }
    }
}

/// The key of an item: the text of its hash key, and of its range key in a table that has one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ItemKey {
    /// The hash key.
    pub hash: String,
    /// The range key.
    pub range: Option<String>,
}

impl ItemKey {
    /// Returns the key of a user.
    pub fn of_user(project: &ProjectId, user_id: &UserId) -> Self {
        Self {
            hash: project.to_string(),
            range: Some(user_id.as_str().to_owned()),
        }
    }

    /// Returns the key of the credential with this text of a digest.
    pub fn of_credential(digest: &str) -> Self {
        Self {
            hash: digest.to_owned(),
            range: None,
        }
    }
}
