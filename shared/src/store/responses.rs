//! Reads the response records of a project.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;

use super::page::{FetchedPage, ItemReader, Json, Pages, Scalar};
use super::{Error, OutcomesIndex, Store};
use crate::model::{
    GroupBy, GroupKind, GroupValue, Outcome, Period, ProjectId, Rating, Segments, TraitFilters,
    Usage, shard_key,
};

/// The records of one shard over a period, page by page.
#[derive(Debug)]
pub struct ResponsePages {
    pages: Pages,
    filters: TraitFilters,
    segments: Segments,
    usage: Arc<Usage>,
}

/// A page of response records that is still to be decoded.
pub struct ResponsePage<'a> {
    page: FetchedPage<'a>,
    filters: &'a TraitFilters,
    segments: &'a Segments,
    usage: &'a Usage,
}

/// A record that passes the filters, borrowed from the page.
#[derive(Debug)]
pub struct ResponseRow<'a> {
    /// What became of the display.
    pub outcome: Outcome,
    /// The index of its interval; 0 without intervals.
    pub interval: usize,
    /// Its group; null without a trait to group by.
    pub group: GroupValue<'a>,
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
        segments: Segments,
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
        if !segments.edges().is_empty() {
            projection += ", #at";
        }
        // DynamoDB refuses a path that is projected twice.
        let filtered = filters.iter().map(|filter| filter.name.as_str());
        let grouped = segments.group_by().map(|group_by| group_by.name.as_str());
        let names: BTreeSet<_> = filtered.chain(grouped).collect();
        for (n, name) in names.iter().enumerate() {
            write!(projection, ", #traits.#t{n}").unwrap_or_default();
            query = query.expression_attribute_names(format!("#t{n}"), *name);
        }
        if !names.is_empty() {
            query = query.expression_attribute_names("#traits", "traits");
        }
        ResponsePages {
            pages: Pages::new(query.projection_expression(projection), "Query responses"),
            filters,
            segments,
            usage,
        }
    }
}

impl ResponsePages {
    /// Reads the index instead of the table. It holds no traits, so filters and groups need the table.
    #[must_use]
    pub fn in_index(self, index: &OutcomesIndex) -> Self {
        Self {
            pages: self.pages.in_index(&index.name, "Query outcomes"),
            ..self
        }
    }

    /// Fetches the next page; returns `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<ResponsePage<'_>>, Error> {
        let page = self.pages.next().await?;
        Ok(page.map(|page| ResponsePage {
            page,
            filters: &self.filters,
            segments: &self.segments,
            usage: &self.usage,
        }))
    }
}

impl ResponsePage<'_> {
    /// Calls `row` with each record of the page that passes the filters. Skips records that cannot be
    /// decoded.
    pub fn read(self, row: &mut dyn FnMut(ResponseRow<'_>)) -> Result<(), Error> {
        let mut reader = ResponseReader {
            filters: self.filters,
            interval: IntervalCursor {
                edges: self.segments.edges(),
                current: 0,
            },
            group_by: self.segments.group_by(),
            row,
            damaged: 0,
        };
        self.page.read(&mut reader, self.usage)?;
        self.usage.add_skipped(reader.damaged);
        Ok(())
    }
}

struct ResponseReader<'a> {
    filters: &'a TraitFilters,
    interval: IntervalCursor<'a>,
    group_by: Option<&'a GroupBy>,
    row: &'a mut dyn FnMut(ResponseRow<'_>),
    damaged: usize,
}

impl ItemReader for ResponseReader<'_> {
    fn read_item(&mut self, item: &mut Json<'_>) -> Option<()> {
        let (mut rating, mut dismissed) = (Scalar::default(), Scalar::default());
        let (mut at, mut group) = (Scalar::default(), Scalar::default());
        let mut matches = FilterMatches::without_traits(self.filters);
        item.object(|json, name| {
            match &*name {
                "rating" => rating = Scalar::read(json)?,
                "dismissed" => dismissed = Scalar::read(json)?,
                "traits" => read_traits(json, &mut matches, self.group_by, &mut group)?,
                "at" => at = Scalar::read(json)?,
                _ => json.skip_typed()?,
            }
            Some(())
        })?;
        match decode_outcome(&rating, &dismissed) {
            None => self.damaged += 1,
            Some(outcome) if matches.all() => (self.row)(ResponseRow {
                outcome,
                interval: self.interval.of(&at)?,
                group: group_value(&group, self.group_by),
            }),
            Some(_) => {}
        }
        Some(())
    }
}

/// Finds the interval of each record. Records arrive in the order of their keys, so it is nearly
/// always that of the previous one.
struct IntervalCursor<'a> {
    edges: &'a [String],
    current: usize,
}

impl IntervalCursor<'_> {
    /// Returns the index of the interval in which this sort key lies, or `None` if it is no key.
    fn of(&mut self, at: &Scalar<'_>) -> Option<usize> {
        if self.edges.is_empty() {
            return Some(0);
        }
        let Scalar::String(at) = at else { return None };
        let begun = |edge: &String| edge.as_str() <= &**at;
        let (before, after) = self.edges.split_at_checked(self.current)?;
        if !before.last().is_none_or(begun) || after.first().is_some_and(begun) {
            self.current = self.edges.partition_point(begun);
        }
        Some(self.current)
    }
}

fn group_value<'a>(value: &'a Scalar<'_>, group_by: Option<&GroupBy>) -> GroupValue<'a> {
    match (group_by.map(|group_by| group_by.kind), value) {
        (Some(GroupKind::String), Scalar::String(text)) => GroupValue::String(text),
        (Some(GroupKind::Boolean), Scalar::Bool(flag)) => GroupValue::Boolean(*flag),
        _ => GroupValue::Null,
    }
}

/// Reads the traits of a record as far as they are filtered or grouped by.
fn read_traits<'a>(
    json: &mut Json<'a>,
    matches: &mut FilterMatches<'_>,
    group_by: Option<&GroupBy>,
    group: &mut Scalar<'a>,
) -> Option<()> {
    json.typed(|json, kind| {
        if kind != "M" {
            return json.skip_content(kind);
        }
        json.object(|json, name| {
            let filter = matches.position(&name);
            let groups = group_by.is_some_and(|group_by| group_by.name.as_str() == name);
            if filter.is_none() && !groups {
                return json.skip_typed();
            }
            let value = Scalar::read(json)?;
            if let Some(n) = filter {
                matches.check(n, &value);
            }
            if groups {
                *group = value;
            }
            Some(())
        })
    })
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
struct FilterMatches<'a> {
    filters: &'a TraitFilters,
    /// A bit for each filter.
    bits: u32,
}

const _: () = assert!(TraitFilters::MAX <= u32::BITS as usize);

impl<'a> FilterMatches<'a> {
    fn without_traits(filters: &'a TraitFilters) -> Self {
        let mut matches = Self { filters, bits: 0 };
        for (n, filter) in filters.iter().enumerate() {
            matches.set(n, filter.matches(None));
        }
        matches
    }

    fn set(&mut self, n: usize, matches: bool) {
        self.bits = self.bits & !(1 << n) | u32::from(matches) << n;
    }

    fn all(&self) -> bool {
        self.bits.count_ones() as usize == self.filters.len()
    }

    /// Returns the index of the filter on the trait with this name.
    fn position(&self, name: &str) -> Option<usize> {
        self.filters
            .iter()
            .position(|filter| filter.name.as_str() == name)
    }

    /// Notes whether the filter with this index matches the value of its trait.
    fn check(&mut self, n: usize, value: &Scalar<'_>) {
        let text = match value {
            Scalar::String(text) => Some(&**text),
            _ => None,
        };
        if let Some(filter) = self.filters.get(n) {
            self.set(n, filter.matches(text));
        }
    }
}
