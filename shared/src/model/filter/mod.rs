//! Filters on the traits of response records (contract, section 4).

mod condition;
mod names;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use super::Invalid;

pub use condition::{BooleanValue, Condition, StringValue, TraitConditions};
pub use names::{BooleanOperator, NumberOperator, StringOperator, TraitType};

/// The name of a trait: 1–255 bytes of UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraitName(String);

impl TraitName {
    /// Returns the name as it appears in the `traits` of records.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TraitName {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if (1..=255).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid("must name a trait in 1 to 255 bytes"))
        }
    }
}

/// A trait that is filtered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilteredTrait {
    /// The name of the trait.
    pub name: TraitName,
    /// What is required of it.
    pub conditions: TraitConditions,
}

/// The filters of a request, all of which must hold: of at most [`TraitFilters::MAX`] traits, gathered
/// by trait and sorted by name. Cloning them is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraitFilters(Arc<[FilteredTrait]>);

impl TraitFilters {
    /// The largest number of filters in a request.
    pub const MAX: usize = 20;
}

impl TryFrom<BTreeMap<TraitName, TraitConditions>> for TraitFilters {
    type Error = Invalid;

    fn try_from(traits: BTreeMap<TraitName, TraitConditions>) -> Result<Self, Invalid> {
        if traits.len() > Self::MAX {
            return Err(Invalid("must not be more than 20"));
        }
        let traits = traits.into_iter();
        Ok(Self(
            traits
                .map(|(name, conditions)| FilteredTrait { name, conditions })
                .collect(),
        ))
    }
}

impl Deref for TraitFilters {
    type Target = [FilteredTrait];

    fn deref(&self) -> &[FilteredTrait] {
        &self.0
    }
}
