//! The terms of the service, as types that cannot hold a wrong value. Nothing here performs I/O.

#[macro_use]
mod parsed;

mod calendar;
mod decimal;
mod filter;
mod ids;
mod rating;
mod segments;
mod text;
mod time;

pub use calendar::{Unit, WeekStart};
pub use decimal::Decimal;
pub use filter::{
    FoundTrait, Operator, TraitCondition, TraitFilter, TraitFilters, TraitName, TraitType,
    TraitValue, ValueType,
};
pub use ids::{ProjectId, UserId, content_id, derived_record_id};
pub use parsed::{Invalid, parse_digits};
pub use rating::{Confidence, Outcome, Rating, Respondents};
pub use segments::{GroupBy, GroupKind, GroupValue, PrivateTraits, Segments};
pub use text::{is_control, is_invisible};
pub use time::{Period, Timestamp, Zone};
