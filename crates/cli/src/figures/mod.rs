//! The figures of a project: what is asked of the API, what it answers, and what follows from that. The
//! terminal draws them, and assistants get them.

mod answer;
mod missing_trait;
mod period;
mod scale;
mod statistics;
mod statistics_request;

pub(crate) use answer::{Answer, Element, Trait, name_of_group, warning_of_skipped};
pub(crate) use missing_trait::MissingTrait;
pub(crate) use period::LocalPeriod;
pub(crate) use scale::warning_of_scale;
pub(crate) use statistics::Statistics;
pub(crate) use statistics_request::{StatisticsRequest, date};
