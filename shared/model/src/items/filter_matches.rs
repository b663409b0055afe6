//! Evaluates the filters of a request.

use super::scalar::Scalar;
use crate::{Decimal, Operator, TraitCondition, TraitFilter, TraitFilters, TraitValue};

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

/// Returns whether the condition holds, or `None` if the trait is of another type. Digits that are no number
/// are as good as absent.
#[inline]
fn evaluate(condition: &TraitCondition, found: &Scalar<'_>) -> Option<bool> {
    let operator = condition.operator;
    let order = match (&condition.value, found) {
        (TraitValue::String(value), Scalar::String(text)) => match operator {
            Operator::Contains => return Some(text.contains(value)),
            Operator::Ncontains => return Some(!text.contains(value)),
            _ => Some((**text).cmp(value)),
        },
        (TraitValue::Number(value), Scalar::Number(digits)) => {
            let number: Option<Decimal> = digits.parse().ok();
            number.map(|number| number.cmp(value))
        }
        (TraitValue::Boolean(value), Scalar::Bool(flag)) => Some(flag.cmp(value)),
        _ => return None,
    };
    Some(operator.holds(order))
}
