//! Decodes response records, as far as a request needs them.

use std::borrow::Cow;

use model::{
    FoundTrait, GroupBy, GroupKind, GroupValue, Outcome, Period, ProjectId, Rating, Segments,
    TraitFilter, TraitFilters, TraitName, UserId, ValueType,
};

use crate::json::{Json, Scalar};

/// Which records of a project are read, and what of them. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct ItemSelection {
    pub project: ProjectId,
    /// The period in which they were created. It must not be empty, because DynamoDB refuses bounds in the
    /// wrong order.
    pub period: Period,
    pub filters: TraitFilters,
    pub segments: Segments,
    /// What is needed of each beyond its outcome, its interval and its group.
    pub detail: ItemDetail,
}

/// What is needed of each record beyond its outcome, its interval and its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemDetail {
    /// Nothing.
    Outcome,
    /// Who responded, and when.
    Respondent,
    /// The names and types of the traits.
    Traits,
}

/// A record that passes the filters, borrowed from the page.
#[derive(Debug)]
pub struct ResponseItem<'a> {
    pub outcome: Outcome,
    /// The index of its interval; 0 without intervals.
    pub interval: usize,
    /// Its group; null without a trait to group by.
    pub group: GroupValue<'a>,
    /// With [`ItemDetail::Respondent`]: the `userId`, unless it is absent or none.
    pub user_id: Option<&'a str>,
    /// The sort key, which begins with the creation. Those of one instant and shard arrive in ascending
    /// order. Empty if there is only one interval and [`ItemDetail::Respondent`] is not requested.
    pub at: &'a str,
    /// With [`ItemDetail::Traits`]: those that a filter can name and that are not null.
    pub traits: &'a [(Cow<'a, str>, ValueType)],
}

/// Reads the items of a page, and calls `visit` with each record that passes the filters.
pub struct ResponseReader<'a> {
    /// What a record without traits matches.
    no_traits: FilterMatches<'a>,
    interval: IntervalCursor<'a>,
    group_by: Option<&'a GroupBy>,
    detail: ItemDetail,
    visit: &'a mut dyn FnMut(ResponseItem<'_>),
    /// The number of records that could not be decoded.
    pub damaged: u64,
}

impl<'a> ResponseReader<'a> {
    pub fn new(selection: &'a ItemSelection, visit: &'a mut dyn FnMut(ResponseItem<'_>)) -> Self {
        Self {
            no_traits: FilterMatches::without_traits(&selection.filters),
            interval: IntervalCursor {
                edges: &selection.segments.edges,
                current: 0,
            },
            group_by: selection.segments.group_by.as_ref(),
            detail: selection.detail,
            visit,
            damaged: 0,
        }
    }

    /// Reads one item, and counts it if it is damaged. Returns `None` if its JSON is malformed.
    pub fn read_item(&mut self, item: &mut Json<'_>) -> Option<()> {
        let mut rating = Scalar::default();
        let mut dismissed = Scalar::default();
        let mut at = Scalar::default();
        let mut user_id = Scalar::default();
        let mut traits = ReadTraits {
            matches: self.no_traits,
            group: Scalar::default(),
            types: (self.detail == ItemDetail::Traits).then(Vec::new),
        };
        item.object(|json, name| {
            match &*name {
                "rating" => rating = Scalar::read(json)?,
                "dismissed" => dismissed = Scalar::read(json)?,
                "traits" => traits.read(json, self.group_by)?,
                "at" => at = Scalar::read(json)?,
                "userId" if self.detail == ItemDetail::Respondent => {
                    user_id = Scalar::read(json)?;
                }
                _ => json.skip_typed()?,
            }
            Some(())
        })?;
        match decode_outcome(&rating, &dismissed) {
            None => self.damaged += 1,
            Some(outcome) if traits.matches.all() => (self.visit)(ResponseItem {
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
struct ReadTraits<'a, 'f> {
    matches: FilterMatches<'f>,
    /// The trait by which records are grouped.
    group: Scalar<'a>,
    /// `None` unless traits are described.
    types: Option<Vec<(Cow<'a, str>, ValueType)>>,
}

impl<'a> ReadTraits<'a, '_> {
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

/// Which filters match a record.
#[derive(Clone, Copy)]
struct FilterMatches<'a> {
    filters: &'a [TraitFilter],
    /// A bit for each filter, which is set while the filter does not match.
    mismatches: u32,
}

const _: () = assert!(TraitFilters::MAX <= u32::BITS as usize);

impl<'a> FilterMatches<'a> {
    fn without_traits(filters: &'a TraitFilters) -> Self {
        let mut matches = Self {
            filters,
            mismatches: 0,
        };
        for (n, filter) in filters.iter().enumerate() {
            matches.set(n, filter.condition.holds(None));
        }
        matches
    }

    fn set(&mut self, n: usize, matches: bool) {
        self.mismatches = self.mismatches & !(1 << n) | u32::from(!matches) << n;
    }

    fn all(&self) -> bool {
        self.mismatches == 0
    }

    /// Returns the index of the first filter on the trait with this name.
    fn position(&self, name: &str) -> Option<usize> {
        let mut filters = self.filters.iter();
        filters.position(|filter| filter.name.as_str() == name)
    }

    /// Evaluates the filters on one trait, the first of which has this index. To filters of another type, the
    /// trait is as good as absent.
    fn check(&mut self, first: usize, value: &Scalar<'_>) {
        let mut n = first;
        while let Some(filter) = self.filters.get(n) {
            self.set(n, filter.condition.holds(found(value)));
            n += 1;
            let next = self.filters.get(n);
            if next.is_none_or(|next| next.name != filter.name) {
                return;
            }
        }
    }
}

#[inline]
fn found<'a>(value: &'a Scalar<'_>) -> Option<FoundTrait<'a>> {
    match value {
        Scalar::String(text) => Some(FoundTrait::String(text)),
        Scalar::Number(digits) => Some(FoundTrait::Number(digits)),
        Scalar::Bool(flag) => Some(FoundTrait::Boolean(*flag)),
        Scalar::Null | Scalar::Other => None,
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
