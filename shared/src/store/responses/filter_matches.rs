//! Evaluates the filters of a request.

use crate::model::{TraitFilters, TraitValue};
use crate::store::page::Scalar;

/// Which of the filtered traits of a record match.
#[derive(Clone, Copy)]
pub(super) struct FilterMatches<'a> {
    filters: &'a TraitFilters,
    /// A bit for each filtered trait, which is set while the trait does not match.
    mismatches: u32,
}

const _: () = assert!(TraitFilters::MAX <= u32::BITS as usize);

impl<'a> FilterMatches<'a> {
    pub(super) fn without_traits(filters: &'a TraitFilters) -> Self {
        let mut matches = Self {
            filters,
            mismatches: 0,
        };
        for (n, filtered) in filters.iter().enumerate() {
            matches.set(n, filtered.matches(None));
        }
        matches
    }

    fn set(&mut self, n: usize, matches: bool) {
        self.mismatches = self.mismatches & !(1 << n) | u32::from(!matches) << n;
    }

    pub(super) fn all(&self) -> bool {
        self.mismatches == 0
    }

    /// Returns the index of the filtered trait with this name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let mut filters = self.filters.iter();
        filters.position(|filtered| filtered.name().as_str() == name)
    }

    /// Notes whether the filtered trait with this index matches.
    pub(super) fn check(&mut self, n: usize, found: &Scalar<'_>) {
        if let Some(filtered) = self.filters.get(n) {
            self.set(n, filtered.matches(trait_value(found)));
        }
    }
}

/// Returns the trait as filters compare it. `None` if it is of a type that they cannot compare.
fn trait_value<'a>(found: &'a Scalar<'_>) -> Option<TraitValue<'a>> {
    match found {
        Scalar::String(text) => Some(TraitValue::String(text)),
        Scalar::Number(digits) => Some(TraitValue::Number(digits)),
        Scalar::Bool(flag) => Some(TraitValue::Boolean(*flag)),
        Scalar::Null | Scalar::Other => None,
    }
}
