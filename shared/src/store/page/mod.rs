//! Decodes the pages of a Query.
//!
//! A [`LocalStore`] answers, or the SDK signs, sends, retries and times out; but its `HashMap` for every
//! item costs several times more than all of that together. The body of the response is therefore kept
//! as it is, and decoded straight into what the caller needs, borrowing from it.

mod body;
mod document;
mod json;
mod transcode;

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use aws_smithy_types::body::SdkBody;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::Instrument;

use super::connection::ATTEMPT_TIMEOUT;
use super::{Error, ErrorKind, LocalStore};
use crate::model::Usage;

use body::RawBody;
pub(super) use document::ItemReader;
pub(super) use json::Json;
pub use json::Scalar;
pub(super) use transcode::transcode;
pub use transcode::{Text, json_number};

/// An item as the SDK represents it; here, only the key of one.
pub(super) type Item = HashMap<String, AttributeValue>;

/// The pages of a Query, fetched one after the other.
#[derive(Debug)]
pub(super) struct Pages {
    query: QueryFluentBuilder,
    operation: &'static str,
    local: Option<Arc<dyn LocalStore>>,
    prefetches: bool,
    /// `None` after the last page.
    next: Option<Next>,
}

#[derive(Debug)]
enum Next {
    /// The page after this key, or the first one, has still to be requested.
    Unrequested(Option<Item>),
    Requested(Prefetch),
}

/// A page that is being fetched. Dropping it cancels the request.
#[derive(Debug)]
struct Prefetch {
    after: Item,
    body: JoinSet<Result<SdkBody, Error>>,
}

impl Pages {
    /// Makes the pages of this Query; `operation` names it in errors.
    pub(super) fn new(
        query: QueryFluentBuilder,
        operation: &'static str,
        local: Option<Arc<dyn LocalStore>>,
    ) -> Self {
        let first = query.get_exclusive_start_key().clone();
        Self {
            query: query.return_consumed_capacity(ReturnConsumedCapacity::Total),
            operation,
            local,
            prefetches: false,
            next: Some(Next::Unrequested(first)),
        }
    }

    /// Queries this index instead of the table; `operation` names that in errors.
    pub(super) fn in_index(self, index: &str, operation: &'static str) -> Self {
        Self {
            query: self.query.index_name(index),
            operation,
            ..self
        }
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

    /// Fetches the next page; returns `None` after the last one.
    pub(super) async fn next(&mut self) -> Result<Option<FetchedPage<'_>>, Error> {
        let (after, body) = match self.next.take() {
            None => return Ok(None),
            Some(Next::Unrequested(after)) => (after.clone(), self.fetch(after).await?),
            Some(Next::Requested(mut prefetch)) => {
                let panicked = || Error::new(ErrorKind::Internal, self.operation, "panicked");
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

    fn fetch(&self, after: Option<Item>) -> impl Future<Output = Result<SdkBody, Error>> + use<> {
        let query = self.query.clone().set_exclusive_start_key(after);
        let local = self.local.as_ref();
        let local = local.map(|store| store.query(query.as_input()));
        let operation = self.operation;
        async move {
            if let Some(response) = local
                && let Ok(Some(body)) = timeout(ATTEMPT_TIMEOUT, response).await
            {
                return Ok(SdkBody::from(body));
            }
            let body = RawBody::default();
            let sent = query.customize().interceptor(body.clone()).send().await;
            sent.map_err(|error| Error::from_sdk(operation, &error))?;
            Ok(body.take().unwrap_or_else(SdkBody::empty))
        }
    }

    /// Requests the page after this one.
    async fn prefetch(&self, body: &[u8]) -> Option<Prefetch> {
        if !self.prefetches {
            return None;
        }
        let after = document::last_key(body)?;
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
    after: Option<Item>,
    body: SdkBody,
    prefetch: Option<Prefetch>,
}

impl FetchedPage<'_> {
    /// Reads the items of the page.
    pub(super) fn read<R: ItemReader>(self, reader: &mut R, usage: &Usage) -> Result<(), Error> {
        let body = self.body.bytes().unwrap_or_default();
        let page = document::read(body, reader);
        let Some(page) = page.filter(|page| page.advances(self.after.as_ref())) else {
            let code = "not a page of items";
            return Err(Error::new(ErrorKind::Damaged, self.pages.operation, code));
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
