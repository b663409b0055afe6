//! Pages of a list: documents `{"data":[…],"page":{…}}`, of which one says that none follows.

use serde_json::value::RawValue;

use crate::members::JsonObject;

/// Returns whether this member `page` says that no page follows. One of another form says nothing, and one with
/// a cursor is not the last.
pub(crate) fn is_last(page: &[u8]) -> bool {
    let Some(Ok(members)) = str::from_utf8(page).ok().map(JsonObject::parse) else {
        return false;
    };
    let text = |name| members.get(name).map(RawValue::get);
    text("hasNextPage") == Some("false") && matches!(text("nextPageCursor"), None | Some("\"\""))
}

/// The pages of an import.
#[derive(Default)]
pub(crate) struct ListPages {
    count: u64,
    has_last: bool,
}

impl ListPages {
    pub(crate) fn add(&mut self, is_last: bool) {
        self.count += 1;
        self.has_last |= is_last;
    }

    /// Says that a page is missing, if there are pages and none says that it is the last.
    pub(crate) fn missing(&self) -> Option<String> {
        (self.count > 0 && !self.has_last).then(|| {
            format!(
                "a page is missing: none of those that were read ({}) is the last; fetch all pages again",
                self.count
            )
        })
    }
}
