//! Values that are no maps, lists or sets.

use std::borrow::Cow;

/// A typed value of DynamoDB, such as `{"S":"…"}`, as far as it is a scalar.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Scalar<'a> {
    /// A string.
    String(Cow<'a, str>),
    /// The decimal text of a number.
    Number(Cow<'a, str>),
    /// A boolean.
    Bool(bool),
    /// An absent attribute, or a stored `NULL`, which is the same.
    #[default]
    Null,
    /// A value of another type.
    Other,
}

impl<'a> Scalar<'a> {
    /// Returns its text if it is a string.
    pub fn string(self) -> Option<Cow<'a, str>> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}
