use std::fmt::Write as _;
use std::sync::Arc;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::query::{QueryError, QueryOutput};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use aws_smithy_async::future::pagination_stream::PaginationStream;

use super::attributes::{Attributes, Item, boolean, members, string};
use super::fault::fault;
use super::{Store, count_capacity};
use crate::error::Error;
use crate::model::{Outcome, Period, ProjectId, Rating, TraitName, Usage};

/// What the statistics need of one response record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseRow {
    /// What became of the display.
    pub outcome: Outcome,
    /// The traits asked for, in that order; `None` where one is missing or not a string.
    pub traits: Vec<Option<String>>,
}

/// The records of one shard over a period, page by page.
#[derive(Debug)]
pub struct ResponsePages {
    pages: PaginationStream<Result<QueryOutput, SdkError<QueryError, HttpResponse>>>,
    traits: Vec<TraitName>,
    usage: Arc<Usage>,
}

impl Store {
    /// The records of this shard of the project whose `created` lies in the period, which must not
    /// be empty (DynamoDB refuses bounds in the wrong order). Eventually consistent.
    pub fn responses(
        &self,
        project: &ProjectId,
        shard: u8,
        period: &Period,
        traits: Vec<TraitName>,
        usage: Arc<Usage>,
    ) -> ResponsePages {
        // A sort key is an instant and "#id", so it lies above its own instant and BETWEEN is
        // [start, end).
        let mut query = self
            .client
            .query()
            .table_name(&self.tables.responses)
            .key_condition_expression("#shard = :shard AND #at BETWEEN :start AND :end")
            .expression_attribute_names("#shard", "shard")
            .expression_attribute_names("#at", "at")
            .expression_attribute_values(":shard", AttributeValue::S(format!("{project}#{shard}")))
            .expression_attribute_values(":start", AttributeValue::S(period.start().to_string()))
            .expression_attribute_values(":end", AttributeValue::S(period.end().to_string()))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let mut projection = "#rating, #dismissed".to_owned();
        query = query.expression_attribute_names("#rating", "rating");
        query = query.expression_attribute_names("#dismissed", "dismissed");
        for (n, name) in traits.iter().enumerate() {
            write!(projection, ", #traits.#t{n}").unwrap_or_default();
            query = query.expression_attribute_names(format!("#t{n}"), name.as_str());
        }
        if !traits.is_empty() {
            query = query.expression_attribute_names("#traits", "traits");
        }
        ResponsePages {
            pages: query
                .projection_expression(projection)
                .into_paginator()
                .send(),
            traits,
            usage,
        }
    }
}

impl ResponsePages {
    /// The next page, without the records that cannot be decoded, or `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<Vec<ResponseRow>>, Error> {
        let Some(page) = self.pages.next().await else {
            return Ok(None);
        };
        let page = page.map_err(|error| fault("Query responses", &error))?;
        count_capacity(&self.usage, page.consumed_capacity());
        let items = page.items.unwrap_or_default();
        let found = items.len();
        let rows: Vec<_> = items
            .into_iter()
            .filter_map(|item| decode(item, &self.traits))
            .collect();
        self.usage.add_page(found);
        self.usage.add_skipped(found - rows.len());
        Ok(Some(rows))
    }
}

fn decode(item: Item, names: &[TraitName]) -> Option<ResponseRow> {
    let mut item = Attributes::new(item);
    let outcome = outcome(&mut item)?;
    let mut traits = item.take("traits", members).unwrap_or_default();
    Some(ResponseRow {
        outcome,
        traits: names
            .iter()
            .map(|name| traits.remove(name.as_str()).and_then(string))
            .collect(),
    })
}

/// `None` when the record says something that cannot be: its figures would be plausible but wrong.
pub(super) fn outcome(item: &mut Attributes) -> Option<Outcome> {
    let rating: Option<Rating> = item.take("rating", |value| {
        value.as_n().ok()?.parse::<u8>().ok()?.try_into().ok()
    });
    let dismissed = item.take("dismissed", boolean);
    (!item.damaged).then(|| Outcome::new(rating, dismissed.unwrap_or(false)))
}
