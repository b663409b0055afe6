//! The segments into which the records of a period are divided: intervals of the calendar, and groups by a
//! trait.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::Serialize;

use crate::filter::TraitName;
use crate::parsed::Invalid;
use crate::time::Timestamp;

/// How records are divided. By default all of them are in one segment. Cloning it is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Segments {
    /// The canonical texts of the instants at which the second interval and every later one begin, as sort
    /// keys compare with them.
    pub edges: Arc<[String]>,
    /// The trait by which records are grouped, if they are.
    pub group_by: Option<GroupBy>,
}

impl Segments {
    /// Divides records into intervals at these instants, in ascending order, and by this trait.
    pub fn new(edges: impl IntoIterator<Item = Timestamp>, group_by: Option<GroupBy>) -> Self {
        Self {
            edges: edges.into_iter().map(|edge| edge.to_string()).collect(),
            group_by,
        }
    }
}

/// The trait by whose value records are grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupBy {
    pub name: TraitName,
    /// The type that its values must have.
    pub kind: GroupKind,
}

/// Parses what [`GroupBy`] displays, and the short form of it: `NAME`, `string.NAME` or `boolean.NAME`. What begins
/// with `user.` is never short.
impl FromStr for GroupBy {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        const EXPECTED: Invalid = Invalid(
            "must be NAME, boolean.NAME, user.traits.string.NAME or user.traits.boolean.NAME, with a name of 1 to 255 bytes",
        );
        let typed = |path: &str| {
            let (kind, name) = path.split_once('.')?;
            Some((kind.parse().ok()?, name.to_owned()))
        };
        let (kind, name) = if text.starts_with("user.") {
            let path = text.strip_prefix("user.traits.");
            path.and_then(typed).ok_or(EXPECTED)?
        } else {
            typed(text).unwrap_or_else(|| (GroupKind::String, text.to_owned()))
        };
        Ok(Self {
            name: name.parse().map_err(|_| EXPECTED)?,
            kind,
        })
    }
}

/// Writes the trait as requests name it.
impl fmt::Display for GroupBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "user.traits.{}.{}", self.kind, self.name.as_str())
    }
}

word_enum! {
    /// The types of traits by which records can be grouped.
    pub enum GroupKind, "must be string or boolean" {
        String = "string",
        Boolean = "boolean",
    }
}

/// The value that the records of a group have in common. The order is that of groups of equal size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum GroupValue<'a> {
    String(&'a str),
    Boolean(bool),
    /// The trait is absent or of another type.
    Null,
}

/// The names of the traits by which records are not grouped, because their values name people (contract,
/// section 4). It is a list of names and promises no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateTraits(Vec<String>);

impl PrivateTraits {
    /// The names where no others are set.
    pub const DEFAULT: &str = "email,name,firstName,lastName,fullName,username,userId,phone,address,comment,\
        feedback,survey.comment";

    /// Returns whether the trait is one of them. ASCII case does not count.
    pub fn contains(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|private| private.eq_ignore_ascii_case(name))
    }
}

/// Takes names that commas separate. Those that follow a `+` are added to the default ones, and others replace
/// these: without a name there is none.
impl From<&str> for PrivateTraits {
    fn from(text: &str) -> Self {
        let (default, text) = match text.trim_start().strip_prefix('+') {
            Some(added) => (Self::DEFAULT, added),
            None => ("", text),
        };
        let names = default
            .split(',')
            .chain(text.split(','))
            .map(str::trim)
            .filter(|name| !name.is_empty());
        Self(names.map(str::to_owned).collect())
    }
}

impl Default for PrivateTraits {
    fn default() -> Self {
        Self::DEFAULT.into()
    }
}
