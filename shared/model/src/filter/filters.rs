//! Filters, and the names of traits.

use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use super::condition::TraitCondition;
use crate::invalid::Invalid;

/// The name of a trait: 1–255 bytes of UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraitName(String);

impl TraitName {
    /// Returns whether the text is a name.
    pub fn is_valid(text: &str) -> bool {
        (1..=255).contains(&text.len())
    }

    /// Returns the name as it appears in the `traits` of records.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TraitName {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if Self::is_valid(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid("must name a trait in 1 to 255 bytes"))
        }
    }
}

/// A filter: what is required of a trait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraitFilter {
    /// The name of the trait.
    pub name: TraitName,
    /// What is required of it.
    pub condition: TraitCondition,
}

/// The filters of a request, all of which must hold: at most [`TraitFilters::MAX`], several of which may
/// be of one trait and type. They are sorted by name, type, operator and value, so that the same filters
/// are equal. Cloning them is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraitFilters(Arc<[TraitFilter]>);

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
        filters.sort_by_cached_key(|filter| (filter.name.clone(), filter.condition.texts()));
        Ok(Self(filters.into()))
    }
}

impl Deref for TraitFilters {
    type Target = [TraitFilter];

    fn deref(&self) -> &[TraitFilter] {
        &self.0
    }
}
