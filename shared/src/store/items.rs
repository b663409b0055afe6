//! Reads whole items, for commands.

use super::page::Pages;
use super::read::{Attributes, Consistency, KeyRange, PageRead};
use super::{Error, Store};
use crate::items::{Item, ItemReader, Json, Partition, decode};
use crate::model::Usage;

/// The items of a partition, page by page. The reads are strongly consistent, so they are complete.
#[derive(Debug)]
pub struct ItemPages {
    pages: Pages,
}

/// A page of items.
#[derive(Debug, Default)]
pub struct ItemPage {
    /// Those of its items that are wanted.
    pub items: Vec<Item>,
    /// The number of all its items.
    pub count: u64,
}

impl Store {
    /// Queries the items of a partition.
    pub fn items(&self, partition: Partition, attributes: Attributes) -> ItemPages {
        let pages = self.pages(PageRead {
            partition,
            range: KeyRange::All,
            after: None,
            limit: None,
            attributes,
            consistency: Consistency::Strong,
        });
        ItemPages { pages }
    }
}

impl ItemPages {
    /// Reads the next page; returns `None` after the last one. `is_wanted` chooses the items to decode by their text in
    /// DynamoDB's JSON. After an error, the same page is next.
    pub async fn next(
        &mut self,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Option<ItemPage>, Error> {
        let page = ItemPage::default();
        let mut reader = WantedItems { page, is_wanted };
        let read = self.pages.read(&mut reader, &Usage::default()).await?;
        Ok(read.then_some(reader.page))
    }
}

struct WantedItems<F> {
    page: ItemPage,
    is_wanted: F,
}

impl<F: Fn(&str) -> bool> ItemReader for WantedItems<F> {
    fn read_item(&mut self, item: &mut Json<'_>) -> Option<()> {
        let text = item.text()?;
        self.page.count += 1;
        if (self.is_wanted)(text) {
            self.page.items.push(decode(text.as_bytes())?);
        }
        Some(())
    }
}
