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
    /// `None` after the last page.
    next: Option<QueryFluentBuilder>,
    operation: &'static str,
}

impl Pages {
    /// `operation` names the Query in the log.
    pub(super) fn of(query: QueryFluentBuilder, operation: &'static str) -> Self {
        let counted = query.return_consumed_capacity(ReturnConsumedCapacity::Total);
        Self {
            next: Some(counted),
            operation,
        }
    }

    /// Reads the next page into `records`; `false` after the last one.
    pub(super) async fn read<R: Records>(
        &mut self,
        records: &mut R,
        usage: &Usage,
    ) -> Result<bool, Error> {
        let Some(query) = self.next.take() else {
            return Ok(false);
        };
        let body = RawBody::default();
        let sent = query.clone().customize().interceptor(body.clone()).send();
        sent.await.map_err(|error| fault(self.operation, &error))?;
        let page = body
            .take()
            .and_then(|body| document::read(body.bytes()?, records));
        let Some(page) = page else {
            tracing::error!(
                operation = self.operation,
                "the store's answer is malformed"
            );
            return Err(Error::Unavailable);
        };
        usage.add_page(page.records);
        usage.add_capacity(page.capacity_units);
        self.next = page
            .last_key
            .map(|key| query.set_exclusive_start_key(Some(key)));
        Ok(true)
    }
}
