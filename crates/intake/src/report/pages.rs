//! Pages of a list: documents `{"data":[…],"page":{…}}`, of which one says that none follows.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::members::{JsonObject, scalar};
use crate::rules::reason::quoted;

/// What a page says about the list.
#[derive(Default)]
pub(crate) struct ListPage {
    is_last: bool,
    cursor: Option<String>,
}

impl ListPage {
    /// Parses the member `page`. One of another form says nothing, and one with a cursor is not the last, so
    /// the list is not complete.
    pub(crate) fn parse(json: &[u8]) -> Self {
        let members = str::from_utf8(json).ok().map(JsonObject::parse);
        let Some(Ok(members)) = members else {
            return Self::default();
        };
        let cursor = members.get("nextPageCursor");
        let cursor = cursor.filter(|cursor| cursor.get() != "\"\"");
        let has_next = members.get("hasNextPage");
        Self {
            is_last: has_next.is_some_and(|has_next| has_next.get() == "false") && cursor.is_none(),
            cursor: cursor
                .and_then(|cursor| scalar("nextPageCursor", cursor).ok().map(Cow::into_owned)),
        }
    }
}

/// The pages of an import.
#[derive(Default)]
pub(crate) struct ListPages {
    count: u64,
    has_last: bool,
    /// The last pages that lead to another: where they are, and the cursor.
    cursors: VecDeque<String>,
}

impl ListPages {
    /// Adds a page that begins there.
    pub(crate) fn add(&mut self, place: &str, page: ListPage) {
        const MAX_CURSORS: usize = 3;
        self.count += 1;
        self.has_last |= page.is_last;
        if let Some(cursor) = page.cursor {
            let cursor = shortened(&cursor);
            self.cursors.push_back(format!("{cursor} ({place})"));
            if self.cursors.len() > MAX_CURSORS {
                self.cursors.pop_front();
            }
        }
    }

    /// Says that a page is missing, if there are pages and none says that it is the last.
    pub(crate) fn missing(&self) -> Option<String> {
        if self.count == 0 || self.has_last {
            return None;
        }
        let cursors: Vec<_> = self.cursors.iter().map(String::as_str).collect();
        let cursors = if cursors.is_empty() {
            "none has a cursor".to_owned()
        } else {
            format!("the last cursors are {}", cursors.join(", "))
        };
        Some(format!(
            "a page is missing: none of those that were read ({}) is the last; {cursors}",
            self.count
        ))
    }
}

/// Returns a cursor as a client has to send it, unless it is too long to be one.
fn shortened(cursor: &str) -> String {
    const MAX: usize = 500;
    if cursor.len() > MAX {
        quoted(cursor)
    } else {
        format!("{cursor:?}")
    }
}
