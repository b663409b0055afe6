//! The groups of records by the value of a trait.

use std::collections::HashMap;

use model::GroupValue;

/// What distinguishes a group of the response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'a> {
    pub(crate) value: GroupValue<'a>,
    /// Whether it consists of all groups that have no element of their own.
    pub(crate) other: bool,
}

/// Numbers the groups of all shards together: the limits hold for what is stored, not for how it is
/// distributed.
#[derive(Debug, Default)]
pub(crate) struct GroupNumbers {
    strings: HashMap<Box<str>, usize>,
    /// The bytes of all strings together.
    string_bytes: usize,
}

/// The values that are no strings, by their numbers.
const FIXED: [GroupValue<'static>; 3] = [
    GroupValue::Null,
    GroupValue::Boolean(false),
    GroupValue::Boolean(true),
];

impl GroupNumbers {
    const MAX_STRING: usize = 1024;
    const MAX_STRING_BYTES: usize = 16 * 1024 * 1024;

    /// Returns the number of this group, or `None` if it exceeds a limit.
    pub(crate) fn number(&mut self, value: GroupValue<'_>) -> Option<usize> {
        let GroupValue::String(text) = value else {
            return FIXED.iter().position(|fixed| *fixed == value);
        };
        if let Some(number) = self.strings.get(text) {
            return Some(*number);
        }
        self.string_bytes += text.len();
        if text.len() > Self::MAX_STRING || self.string_bytes > Self::MAX_STRING_BYTES {
            return None;
        }
        let number = FIXED.len() + self.strings.len();
        self.strings.insert(text.into(), number);
        Some(number)
    }

    /// Returns the values of all groups, with their numbers.
    pub(crate) fn values(&self) -> impl Iterator<Item = (GroupValue<'_>, usize)> {
        let strings = self.strings.iter();
        let strings = strings.map(|(text, number)| (GroupValue::String(text), *number));
        FIXED.into_iter().zip(0..).chain(strings)
    }
}
