//! `describe=traits`: what there is to filter and group by (contract, section 4).

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use items::ResponseItem;
use model::{PrivateTraits, ValueType};
use serde::{Deserialize, Serialize};
use service::error::Error;

use crate::document::{ElementDocument, IdContent};
use crate::query::StatisticsQuery;

/// The traits of the records of all shards.
#[derive(Debug, Default)]
pub(crate) struct TraitCounts {
    /// For each name, how many records have it as each type.
    displays: HashMap<Box<str>, BTreeMap<ValueType, u64>>,
    /// The number of pairs of a name and a type.
    pairs: usize,
}

/// A trait, with one of its types.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Description<'a> {
    pub name: Cow<'a, str>,
    #[serde(rename = "type")]
    pub kind: String,
    /// How many records have it.
    pub displays: u64,
    /// Whether records are not grouped by it.
    pub private: bool,
}

impl TraitCounts {
    const MAX_PAIRS: usize = 1000;

    /// Counts the traits of a record.
    pub(crate) fn add(&mut self, item: &ResponseItem<'_>) -> Result<(), Error> {
        for (name, kind) in item.traits {
            let of_name = match self.displays.get_mut(&**name) {
                Some(of_name) => of_name,
                None => self.displays.entry((&**name).into()).or_default(),
            };
            let displays = of_name.entry(*kind).or_default();
            self.pairs += usize::from(*displays == 0);
            *displays += 1;
            if self.pairs > Self::MAX_PAIRS {
                return Err(too_many_traits());
            }
        }
        Ok(())
    }

    /// Returns the traits, those of the most records first.
    pub(crate) fn document<'a>(
        &'a self,
        query: &StatisticsQuery,
        private: &PrivateTraits,
    ) -> ElementDocument<Description<'a>> {
        let mut pairs = Vec::new();
        for (name, of_name) in &self.displays {
            for (kind, displays) in of_name {
                pairs.push((Reverse(*displays), &**name, *kind));
            }
        }
        pairs.sort_unstable();
        let content = IdContent::new(query).with(&"traits");
        let elements = pairs.into_iter().map(|(Reverse(displays), name, kind)| {
            let kind = kind.to_string();
            let id = content.clone().with(&[name, &kind]).id();
            let description = Description {
                name: name.into(),
                kind,
                displays,
                private: private.contains(name),
            };
            (id, description)
        });
        ElementDocument::new(&query.project, "trait", elements)
    }
}

/// Makes the error of more traits than may be described.
fn too_many_traits() -> Error {
    Error::unprocessable(
        ["too_many_traits", "Too many traits"],
        "The records have more than 1,000 pairs of a trait and a type. Ask for a shorter period, or filter them.",
    )
}
