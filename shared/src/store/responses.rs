use std::fmt::Write as _;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;

use super::Store;
use super::page::{Json, Pages, Records, Value};
use crate::error::Error;
use crate::model::{Outcome, Period, ProjectId, Rating, TraitFilter, Usage};

/// The records of one shard over a period, page by page.
#[derive(Debug)]
pub struct ResponsePages {
    pages: Pages,
    filters: Arc<[TraitFilter]>,
    usage: Arc<Usage>,
}

impl Store {
    /// The records of this shard of the project whose `created` lies in the period, which must not
    /// be empty (DynamoDB refuses bounds in the wrong order), and that pass all filters. Eventually
    /// consistent.
    pub fn responses(
        &self,
        project: &ProjectId,
        shard: u8,
        period: &Period,
        filters: Arc<[TraitFilter]>,
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
            .expression_attribute_values(":end", AttributeValue::S(period.end().to_string()));
        let mut projection = "#rating, #dismissed".to_owned();
        query = query.expression_attribute_names("#rating", "rating");
        query = query.expression_attribute_names("#dismissed", "dismissed");
        for (n, filter) in filters.iter().enumerate() {
            write!(projection, ", #traits.#t{n}").unwrap_or_default();
            query = query.expression_attribute_names(format!("#t{n}"), filter.name.as_str());
        }
        if !filters.is_empty() {
            query = query.expression_attribute_names("#traits", "traits");
        }
        ResponsePages {
            pages: Pages::of(query.projection_expression(projection), "Query responses"),
            filters,
            usage,
        }
    }
}

impl ResponsePages {
    /// Gives what became of each record of the next page to `count`, without the records that cannot
    /// be decoded; `false` after the last page.
    pub async fn next(&mut self, count: impl FnMut(Outcome)) -> Result<bool, Error> {
        let mut rows = Rows {
            filters: &self.filters,
            count,
            damaged: 0,
        };
        let read = self.pages.read(&mut rows, &self.usage).await?;
        self.usage.add_skipped(rows.damaged);
        Ok(read)
    }
}

/// The records of a page on their way into the count.
struct Rows<'a, F> {
    filters: &'a [TraitFilter],
    count: F,
    damaged: usize,
}

impl<F: FnMut(Outcome)> Records for Rows<'_, F> {
    fn take(&mut self, item: &mut Json<'_>) -> Option<()> {
        let (mut rating, mut dismissed) = (Value::default(), Value::default());
        let mut verdict = Verdict::without_traits(self.filters);
        item.object(|json, name| {
            match &*name {
                "rating" => rating = Value::read(json)?,
                "dismissed" => dismissed = Value::read(json)?,
                "traits" => verdict.read_traits(json)?,
                _ => json.skip()?,
            }
            Some(())
        })?;
        match outcome(&rating, &dismissed) {
            None => self.damaged += 1,
            Some(outcome) if verdict.passes() => (self.count)(outcome),
            Some(_) => {}
        }
        Some(())
    }
}

/// `None` when the record says something that cannot be: its figures would be plausible but wrong.
pub(super) fn outcome(rating: &Value<'_>, dismissed: &Value<'_>) -> Option<Outcome> {
    let rating = match rating {
        Value::Null => None,
        Value::Number(digits) => Some(Rating::try_from(digits.parse::<u8>().ok()?).ok()?),
        _ => return None,
    };
    let dismissed = match dismissed {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        _ => return None,
    };
    Some(Outcome::new(rating, dismissed))
}

/// Which filters hold for a record, a bit each: the contract allows twenty.
struct Verdict<'a> {
    filters: &'a [TraitFilter],
    holds: u32,
}

impl<'a> Verdict<'a> {
    fn without_traits(filters: &'a [TraitFilter]) -> Self {
        let mut verdict = Self { filters, holds: 0 };
        for (n, filter) in filters.iter().enumerate() {
            verdict.set(n, filter.matches(None));
        }
        verdict
    }

    fn set(&mut self, n: usize, holds: bool) {
        self.holds = self.holds & !(1 << n) | u32::from(holds) << n;
    }

    fn passes(&self) -> bool {
        self.holds.count_ones() as usize == self.filters.len()
    }

    fn read_traits(&mut self, json: &mut Json<'_>) -> Option<()> {
        json.object(|json, kind| {
            if kind != "M" {
                return json.skip();
            }
            json.object(|json, name| {
                let mut filters = self.filters.iter().enumerate();
                let named = filters.find(|(_, filter)| filter.name.as_str() == name);
                let Some((n, filter)) = named else {
                    return json.skip();
                };
                let text = Value::read(json)?.string();
                self.set(n, filter.matches(text.as_deref()));
                Some(())
            })
        })
    }
}
