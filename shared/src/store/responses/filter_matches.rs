//! Evaluates the filters of a request.

use crate::model::{FilteredTrait, TraitConditions, TraitFilters, TraitType};
use crate::store::page::Scalar;

/// Which filters match a record.
#[derive(Clone, Copy)]
pub(super) struct FilterMatches<'a> {
    traits: &'a [FilteredTrait],
    /// Three bits for each filtered trait, one for each type. A bit is set while the filter of this type
    /// does not match.
    mismatches: u64,
}

const _: () = assert!(3 * TraitFilters::MAX <= u64::BITS as usize);

impl<'a> FilterMatches<'a> {
    pub(super) fn without_traits(traits: &'a [FilteredTrait]) -> Self {
        let mut matches = Self {
            traits,
            mismatches: 0,
        };
        for (n, filtered) in traits.iter().enumerate() {
            let TraitConditions {
                string,
                number,
                boolean,
            } = &filtered.conditions;
            matches.set(
                n,
                TraitType::String,
                string.as_ref().is_none_or(|string| string.matches(None)),
            );
            matches.set(
                n,
                TraitType::Number,
                number.as_ref().is_none_or(|number| number.matches(None)),
            );
            matches.set(
                n,
                TraitType::Boolean,
                boolean.as_ref().is_none_or(|boolean| boolean.matches(None)),
            );
        }
        matches
    }

    fn set(&mut self, n: usize, kind: TraitType, matches: bool) {
        let bit = 3 * n + kind as usize;
        self.mismatches = self.mismatches & !(1 << bit) | u64::from(!matches) << bit;
    }

    pub(super) fn all(&self) -> bool {
        self.mismatches == 0
    }

    /// Returns the index of the filtered trait with this name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let mut traits = self.traits.iter();
        traits.position(|filtered| filtered.name.as_str() == name)
    }

    /// Evaluates the filters on the trait with this index. To filters of another type, the trait is as
    /// good as absent.
    pub(super) fn check(&mut self, n: usize, value: &Scalar<'_>) {
        let Some(FilteredTrait { conditions, .. }) = self.traits.get(n) else {
            return;
        };
        match value {
            Scalar::String(text) => {
                if let Some(string) = &conditions.string {
                    self.set(n, TraitType::String, string.matches(Some(text)));
                }
            }
            Scalar::Number(digits) => {
                if let Some(number) = &conditions.number {
                    self.set(n, TraitType::Number, number.matches(Some(digits)));
                }
            }
            Scalar::Bool(flag) => {
                if let Some(boolean) = &conditions.boolean {
                    self.set(n, TraitType::Boolean, boolean.matches(Some(*flag)));
                }
            }
            Scalar::Null | Scalar::Other => {}
        }
    }
}
