//! Reads whole items, for commands.

use model::Usage;
use model::items::{Json, Partition};

use super::error::Error;
use super::location::Store;
use super::page::QueryPages;
use super::read::{Attributes, PageRead};

/// The items of a partition, page by page. The reads are strongly consistent, so they are complete.
#[derive(Debug)]
pub struct ItemPages {
    pages: QueryPages,
}

impl Store {
    /// Queries the items of a partition.
    pub fn items(&self, partition: Partition, attributes: Attributes) -> ItemPages {
        let pages = self.pages(PageRead {
            attributes,
            is_consistent: true,
            ..PageRead::of(partition)
        });
        ItemPages { pages }
    }
}

impl ItemPages {
    /// Reads the next page, and calls `item` with each of its items in DynamoDB's JSON; `None` means that it
    /// is damaged. Returns `false` after the last page. After an error, the same page is next.
    pub async fn next(&mut self, mut item: impl FnMut(&str) -> Option<()>) -> Result<bool, Error> {
        let read = |json: &mut Json<'_>| item(json.text()?);
        self.pages.read(read, &Usage::default()).await
    }
}
