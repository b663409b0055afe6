//! The ids of records: derived ones, and those that repeat.

pub(crate) mod derived;
pub(crate) mod repetitions;
mod temporary;
