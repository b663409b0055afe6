//! Decodes the pages of a Query.
//!
//! The SDK signs, sends, retries and times out, but its `HashMap` for every item costs several times
//! more than all of that together. The body of the response is therefore kept as it is, and decoded
//! straight into what the caller needs, borrowing from it. A local store returns the same bodies.

mod document;

use aws_smithy_types::body::SdkBody;
use model::Usage;
use model::items::Json;
use tokio::task::JoinSet;
use tracing::Instrument;

use document::PageOutline;

use super::error::{Error, ErrorKind};
use super::location::{Location, Store};
use super::read::PageRead;

/// The pages of a Query, fetched one after the other.
#[derive(Debug)]
pub(super) struct QueryPages {
    location: Location,
    /// The read of the first page.
    read: PageRead,
    /// Whether each page is requested before the previous one is decoded, so that the store reads meanwhile.
    /// Concurrent Queries overlap without this.
    pub(super) prefetches: bool,
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
            location: self.0.clone(),
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
        FetchedPage::fetch(self.location.clone(), read)
    }

    /// Requests the page after this one.
    async fn prefetch(&self, page: &FetchedPage) -> Option<Prefetch> {
        if !self.prefetches {
            return None;
        }
        let after = document::last_key(page.bytes(), &self.read)?;
        let mut body = JoinSet::new();
        body.spawn(self.fetch(Some(after.clone())).in_current_span());
        // A runtime of one thread would otherwise send the request only after decoding.
        tokio::task::yield_now().await;
        Some(Prefetch { after, page: body })
    }
}

/// A page that is still to be decoded.
#[derive(Debug)]
pub(super) struct FetchedPage {
    read: PageRead,
    body: SdkBody,
}

impl FetchedPage {
    pub(super) async fn fetch(location: Location, read: PageRead) -> Result<Self, Error> {
        let body = location.page(read.clone()).await?;
        Ok(Self { read, body })
    }

    fn bytes(&self) -> &[u8] {
        self.body.bytes().unwrap_or_default()
    }

    /// Calls `item` with each item of the page. Returns the range key after which the next page begins;
    /// `None` on the last page.
    pub(super) fn read(
        &self,
        item: impl FnMut(&mut Json<'_>) -> Option<()>,
        usage: &Usage,
    ) -> Result<Option<String>, Error> {
        let page = document::read(self.bytes(), &self.read, item);
        // A page that ends at the key after which it begins, or before that key, repeats an earlier page.
        let advances =
            |page: &PageOutline| page.last_key.is_none() || page.last_key > self.read.after;
        let Some(page) = page.filter(advances) else {
            let code = "not a page of items";
            return Err(Error::new(ErrorKind::Damaged, self.read.operation(), code));
        };
        usage.add(|totals| {
            totals.pages += 1;
            totals.records += page.items;
            totals.capacity_units += page.capacity_units;
        });
        Ok(page.last_key)
    }
}
