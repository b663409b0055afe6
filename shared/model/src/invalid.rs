//! What is wrong with a text that cannot be parsed.

/// Why a text is not a value of the requested type: the requirement, worded to follow the name of
/// the parameter ("must be …").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid(pub &'static str);

impl std::fmt::Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Invalid {}
