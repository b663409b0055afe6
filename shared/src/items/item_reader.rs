//! What reads the items of a page.

use super::json::Json;

/// Reads the items of a page.
pub trait ItemReader {
    /// Reads one item, attribute by attribute, in any order. Returns `None` if the JSON is
    /// malformed; a damaged item of well-formed JSON is for the reader to count.
    fn read_item(&mut self, item: &mut Json<'_>) -> Option<()>;
}
