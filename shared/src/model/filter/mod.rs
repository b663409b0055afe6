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

/// The filters of a request, all of which must hold: at most [`TraitFilters::MAX`], gathered by trait
/// and sorted by name. Cloning them is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraitFilters(Arc<[FilteredTrait]>);

impl TraitFilters {
    /// The largest number of filters in a request.
    pub const MAX: usize = 20;
}

impl TryFrom<BTreeMap<TraitName, TraitConditions>> for TraitFilters {
    type Error = Invalid;

    fn try_from(traits: BTreeMap<TraitName, TraitConditions>) -> Result<Self, Invalid> {
        let count: usize = traits.values().map(TraitConditions::count).sum();
        if count > Self::MAX {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn filters(traits: usize, has_boolean: bool) -> Result<TraitFilters, Invalid> {
        let boolean = Condition {
            operator: BooleanOperator::Eq,
            value: "true".parse().unwrap(),
        };
        let conditions = TraitConditions {
            string: Some(Condition {
                operator: StringOperator::Eq,
                value: "pro".parse().unwrap(),
            }),
            number: Some(Condition {
                operator: NumberOperator::Eq,
                value: "1".parse().unwrap(),
            }),
            boolean: has_boolean.then_some(boolean),
        };
        let traits = (0..traits).map(|n| (format!("t{n}").parse().unwrap(), conditions.clone()));
        traits.collect::<BTreeMap<_, _>>().try_into()
    }

    #[test]
    fn the_conditions_of_all_types_are_at_most_twenty() {
        assert!(filters(6, true).is_ok());
        assert!(filters(10, false).is_ok());
        assert!(filters(7, true).is_err());
        assert!(filters(11, false).is_err());
    }
}
