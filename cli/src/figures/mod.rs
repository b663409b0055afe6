//! The figures of a project: what is asked of the API, what it answers, and what follows from that. The terminal draws
//! them, and assistants get them.

mod answer;
mod change;
mod grouping;
mod missing;
mod period;
mod query;
mod traits;

pub(crate) use answer::{FEW, Figures, Group, Interval, Value, ask, parse, without_formats};
pub(crate) use change::Change;
pub(crate) use grouping::Grouping;
pub(crate) use missing::MissingTrait;
pub(crate) use period::Period;
pub(crate) use query::Query;
pub(crate) use traits::{Trait, describe};
