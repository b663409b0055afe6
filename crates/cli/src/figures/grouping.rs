//! The trait whose values are the groups, as people and assistants write it.

use std::str::FromStr;

use model::{GroupBy, GroupKind, TraitName};

/// A trait to group by: `NAME`, `string.NAME` or `boolean.NAME`.
#[derive(Debug, Clone)]
pub(crate) struct GroupTrait {
    pub(crate) name: TraitName,
    /// The type that was written. Otherwise it is a string, or a boolean where no record has the string.
    pub(crate) kind: Option<GroupKind>,
}

impl FromStr for GroupTrait {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, name) = text.split_once('.').unwrap_or_default();
        let kind = kind.parse().ok();
        let name = if kind.is_some() { name } else { text };
        let name = name.parse().map_err(|error| format!("the name {error}"))?;
        Ok(Self { name, kind })
    }
}

impl GroupTrait {
    /// Returns the parameter of the request.
    pub(crate) fn parameter(&self) -> GroupBy {
        GroupBy {
            name: self.name.clone(),
            kind: self.kind.unwrap_or(GroupKind::String),
        }
    }
}
