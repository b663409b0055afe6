//! Reads the response records of a project.

use std::fmt::Write as _;

use aws_sdk_dynamodb::types::AttributeValue;

use std::sync::Arc;

use super::page::{ItemReader, Json, Pages, Scalar};
use super::{Error, Store};
use crate::model::{
    FilteredTrait, Outcome, Period, ProjectId, Rating, TraitConditions, TraitFilters, TraitType,
    Usage, shard_key,
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
            query = query.expression_attribute_names(format!("#t{n}"), filtered.name.as_str());
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

/// Which filters match a record.
#[derive(Clone, Copy)]
struct FilterMatches<'a> {
    traits: &'a [FilteredTrait],
    /// Three bits for each filtered trait, one for each type. A bit is set while the filter of this type
    /// does not match.
    mismatches: u64,
}

const _: () = assert!(3 * TraitFilters::MAX <= u64::BITS as usize);

impl<'a> FilterMatches<'a> {
    fn without_traits(traits: &'a [FilteredTrait]) -> Self {
        let mut matches = Self {
            traits,
            mismatches: 0,
        };
        for (n, filtered) in traits.iter().enumerate() {
            let TraitConditions {
                string,
                number,
                boolean,
            } = &filtered.conditions;
            matches.set(
                n,
                TraitType::String,
                string.as_ref().is_none_or(|string| string.matches(None)),
            );
            matches.set(
                n,
                TraitType::Number,
                number.as_ref().is_none_or(|number| number.matches(None)),
            );
            matches.set(
                n,
                TraitType::Boolean,
                boolean.as_ref().is_none_or(|boolean| boolean.matches(None)),
            );
        }
        matches
    }

    fn set(&mut self, n: usize, kind: TraitType, matches: bool) {
        let bit = 3 * n + kind as usize;
        self.mismatches = self.mismatches & !(1 << bit) | u64::from(!matches) << bit;
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
                let mut traits = self.traits.iter().enumerate();
                let named = traits.find(|(_, filtered)| filtered.name.as_str() == name);
                let Some((n, filtered)) = named else {
                    return json.skip_typed();
                };
                let TraitConditions {
                    string,
                    number,
                    boolean,
                } = &filtered.conditions;
                // To filters of another type, the trait is as good as absent.
                match Scalar::read(json)? {
                    Scalar::String(text) => {
                        if let Some(string) = string {
                            self.set(n, TraitType::String, string.matches(Some(&text)));
                        }
                    }
                    Scalar::Number(digits) => {
                        if let Some(number) = number {
                            self.set(n, TraitType::Number, number.matches(Some(&digits)));
                        }
                    }
                    Scalar::Bool(flag) => {
                        if let Some(boolean) = boolean {
                            self.set(n, TraitType::Boolean, boolean.matches(Some(flag)));
                        }
                    }
                    Scalar::Null | Scalar::Other => {}
                }
                Some(())
            })
        })
    }
}
