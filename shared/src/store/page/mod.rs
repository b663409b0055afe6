//! Decodes the pages of a Query.
//!
//! The SDK signs, sends, retries and times out, but its `HashMap` for every item costs several times
//! more than all of that together. The body of the response is therefore kept as it is, and decoded
//! straight into what the caller needs, borrowing from it. A local store returns the same bodies.

mod document;

use aws_smithy_types::body::SdkBody;
use tokio::task::JoinSet;
use tracing::Instrument;

use super::read::PageRead;
use super::{Error, ErrorKind, Source};
use crate::items::ItemReader;
use crate::model::Usage;

/// The pages of a Query, fetched one after the other.
#[derive(Debug)]
pub(super) struct Pages {
    source: Source,
    /// The read of the first page.
    read: PageRead,
    prefetches: bool,
    /// `None` after the last page.
    next: Option<Next>,
}

#[derive(Debug)]
enum Next {
    /// The page after this key, or the first one, has still to be requested.
    Unrequested(Option<String>),
    Requested(Prefetch),
}

/// A page that is being fetched. Dropping it cancels the request.
#[derive(Debug)]
struct Prefetch {
    after: String,
    body: JoinSet<Result<SdkBody, Error>>,
}

impl Pages {
    /// Makes the pages that begin with this read.
    pub(super) fn new(source: Source, first: PageRead) -> Self {
        Self {
            source,
            prefetches: false,
            next: Some(Next::Unrequested(first.after.clone())),
            read: first,
        }
    }

    /// Reads this index instead of the table.
    pub(super) fn in_index(mut self, index: &str) -> Self {
        self.read.index = Some(index.to_owned());
        self
    }

    /// Requests each page before the previous one is decoded, so that the store reads meanwhile.
    /// Concurrent Queries overlap without this.
    pub(super) fn prefetching(self) -> Self {
        Self {
            prefetches: true,
            ..self
        }
    }

    /// Reads the next page; returns `false` after the last one.
    pub(super) async fn read<R: ItemReader>(
        &mut self,
        reader: &mut R,
        usage: &Usage,
    ) -> Result<bool, Error> {
        match self.next().await? {
            Some(page) => page.read(reader, usage).map(|()| true),
            None => Ok(false),
        }
    }

    /// Fetches the next page; returns `None` after the last one. If that fails, it is still the next one.
    pub(super) async fn next(&mut self) -> Result<Option<FetchedPage<'_>>, Error> {
        let (after, body) = match self.next.take() {
            None => return Ok(None),
            Some(Next::Unrequested(after)) => {
                self.next = Some(Next::Unrequested(after.clone()));
                (after.clone(), self.fetch(after).await?)
            }
            Some(Next::Requested(mut prefetch)) => {
                let panicked =
                    || Error::new(ErrorKind::Internal, self.read.operation(), "panicked");
                let joined = prefetch.body.join_next().await;
                let body = joined.and_then(Result::ok).ok_or_else(panicked)??;
                (Some(prefetch.after), body)
            }
        };
        let prefetch = self.prefetch(body.bytes().unwrap_or_default()).await;
        Ok(Some(FetchedPage {
            pages: self,
            after,
            body,
            prefetch,
        }))
    }

    fn fetch(&self, after: Option<String>) -> impl Future<Output = Result<SdkBody, Error>> + use<> {
        let read = PageRead {
            after,
            ..self.read.clone()
        };
        self.source.clone().page(read)
    }

    /// Requests the page after this one.
    async fn prefetch(&self, body: &[u8]) -> Option<Prefetch> {
        if !self.prefetches {
            return None;
        }
        let after = document::last_key(body, &self.read)?;
        let mut body = JoinSet::new();
        body.spawn(self.fetch(Some(after.clone())).in_current_span());
        // A runtime of one thread would otherwise send the request only after decoding.
        tokio::task::yield_now().await;
        Some(Prefetch { after, body })
    }
}

/// A page that is still to be decoded. Without that, there is no next page.
pub(super) struct FetchedPage<'a> {
    pages: &'a mut Pages,
    /// The key that the page begins after; `None` for the first page.
    after: Option<String>,
    body: SdkBody,
    prefetch: Option<Prefetch>,
}

impl FetchedPage<'_> {
    /// Reads the items of the page.
    pub(super) fn read<R: ItemReader>(self, reader: &mut R, usage: &Usage) -> Result<(), Error> {
        let body = self.body.bytes().unwrap_or_default();
        let page = document::read(body, &self.pages.read, reader);
        let Some(page) = page.filter(|page| page.advances(self.after.as_deref())) else {
            let code = "not a page of items";
            return Err(Error::new(
                ErrorKind::Damaged,
                self.pages.read.operation(),
                code,
            ));
        };
        usage.add_page(page.items);
        usage.add_capacity(page.capacity_units);
        let prefetch = self.prefetch;
        self.pages.next = page.last_key.map(|key| match prefetch {
            Some(prefetch) if prefetch.after == key => Next::Requested(prefetch),
            _ => Next::Unrequested(Some(key)),
        });
        Ok(())
    }
}
