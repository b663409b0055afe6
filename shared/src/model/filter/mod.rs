//! Filters on the traits of response records (contract, section 4).

mod condition;
mod names;

use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use super::Invalid;

pub use condition::{BooleanValue, Condition, StringValue, TraitValue};
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

/// A condition on a trait of a response record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraitFilter {
    /// The trait that is compared.
    pub name: TraitName,
    /// What it must meet.
    pub condition: Condition,
}

impl TraitFilter {
    /// Returns what distinguishes the filters of a request from one another, and sorts them.
    fn key(&self) -> (&TraitName, TraitType) {
        (&self.name, self.condition.trait_type())
    }
}

/// A trait that is filtered, with all its conditions: at most one for each type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilteredTrait {
    name: TraitName,
    conditions: Vec<Condition>,
}

impl FilteredTrait {
    /// Returns the name of the trait.
    pub fn name(&self) -> &TraitName {
        &self.name
    }

    /// Returns the conditions, in the order of their types.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Returns whether a record with this trait meets all conditions. `None` stands for a trait that
    /// is absent or of a type that cannot be compared.
    pub fn matches(&self, found: Option<TraitValue<'_>>) -> bool {
        self.conditions
            .iter()
            .all(|condition| condition.matches(found))
    }
}

/// The filters of a request, all of which must hold: at most [`TraitFilters::MAX`], gathered by trait
/// and sorted by name. Cloning them is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraitFilters(Arc<[FilteredTrait]>);

impl TraitFilters {
    /// The largest number of filters in a request.
    pub const MAX: usize = 20;
}

impl TryFrom<Vec<TraitFilter>> for TraitFilters {
    type Error = Invalid;

    fn try_from(mut filters: Vec<TraitFilter>) -> Result<Self, Invalid> {
        if filters.len() > Self::MAX {
            return Err(Invalid("must not be more than 20"));
        }
        filters.sort_by(|one, other| one.key().cmp(&other.key()));
        if !filters.is_sorted_by(|one, other| one.key() < other.key()) {
            return Err(Invalid("must not compare a trait twice as one type"));
        }
        let mut traits: Vec<FilteredTrait> = Vec::new();
        for TraitFilter { name, condition } in filters {
            match traits.last_mut() {
                Some(last) if last.name == name => last.conditions.push(condition),
                _ => traits.push(FilteredTrait {
                    name,
                    conditions: vec![condition],
                }),
            }
        }
        Ok(Self(traits.into()))
    }
}

impl Deref for TraitFilters {
    type Target = [FilteredTrait];

    fn deref(&self) -> &[FilteredTrait] {
        &self.0
    }
}
