//! The terms of the service, as types that cannot hold a wrong value, and the format of the tables as
//! requests read it ([`items`]), which the terms do not know. Nothing here performs I/O.

mod adjusted_score;
mod calendar;
mod confidence;
mod credential;
mod decimal;
mod filter;
mod hash;
mod invalid;
pub mod items;
mod named;
mod outcome;
mod period;
mod private_traits;
mod project;
mod respondents;
mod segments;
mod timestamp;
mod usage;
mod user;
mod zone;

pub use adjusted_score::AdjustedScore;
pub use calendar::{Unit, WeekStart};
pub use confidence::Confidence;
pub use credential::{Account, Credential, CredentialKind, Secret};
pub use decimal::Decimal;
pub use filter::{
    InvalidFilter, Operator, TraitCondition, TraitFilter, TraitFilters, TraitName, TraitType,
    TraitValue, ValueType,
};
pub use hash::{Digest, content_id};
pub use invalid::Invalid;
pub use outcome::{Outcome, Rating};
pub use period::Period;
pub use private_traits::PrivateTraits;
pub use project::ProjectId;
pub use respondents::Respondents;
pub use segments::{GroupBy, GroupKind, GroupValue, Segments};
pub use timestamp::Timestamp;
pub use usage::{Totals, Usage};
pub use user::{UserId, derived_record_id};
pub use zone::Zone;
