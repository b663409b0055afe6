//! The segments into which the records of a period are divided: intervals, and groups by a trait.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{Timestamp, TraitName};

/// How records are divided. By default all of them are in one segment. Cloning it is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Segments {
    edges: Arc<[String]>,
    group_by: Option<GroupBy>,
}

/// The trait by whose value records are grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupBy {
    /// The trait's name.
    pub name: TraitName,
    /// The type that its values must have.
    pub kind: GroupKind,
}

/// The types of traits by which records can be grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// Strings.
    String,
    /// Booleans.
    Boolean,
}

/// The value that the records of a group have in common. The order is that of groups of equal size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupValue<'a> {
    /// A string.
    String(&'a str),
    /// A boolean.
    Boolean(bool),
    /// The trait is absent or of another type.
    Null,
}

impl Segments {
    /// Divides records into intervals at these instants, in ascending order, and by this trait.
    pub fn new(edges: impl IntoIterator<Item = Timestamp>, group_by: Option<GroupBy>) -> Self {
        Self {
            edges: edges.into_iter().map(|edge| edge.to_string()).collect(),
            group_by,
        }
    }

    /// Returns the canonical texts of the instants at which the second interval and every later one
    /// begin, as sort keys compare with them.
    pub fn edges(&self) -> &[String] {
        &self.edges
    }

    /// Returns the trait by which records are grouped, if they are.
    pub fn group_by(&self) -> Option<&GroupBy> {
        self.group_by.as_ref()
    }
}

impl GroupKind {
    /// Returns the type's name in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Boolean => "boolean",
        }
    }
}

/// Writes the bare value.
impl Serialize for GroupValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(text) => serializer.serialize_str(text),
            Self::Boolean(flag) => serializer.serialize_bool(*flag),
            Self::Null => serializer.serialize_none(),
        }
    }
}
