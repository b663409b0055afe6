//! Evaluates the filters of a request.

use super::scalar::Scalar;
use crate::{TraitCondition, TraitFilter, TraitFilters};

/// Which filters match a record.
#[derive(Clone, Copy)]
pub(super) struct FilterMatches<'a> {
    filters: &'a [TraitFilter],
    /// A bit for each filter, which is set while the filter does not match.
    mismatches: u32,
}

const _: () = assert!(TraitFilters::MAX <= u32::BITS as usize);

impl<'a> FilterMatches<'a> {
    pub(super) fn without_traits(filters: &'a TraitFilters) -> Self {
        let mut matches = Self {
            filters,
            mismatches: 0,
        };
        for (n, filter) in filters.iter().enumerate() {
            matches.set(n, filter.condition.matches_absent());
        }
        matches
    }

    fn set(&mut self, n: usize, matches: bool) {
        self.mismatches = self.mismatches & !(1 << n) | u32::from(!matches) << n;
    }

    pub(super) fn all(&self) -> bool {
        self.mismatches == 0
    }

    /// Returns the index of the first filter on the trait with this name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let mut filters = self.filters.iter();
        filters.position(|filter| filter.name.as_str() == name)
    }

    /// Evaluates the filters on one trait, the first of which has this index. To filters of another type, the
    /// trait is as good as absent.
    pub(super) fn check(&mut self, first: usize, value: &Scalar<'_>) {
        let mut n = first;
        while let Some(filter) = self.filters.get(n) {
            if let Some(matches) = evaluate(&filter.condition, value) {
                self.set(n, matches);
            }
            n += 1;
            let next = self.filters.get(n);
            if next.is_none_or(|next| next.name != filter.name) {
                return;
            }
        }
    }
}

/// Returns whether the condition holds, or `None` if the value is of another type.
#[inline]
fn evaluate(condition: &TraitCondition, value: &Scalar<'_>) -> Option<bool> {
    match value {
        Scalar::String(text) => condition.matches_string(text),
        Scalar::Number(digits) => condition.matches_number(digits),
        Scalar::Bool(flag) => condition.matches_boolean(*flag),
        Scalar::Null | Scalar::Other => None,
    }
}
