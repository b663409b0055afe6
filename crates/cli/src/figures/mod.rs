//! The figures of a project: what is asked of the API, what it answers, and what follows from that. The
//! terminal draws them, and assistants get them.

mod answer;
mod asking;
mod change;
mod grouping;
mod missing;
mod named_period;
mod period;
mod query;
mod statistics;
mod traits;

pub(crate) use answer::{
    Answer, FEW, Figures, GroupName, TimeSpan, warning_of_skipped, without_formats,
};
pub(crate) use asking::{ask, describe, whole};
pub(crate) use change::ScoreChange;
pub(crate) use grouping::GroupTrait;
pub(crate) use missing::MissingTrait;
pub(crate) use period::LocalPeriod;
pub(crate) use query::StatisticsRequest;
pub(crate) use statistics::Statistics;
pub(crate) use traits::Trait;
