//! Decodes response records, as far as a request needs them.

use super::filter_matches::FilterMatches;
use super::json::{ItemReader, Json, Scalar};
use crate::model::{GroupBy, GroupKind, GroupValue, Outcome, Rating, Segments, TraitFilters};

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

/// Reads the items of a page, and calls `row` with each record that passes the filters.
pub(crate) struct ResponseReader<'a> {
    /// What a record without traits matches.
    no_traits: FilterMatches<'a>,
    interval: IntervalCursor<'a>,
    group_by: Option<&'a GroupBy>,
    row: &'a mut dyn FnMut(ResponseRow<'_>),
    damaged: usize,
}

impl<'a> ResponseReader<'a> {
    pub(crate) fn new(
        filters: &'a TraitFilters,
        segments: &'a Segments,
        row: &'a mut dyn FnMut(ResponseRow<'_>),
    ) -> Self {
        Self {
            no_traits: FilterMatches::without_traits(filters),
            interval: IntervalCursor {
                edges: segments.edges(),
                current: 0,
            },
            group_by: segments.group_by(),
            row,
            damaged: 0,
        }
    }

    /// Returns the number of records that could not be decoded.
    pub(crate) fn damaged(&self) -> usize {
        self.damaged
    }
}

impl ItemReader for ResponseReader<'_> {
    fn read_item(&mut self, item: &mut Json<'_>) -> Option<()> {
        let (mut rating, mut dismissed) = (Scalar::default(), Scalar::default());
        let (mut at, mut group) = (Scalar::default(), Scalar::default());
        let mut matches = self.no_traits;
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
            if let Some(first) = filter {
                matches.check(first, &value);
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
pub(super) fn decode_outcome(rating: &Scalar<'_>, dismissed: &Scalar<'_>) -> Option<Outcome> {
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
