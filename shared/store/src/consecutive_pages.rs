//! Pages that are read one after the other: the users of a project, and the whole items that commands read.

use std::sync::Arc;

use items::{Json, Partition, UserItem, UserReader};
use model::{ProjectId, UserId};
use tokio::task::JoinSet;
use tracing::Instrument;

use crate::error::{Error, ErrorKind};
use crate::query_page::{Attributes, FetchedPage, KeyRange, PageRead};
use crate::{Store, TableReader, Usage};

/// Users of a project in ascending byte order of `userId`, page by page.
#[derive(Debug)]
pub struct UserPages {
    pages: QueryPages,
    usage: Arc<Usage>,
}

impl Store {
    /// Queries the user with this `userId`. Eventually consistent.
    pub fn user(&self, project: &ProjectId, user_id: &UserId, usage: Arc<Usage>) -> UserPages {
        let pages = self.pages(PageRead {
            range: KeyRange::Equal(user_id.as_str().to_owned()),
            ..PageRead::of(Partition::of_users(project))
        });
        UserPages { pages, usage }
    }

    /// Queries the users after `after`, or all of them. `page_size` limits the users on a page, in
    /// addition to DynamoDB's limit of 1 MB. Eventually consistent.
    pub fn users(
        &self,
        project: &ProjectId,
        after: Option<&UserId>,
        page_size: Option<u32>,
        usage: Arc<Usage>,
    ) -> UserPages {
        let mut pages = self.pages(PageRead {
            after: after.map(|user_id| user_id.as_str().to_owned()),
            limit: page_size,
            ..PageRead::of(Partition::of_users(project))
        });
        pages.prefetches = page_size.is_none();
        UserPages { pages, usage }
    }
}

impl UserPages {
    /// Reads the next page and calls `visit` with each of its users. Returns `false` after the last
    /// page.
    pub async fn next(
        &mut self,
        visit: &mut (dyn FnMut(UserItem<'_>) + Send),
    ) -> Result<bool, Error> {
        let mut reader = UserReader::new(visit);
        let item = |json: &mut Json<'_>| reader.read_item(json);
        let read = self.pages.read(item, &self.usage).await?;
        let defaulted = reader.defaulted;
        self.usage.add(|totals| totals.defaulted += defaulted);
        Ok(read)
    }
}

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
    /// Reads only these of the items.
    #[must_use]
    pub fn within(mut self, range: KeyRange) -> Self {
        self.pages.read.range = range;
        self
    }

    /// Reads the next page, and calls `item` with each of its items in DynamoDB's JSON; `None` means that it
    /// is damaged. Returns `false` after the last page. After an error, the same page is next.
    pub async fn next(&mut self, mut item: impl FnMut(&str) -> Option<()>) -> Result<bool, Error> {
        let read = |json: &mut Json<'_>| item(json.text()?);
        self.pages.read(read, &Usage::default()).await
    }
}

/// The pages of a Query, fetched one after the other.
#[derive(Debug)]
pub(super) struct QueryPages {
    tables: Arc<dyn TableReader>,
    /// The read of the first page.
    read: PageRead,
    /// Whether each page is requested before the previous one is decoded, so that the store reads meanwhile.
    /// Concurrent Queries overlap without this.
    prefetches: bool,
    /// `None` after the last page.
    next: Option<NextPage>,
}

#[derive(Debug)]
enum NextPage {
    /// The page after this key, or the first one, has still to be requested.
    Unrequested(Option<String>),
    Requested(Prefetch),
}

/// A page that is being fetched. Dropping it cancels the request.
#[derive(Debug)]
struct Prefetch {
    after: String,
    page: JoinSet<Result<FetchedPage, Error>>,
}

impl Store {
    /// Returns the pages that begin with this read.
    pub(super) fn pages(&self, first: PageRead) -> QueryPages {
        QueryPages {
            tables: self.0.clone(),
            prefetches: false,
            next: Some(NextPage::Unrequested(first.after.clone())),
            read: first,
        }
    }
}

impl QueryPages {
    /// Reads the next page, and calls `item` with each of its items; `None` means that the item is malformed.
    /// Returns `false` after the last page. A page that cannot be fetched is still the next one.
    pub(super) async fn read(
        &mut self,
        item: impl FnMut(&mut Json<'_>) -> Option<()>,
        usage: &Usage,
    ) -> Result<bool, Error> {
        let page = match self.next.take() {
            None => return Ok(false),
            Some(NextPage::Unrequested(after)) => {
                self.next = Some(NextPage::Unrequested(after.clone()));
                self.fetch(after).await?
            }
            Some(NextPage::Requested(mut prefetch)) => {
                self.next = Some(NextPage::Unrequested(Some(prefetch.after)));
                let panicked =
                    || Error::new(ErrorKind::Internal, self.read.operation(), "panicked");
                let joined = prefetch.page.join_next().await;
                joined.and_then(Result::ok).ok_or_else(panicked)??
            }
        };
        let prefetch = self.prefetch(&page).await;
        let last_key = page.read(item, usage)?;
        self.next = last_key.map(|key| match prefetch {
            Some(prefetch) if prefetch.after == key => NextPage::Requested(prefetch),
            _ => NextPage::Unrequested(Some(key)),
        });
        Ok(true)
    }

    fn fetch(
        &self,
        after: Option<String>,
    ) -> impl Future<Output = Result<FetchedPage, Error>> + use<> {
        let read = PageRead {
            after,
            ..self.read.clone()
        };
        FetchedPage::fetch(self.tables.clone(), read)
    }

    /// Requests the page after this one.
    async fn prefetch(&self, page: &FetchedPage) -> Option<Prefetch> {
        if !self.prefetches {
            return None;
        }
        let after = page.last_key_in_tail()?;
        let mut next_page = JoinSet::new();
        next_page.spawn(self.fetch(Some(after.clone())).in_current_span());
        // A runtime of one thread would otherwise send the request only after decoding.
        tokio::task::yield_now().await;
        Some(Prefetch {
            after,
            page: next_page,
        })
    }
}
