//! Pages of a Query, decoded by us.
//!
//! The SDK signs, sends, retries and times out, but a `HashMap` for every record costs several times
//! more than all of that. So the answer's body is taken as it is, and decoded straight into what is
//! needed, borrowing from it.

mod body;
mod document;
mod json;
mod transcode;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use aws_smithy_types::body::SdkBody;
use tokio::task::JoinSet;
use tracing::Instrument;

use super::attributes::Item;
use super::fault::fault;
use crate::error::Error;
use crate::model::Usage;

use body::RawBody;
pub(super) use document::Records;
pub(super) use json::{Json, Value};
pub(super) use transcode::{quote, transcode};

/// The answers to a Query, page by page.
#[derive(Debug)]
pub(super) struct Pages {
    query: QueryFluentBuilder,
    operation: &'static str,
    asks_ahead: bool,
    /// `None` after the last page.
    next: Option<Next>,
}

#[derive(Debug)]
enum Next {
    /// The page after this key, or the first.
    ToAsk(Option<Item>),
    Asked(Ahead),
}

/// A page that is under way. Dropping it takes the question back.
#[derive(Debug)]
struct Ahead {
    after: Item,
    body: JoinSet<Result<SdkBody, Error>>,
}

impl Pages {
    /// `operation` names the Query in the log.
    pub(super) fn of(query: QueryFluentBuilder, operation: &'static str) -> Self {
        let first = query.get_exclusive_start_key().clone();
        Self {
            query: query.return_consumed_capacity(ReturnConsumedCapacity::Total),
            operation,
            asks_ahead: false,
            next: Some(Next::ToAsk(first)),
        }
    }

    /// Asks for the next page before the current one is decoded, so that the store reads while we do.
    /// Where several Queries are under way it does so anyway.
    pub(super) fn asking_ahead(self) -> Self {
        Self {
            asks_ahead: true,
            ..self
        }
    }

    /// Reads the next page into `records`; `false` after the last one.
    pub(super) async fn read<R: Records>(
        &mut self,
        records: &mut R,
        usage: &Usage,
    ) -> Result<bool, Error> {
        let body = match self.next.take() {
            None => return Ok(false),
            Some(Next::ToAsk(after)) => self.ask(after).await?,
            Some(Next::Asked(mut ahead)) => match ahead.body.join_next().await {
                Some(Ok(body)) => body?,
                // It panicked.
                _ => return Err(Error::Internal),
            },
        };
        let body = body.bytes().unwrap_or_default();
        let ahead = self.ask_ahead(body).await;
        let Some(page) = document::read(body, records) else {
            tracing::error!(
                operation = self.operation,
                "the store's answer is malformed"
            );
            return Err(Error::Unavailable);
        };
        usage.add_page(page.records);
        usage.add_capacity(page.capacity_units);
        self.next = page.last_key.map(|key| match ahead {
            Some(ahead) if ahead.after == key => Next::Asked(ahead),
            _ => Next::ToAsk(Some(key)),
        });
        Ok(true)
    }

    fn ask(&self, after: Option<Item>) -> impl Future<Output = Result<SdkBody, Error>> + use<> {
        let body = RawBody::default();
        let query = self.query.clone().set_exclusive_start_key(after);
        let sent = query.customize().interceptor(body.clone()).send();
        let operation = self.operation;
        async move {
            sent.await.map_err(|error| fault(operation, &error))?;
            Ok(body.take().unwrap_or_else(SdkBody::empty))
        }
    }

    /// Asks for the page after this one.
    async fn ask_ahead(&self, body: &[u8]) -> Option<Ahead> {
        if !self.asks_ahead {
            return None;
        }
        let after = document::last_key(body)?;
        let mut body = JoinSet::new();
        body.spawn(self.ask(Some(after.clone())).in_current_span());
        // On a runtime of one thread the question leaves now, or only when the page is decoded.
        tokio::task::yield_now().await;
        Some(Ahead { after, body })
    }
}
