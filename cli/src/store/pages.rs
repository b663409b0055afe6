//! The pages of a Query.

use aws_sdk_dynamodb::operation::query::QueryOutput;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;
use shared::store::Error;

use super::AdminStore;
use super::backoff::unless_throttled;

/// Reads the pages of a Query one after the other.
pub(super) struct Pages {
    /// The Query of the next page; `None` after the last one.
    next: Option<QueryFluentBuilder>,
}

impl AdminStore {
    /// Queries the items with this hash key, strongly consistent.
    pub(super) fn query(&self, table: &str, hash: &str, value: String) -> QueryFluentBuilder {
        self.client
            .query()
            .table_name(table)
            .consistent_read(true)
            .key_condition_expression("#hash = :hash")
            .expression_attribute_names("#hash", hash)
            .expression_attribute_values(":hash", AttributeValue::S(value))
    }
}

impl Pages {
    pub(super) fn of(query: QueryFluentBuilder) -> Self {
        Self { next: Some(query) }
    }

    /// Returns the next page, or `None` after the last one.
    pub(super) async fn next(&mut self) -> Result<Option<QueryOutput>, Error> {
        let Some(query) = self.next.take() else {
            return Ok(None);
        };
        let page = unless_throttled("Query", async || query.clone().send().await).await?;
        let last = page.last_evaluated_key();
        self.next = last.map(|key| query.set_exclusive_start_key(Some(key.clone())));
        Ok(Some(page))
    }
}
