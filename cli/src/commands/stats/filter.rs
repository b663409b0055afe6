//! `--filter`: conditions on traits, as they are drawn.

use shared::model::{TraitFilter, TraitType};

/// Returns the filter in words, with quotes around a string.
pub(super) fn words(filter: &TraitFilter) -> String {
    let (kind, operator, value) = filter.condition.texts();
    let value = match kind {
        TraitType::String => format!("{value:?}"),
        TraitType::Number | TraitType::Boolean => value,
    };
    format!("{} {operator} {value}", filter.name.as_str())
}
