//! What the operations read, in the terms of the tables.

use std::collections::BTreeSet;
use std::fmt;
use std::pin::Pin;

use super::Error;
use crate::items::{PagedTable, Partition};
use crate::model::Digest;

/// A read of a page of items with one hash key, in ascending byte order of their range keys.
#[derive(Debug, Clone)]
pub struct PageRead {
    /// The items with one hash key.
    pub partition: Partition,
    /// Which range keys are read.
    pub range: KeyRange,
    /// The range key after which the page begins; `None` for the first page.
    pub after: Option<String>,
    /// The greatest number of items, in addition to the limit of 1 MB.
    pub limit: Option<u32>,
    /// What is needed of each item. A store may return more.
    pub attributes: Attributes,
    /// How recent the items are.
    pub consistency: Consistency,
}

/// How recent what is read is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consistency {
    /// Writes of the last moments may be missing.
    Eventual,
    /// All acknowledged writes are there, at twice the price.
    Strong,
}

/// Which range keys are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyRange {
    /// All.
    All,
    /// This one.
    Equal(String),
    /// These, both inclusive, in order.
    Between([String; 2]),
}

/// What is needed of each item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attributes {
    /// Everything.
    All,
    /// The key.
    Key,
    /// What became of a display.
    Outcome {
        /// The names of the attributes that are needed, too.
        others: Vec<&'static str>,
        /// The traits that are needed, unless `traits` are among these attributes.
        traits: BTreeSet<String>,
    },
}

impl PageRead {
    /// Returns the name of the read in errors.
    pub fn operation(&self) -> &'static str {
        match (self.partition.table, &self.range) {
            (PagedTable::Users, KeyRange::Equal(_)) => "Query user",
            (PagedTable::Users, _) => "Query users",
            (PagedTable::Responses, _) => "Query responses",
        }
    }
}

impl Attributes {
    /// Returns whether the index of outcomes has all of them (docs/item-format.md). It has neither traits nor
    /// users.
    pub fn are_indexed(&self) -> bool {
        let [_, at] = PagedTable::Responses.key_names();
        match self {
            Self::Outcome { others, traits } => {
                traits.is_empty() && others.iter().all(|name| *name == at)
            }
            Self::All | Self::Key => false,
        }
    }
}

/// A store in the process of its caller, which reads the same items without the SDK.
pub trait LocalStore: fmt::Debug + Send + Sync {
    /// Returns the page.
    fn page(&self, read: PageRead) -> LocalRead<LocalPage>;

    /// Returns the item of the credential with this digest, which is its `digest`, in DynamoDB's JSON.
    fn credential(&self, digest: Digest) -> LocalRead<Option<String>>;
}

/// A page of a [`LocalStore`]. It says which items it has, since what is read of an item need not.
#[derive(Debug, Clone)]
pub struct LocalPage {
    /// The body of a Query's response in DynamoDB's JSON.
    pub body: Vec<u8>,
    /// The hash key of the items.
    pub partition: Partition,
    /// The range keys of the first item and the last; `None` on a page without items.
    pub keys: Option<[String; 2]>,
}

impl LocalPage {
    /// Returns whether the read is for these items, as far as the first and the last show it.
    pub(super) fn answers(&self, read: &PageRead) -> bool {
        let is_read = |[first, last]: &[String; 2]| {
            first <= last
                && Some(first) > read.after.as_ref()
                && read.range.contains(first)
                && read.range.contains(last)
        };
        self.partition == read.partition && self.keys.as_ref().is_none_or(is_read)
    }
}

impl KeyRange {
    fn contains(&self, key: &str) -> bool {
        match self {
            Self::All => true,
            Self::Equal(only) => key == only,
            Self::Between([low, high]) => (low.as_str()..=high.as_str()).contains(&key),
        }
    }
}

/// A read of a [`LocalStore`].
pub type LocalRead<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;
