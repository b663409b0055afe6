//! What is wrong with a text that cannot be parsed.

/// Why a text is not a value of the requested type: the requirement, worded to follow the name of
/// the parameter ("must be …").
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub &'static str);
