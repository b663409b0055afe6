//! Decodes response records, as far as a request needs them.

use std::borrow::Cow;

use super::filter_matches::FilterMatches;
use super::{RecordDetail, RecordSelection, ResponseRow};
use crate::model::{GroupBy, GroupKind, GroupValue, Outcome, Rating, TraitName, UserId, ValueType};
use crate::store::page::{ItemReader, Json, Scalar};

/// Reads the items of a page, and calls `row` with each record that passes the filters.
pub(super) struct ResponseReader<'a> {
    /// What a record without traits matches.
    no_traits: FilterMatches<'a>,
    interval: IntervalCursor<'a>,
    group_by: Option<&'a GroupBy>,
    detail: RecordDetail,
    row: &'a mut dyn FnMut(ResponseRow<'_>),
    damaged: usize,
}

impl<'a> ResponseReader<'a> {
    pub(super) fn new(
        selection: &'a RecordSelection,
        row: &'a mut dyn FnMut(ResponseRow<'_>),
    ) -> Self {
        Self {
            no_traits: FilterMatches::without_traits(&selection.filters),
            interval: IntervalCursor {
                edges: selection.segments.edges(),
                current: 0,
            },
            group_by: selection.segments.group_by(),
            detail: selection.detail,
            row,
            damaged: 0,
        }
    }

    /// Returns the number of records that could not be decoded.
    pub(super) fn damaged(&self) -> usize {
        self.damaged
    }
}

impl ItemReader for ResponseReader<'_> {
    fn read_item(&mut self, item: &mut Json<'_>) -> Option<()> {
        let (mut rating, mut dismissed) = (Scalar::default(), Scalar::default());
        let (mut at, mut user_id) = (Scalar::default(), Scalar::default());
        let mut traits = Traits {
            matches: self.no_traits,
            group: Scalar::default(),
            types: (self.detail == RecordDetail::Traits).then(Vec::new),
        };
        item.object(|json, name| {
            match &*name {
                "rating" => rating = Scalar::read(json)?,
                "dismissed" => dismissed = Scalar::read(json)?,
                "traits" => traits.read(json, self.group_by)?,
                "at" => at = Scalar::read(json)?,
                "userId" if self.detail == RecordDetail::Respondent => {
                    user_id = Scalar::read(json)?;
                }
                _ => json.skip_typed()?,
            }
            Some(())
        })?;
        match decode_outcome(&rating, &dismissed) {
            None => self.damaged += 1,
            Some(outcome) if traits.matches.all() => (self.row)(ResponseRow {
                outcome,
                interval: self.interval.of(&at)?,
                group: group_value(&traits.group, self.group_by),
                user_id: text(&user_id).filter(|text| UserId::is_valid(text)),
                at: text(&at).unwrap_or_default(),
                traits: traits.types.as_deref().unwrap_or_default(),
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
        let at = text(at)?;
        let begun = |edge: &String| edge.as_str() <= at;
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

fn text<'a>(value: &'a Scalar<'_>) -> Option<&'a str> {
    match value {
        Scalar::String(text) => Some(text),
        _ => None,
    }
}

/// What the traits of a record say, as far as they are filtered, grouped by or described.
struct Traits<'a, 'f> {
    matches: FilterMatches<'f>,
    /// The trait by which records are grouped.
    group: Scalar<'a>,
    /// `None` unless traits are described.
    types: Option<Vec<(Cow<'a, str>, ValueType)>>,
}

impl<'a> Traits<'a, '_> {
    fn read(&mut self, json: &mut Json<'a>, group_by: Option<&GroupBy>) -> Option<()> {
        json.typed(|json, kind| {
            if kind != "M" {
                return json.skip_content(kind);
            }
            json.object(|json, name| {
                let filter = self.matches.position(&name);
                let groups = group_by.is_some_and(|group_by| group_by.name.as_str() == name);
                if filter.is_none() && !groups && self.types.is_none() {
                    return json.skip_typed();
                }
                let value = Scalar::read(json)?;
                if let Some(first) = filter {
                    self.matches.check(first, &value);
                }
                if let Some(types) = &mut self.types
                    && let Some(kind) = value_type(&value)
                    && TraitName::is_valid(&name)
                {
                    types.push((name, kind));
                }
                if groups {
                    self.group = value;
                }
                Some(())
            })
        })
    }
}

/// Returns the type of a trait, or `None` if it is as good as absent.
fn value_type(value: &Scalar<'_>) -> Option<ValueType> {
    match value {
        Scalar::String(_) => Some(ValueType::String),
        Scalar::Number(_) => Some(ValueType::Number),
        Scalar::Bool(_) => Some(ValueType::Boolean),
        Scalar::Other => Some(ValueType::Other),
        Scalar::Null => None,
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
