//! What is read of a table in one page.

use std::collections::BTreeSet;

use items::Partition;
use model::Timestamp;
use serde::{Deserialize, Serialize};

/// A read of a page of items with one hash key, in ascending byte order of their range keys.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PageRead {
    pub partition: Partition,
    pub range: KeyRange,
    /// The range key after which the page begins; `None` for the first page.
    pub after: Option<String>,
    /// The greatest number of items, in addition to the limit of 1 MB.
    pub limit: Option<u32>,
    /// What is needed of each item. A store may return more.
    pub projection: Projection,
    /// Whether the page has all acknowledged writes, at twice the price; otherwise, writes of the last moments
    /// may be missing.
    pub is_consistent: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyRange {
    All,
    Equal(String),
    /// The keys between these two, both inclusive, in order.
    Between([String; 2]),
}

impl KeyRange {
    /// Returns the keys of the response records that were created from `start` on, and before `end`. Without one of
    /// these, they have no such bound.
    pub fn of_responses(start: Option<Timestamp>, end: Option<Timestamp>) -> Self {
        if start.is_none() && end.is_none() {
            return Self::All;
        }
        // Keys begin with the year.
        let first = start.map_or("0".to_owned(), |start| start.to_string());
        // A text between the keys of all earlier instants and the end. `BETWEEN` includes its bounds, and a key may be
        // an instant alone.
        let last = end.map_or("~".to_owned(), |end| end.to_string().replace('Z', "Y"));
        Self::Between([first, last])
    }
}

/// What is needed of each item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Projection {
    All,
    Key,
    Outcome {
        /// The names of the attributes that are needed, too.
        others: Vec<String>,
        /// The traits that are needed, unless `traits` are among these attributes.
        traits: BTreeSet<String>,
    },
}

impl PageRead {
    /// Makes the read of whole items from the first one on, as far as they fit on a page. Eventually
    /// consistent.
    pub fn of(partition: Partition) -> Self {
        Self {
            partition,
            range: KeyRange::All,
            after: None,
            limit: None,
            projection: Projection::All,
            is_consistent: false,
        }
    }

    /// Returns the name of the read in errors.
    pub fn operation(&self) -> &'static str {
        match (&self.partition, &self.range) {
            (Partition::Users(_), KeyRange::Equal(_)) => "Query user",
            (Partition::Users(_), _) => "Query users",
            (Partition::Responses(_), _) => "Query responses",
        }
    }
}

impl Projection {
    /// Returns whether the index of outcomes has all of them (docs/item-format.md). It has neither traits nor
    /// users.
    pub fn are_indexed(&self) -> bool {
        match self {
            Self::Outcome { others, traits } => {
                traits.is_empty() && others.iter().all(|name| name == "at")
            }
            Self::All | Self::Key => false,
        }
    }
}
