//! Reads the response records of a project.

use std::fmt::Write as _;

use aws_sdk_dynamodb::types::AttributeValue;

use std::sync::Arc;

use super::page::{ItemReader, Json, Pages, Scalar};
use super::{Error, Store};
use crate::model::{
    Outcome, Period, ProjectId, Rating, TraitFilters, TraitValue, Usage, shard_key,
};

/// The records of one shard over a period, page by page.
#[derive(Debug)]
pub struct ResponsePages {
    pages: Pages,
    filters: TraitFilters,
    usage: Arc<Usage>,
}

impl Store {
    /// Queries the records of this shard of the project whose `created` lies in the period and that
    /// pass all filters. The period must not be empty, because DynamoDB refuses bounds in the wrong
    /// order. Eventually consistent.
    pub fn responses(
        &self,
        project: &ProjectId,
        shard: u8,
        period: &Period,
        filters: TraitFilters,
        usage: Arc<Usage>,
    ) -> ResponsePages {
        // A sort key is an instant followed by "#id", so it sorts after the instant itself, and
        // BETWEEN means [start, end).
        let mut query = self
            .client
            .query()
            .table_name(&self.tables.responses)
            .key_condition_expression("#shard = :shard AND #at BETWEEN :start AND :end")
            .expression_attribute_names("#shard", "shard")
            .expression_attribute_names("#at", "at")
            .expression_attribute_names("#rating", "rating")
            .expression_attribute_names("#dismissed", "dismissed")
            .expression_attribute_values(":shard", AttributeValue::S(shard_key(project, shard)))
            .expression_attribute_values(":start", AttributeValue::S(period.start().to_string()))
            .expression_attribute_values(":end", AttributeValue::S(period.end().to_string()));
        let mut projection = "#rating, #dismissed".to_owned();
        for (n, filtered) in filters.iter().enumerate() {
            write!(projection, ", #traits.#t{n}").unwrap_or_default();
            query = query.expression_attribute_names(format!("#t{n}"), filtered.name().as_str());
        }
        if !filters.is_empty() {
            query = query.expression_attribute_names("#traits", "traits");
        }
        ResponsePages {
            pages: Pages::new(query.projection_expression(projection), "Query responses"),
            filters,
            usage,
        }
    }
}

impl ResponsePages {
    /// Reads the next page and calls `count` with the outcome of each record that passes the
    /// filters. Skips records that cannot be decoded. Returns `false` after the last page.
    pub async fn next(&mut self, count: &mut (dyn FnMut(Outcome) + Send)) -> Result<bool, Error> {
        let mut reader = ResponseReader {
            no_traits: FilterMatches::without_traits(&self.filters),
            count,
            damaged: 0,
        };
        let read = self.pages.read(&mut reader, &self.usage).await?;
        self.usage.add_skipped(reader.damaged);
        Ok(read)
    }
}

struct ResponseReader<'a> {
    /// What a record without traits matches.
    no_traits: FilterMatches<'a>,
    count: &'a mut (dyn FnMut(Outcome) + Send),
    damaged: usize,
}

impl ItemReader for ResponseReader<'_> {
    fn read_item(&mut self, item: &mut Json<'_>) -> Option<()> {
        let (mut rating, mut dismissed) = (Scalar::default(), Scalar::default());
        let mut matches = self.no_traits;
        item.object(|json, name| {
            match &*name {
                "rating" => rating = Scalar::read(json)?,
                "dismissed" => dismissed = Scalar::read(json)?,
                "traits" => matches.read_traits(json)?,
                _ => json.skip_typed()?,
            }
            Some(())
        })?;
        match decode_outcome(&rating, &dismissed) {
            None => self.damaged += 1,
            Some(outcome) if matches.all() => (self.count)(outcome),
            Some(_) => {}
        }
        Some(())
    }
}

/// Decodes the outcome of a record from its attributes `rating` and `dismissed`. Returns `None` if
/// one of them has a wrong type or value: to count such a record would make plausible, wrong
/// figures.
pub fn decode_outcome(rating: &Scalar<'_>, dismissed: &Scalar<'_>) -> Option<Outcome> {
    let rating = match rating {
        Scalar::Null => None,
        Scalar::Number(digits) => Some(Rating::try_from(digits.parse::<u8>().ok()?).ok()?),
        _ => return None,
    };
    let dismissed = match dismissed {
        Scalar::Null => false,
        Scalar::Bool(flag) => *flag,
        _ => return None,
    };
    Some(Outcome::new(rating, dismissed))
}

/// Which of the filtered traits of a record match.
#[derive(Clone, Copy)]
struct FilterMatches<'a> {
    filters: &'a TraitFilters,
    /// A bit for each filtered trait, which is set while the trait does not match.
    mismatches: u32,
}

const _: () = assert!(TraitFilters::MAX <= u32::BITS as usize);

impl<'a> FilterMatches<'a> {
    fn without_traits(filters: &'a TraitFilters) -> Self {
        let mut matches = Self {
            filters,
            mismatches: 0,
        };
        for (n, filtered) in filters.iter().enumerate() {
            matches.set(n, filtered.matches(None));
        }
        matches
    }

    fn set(&mut self, n: usize, matches: bool) {
        self.mismatches = self.mismatches & !(1 << n) | u32::from(!matches) << n;
    }

    fn all(&self) -> bool {
        self.mismatches == 0
    }

    fn read_traits(&mut self, json: &mut Json<'_>) -> Option<()> {
        json.typed(|json, kind| {
            if kind != "M" {
                return json.skip_content(kind);
            }
            json.object(|json, name| {
                let mut filters = self.filters.iter().enumerate();
                let named = filters.find(|(_, filtered)| filtered.name().as_str() == name);
                let Some((n, filtered)) = named else {
                    return json.skip_typed();
                };
                let found = Scalar::read(json)?;
                self.set(n, filtered.matches(trait_value(&found)));
                Some(())
            })
        })
    }
}

/// Returns the trait as filters compare it. `None` if it is of a type that they cannot compare.
fn trait_value<'a>(found: &'a Scalar<'_>) -> Option<TraitValue<'a>> {
    match found {
        Scalar::String(text) => Some(TraitValue::String(text)),
        Scalar::Number(digits) => Some(TraitValue::Number(digits)),
        Scalar::Bool(flag) => Some(TraitValue::Boolean(*flag)),
        Scalar::Null | Scalar::Other => None,
    }
}
