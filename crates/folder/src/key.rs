//! The keys of items as tables store them.

use encoding::ItemMembers;
use model::items::Table;

use super::item_error::ItemError;

/// What a stored key of type string begins with.
pub(super) const STRING: &str = "S:";

pub(super) fn key_text(value: &str) -> String {
    format!("{STRING}{value}")
}

/// The stored key of an item: a hash key, and a range key, which is empty in a table without one.
pub struct StoredKey(pub(super) [String; 2]);

impl StoredKey {
    /// Returns the stored key of an item of a table with a hash key and a range key.
    pub fn new(key: [&str; 2]) -> Self {
        Self(key.map(key_text))
    }

    /// Returns the stored key of an item, which is in DynamoDB's JSON.
    pub(super) fn of_item(table: Table, item: &str) -> Result<Self, ItemError> {
        let item = ItemMembers::of_item(item).ok_or_else(ItemError::no_item)?;
        let text = |name| {
            let text = item.string(name).map(|text| key_text(&text));
            text.ok_or_else(ItemError::no_item)
        };
        let (hash, range) = table.key_names();
        let range = range.map_or_else(|| Ok(String::new()), text)?;
        Ok(Self([text(hash)?, range]))
    }
}
