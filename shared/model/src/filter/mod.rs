//! Filters on the traits of response records (contract, section 4).

mod condition;
mod filters;
mod names;
mod text;

pub use condition::{TraitCondition, TraitValue};
pub use filters::{TraitFilter, TraitFilters, TraitName};
pub use names::{Operator, TraitType, ValueType};
pub use text::InvalidFilter;
