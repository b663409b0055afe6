//! The elements of a response, computed as naively as possible from the items as the SDK represents them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;

use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use model::{TraitType, Zone};
use serde_json::{Value, json};

use super::cases::{Filter, Request};
use crate::support::{Item, shard_of};

/// Start and end.
pub(super) type Interval = (DateTime<Utc>, DateTime<Utc>);

/// A group of the response.
pub(super) struct Group<'a> {
    /// Its value, and whether it is the rest; `None` without `groupBy`.
    of: Option<(Value, bool)>,
    records: Vec<&'a Item>,
}

#[derive(Clone, Copy)]
enum Outcome {
    Damaged,
    Rated(usize),
    Dismissed,
    Pending,
}

/// Returns what became of a display. A stored `NULL` is an absent attribute.
fn outcome(record: &Item) -> Outcome {
    let present = |name: &str| record.get(name).filter(|value| !value.is_null());
    let rating = match present("rating") {
        None => None,
        Some(AttributeValue::N(digits)) => match digits.parse() {
            Ok(rating @ 0..=10) => Some(rating),
            _ => return Outcome::Damaged,
        },
        Some(_) => return Outcome::Damaged,
    };
    match (rating, present("dismissed")) {
        (_, Some(value)) if !value.is_bool() => Outcome::Damaged,
        (Some(rating), _) => Outcome::Rated(rating),
        (None, Some(AttributeValue::Bool(true))) => Outcome::Dismissed,
        (None, _) => Outcome::Pending,
    }
}

fn rating(record: &Item) -> Option<usize> {
    match outcome(record) {
        Outcome::Rated(rating) => Some(rating),
        _ => None,
    }
}

fn trait_of<'a>(record: &'a Item, name: &str) -> Option<&'a AttributeValue> {
    record.get("traits")?.as_m().ok()?.get(name)
}

/// Returns the instant and the id of a record.
pub(super) fn key(record: &Item) -> (DateTime<Utc>, &str) {
    let (at, id) = record["at"].as_s().unwrap().split_once('#').unwrap();
    (at.parse().unwrap(), id)
}

fn passes(record: &Item, filter: &Filter) -> bool {
    let found = trait_of(record, filter.name);
    match filter.kind {
        TraitType::String => {
            let text = found.and_then(|value| value.as_s().ok());
            let contains = text.is_some_and(|text| text.contains(&filter.value));
            let is_listed = text.is_some_and(|text| filter.value.split(',').any(|it| it == text));
            match &*filter.operator {
                "in" => is_listed,
                "nin" => !is_listed,
                "eq" => text == Some(&filter.value),
                "ne" => text != Some(&filter.value),
                "contains" => contains,
                "ncontains" => !contains,
                unknown => panic!("the model knows no {unknown} of strings"),
            }
        }
        TraitType::Number => {
            let number = found.and_then(|value| value.as_n().ok()?.parse::<f64>().ok());
            let order = number.and_then(|it| it.partial_cmp(&filter.value.parse().unwrap()));
            match &*filter.operator {
                "eq" => order.is_some_and(Ordering::is_eq),
                "ne" => order.is_none_or(Ordering::is_ne),
                "gt" => order.is_some_and(Ordering::is_gt),
                "gte" => order.is_some_and(Ordering::is_ge),
                "lt" => order.is_some_and(Ordering::is_lt),
                "lte" => order.is_some_and(Ordering::is_le),
                unknown => panic!("the model knows no {unknown} of numbers"),
            }
        }
        TraitType::Boolean => {
            let flag = found.and_then(|value| value.as_bool().ok());
            let is_equal = flag.map(ToString::to_string).as_ref() == Some(&filter.value);
            match &*filter.operator {
                "eq" => is_equal,
                "ne" => !is_equal,
                unknown => panic!("the model knows no {unknown} of booleans"),
            }
        }
    }
}

/// Whether a record counts in the element of an interval: in that with its window, if windows are asked for.
fn is_inside(record: &Item, (start, end): Interval, request: &Request) -> bool {
    let at = key(record).0;
    match request.window {
        None => (start..end).contains(&at),
        Some(days) => {
            let last = date(end - TimeDelta::milliseconds(1), request);
            at < end && (last - date(at, request)).num_days() < days
        }
    }
}

/// The records that count: readable ones in the period, or in the window of its first interval, that pass
/// the filters.
pub(super) fn matching<'a>(
    records: &'a [Item],
    first: Interval,
    request: &Request,
) -> Vec<&'a Item> {
    let counts = |record: &&Item| {
        ((request.start..request.end).contains(&key(record).0) || is_inside(record, first, request))
            && !matches!(outcome(record), Outcome::Damaged)
            && request.filters.iter().all(|filter| passes(record, filter))
    };
    records.iter().filter(counts).collect()
}

/// Returns the group of a record, with a key that sorts like groups of equal size.
pub(super) fn group(record: &Item, (kind, name): (&str, &str)) -> (usize, String, Value) {
    match trait_of(record, name) {
        Some(AttributeValue::S(text)) if kind == "string" => (0, text.clone(), json!(text)),
        Some(AttributeValue::Bool(flag)) if kind == "boolean" => (0, flag.to_string(), json!(flag)),
        _ => (1, String::new(), Value::Null),
    }
}

/// Returns a key of the group of a record, which sorts as the group.
pub(super) fn group_key(record: &Item, by: (&str, &str)) -> (usize, String) {
    let (rank, text, _) = group(record, by);
    (rank, text)
}

/// Returns the groups of the response; without `groupBy` one.
pub(super) fn groups<'a>(records: &[&'a Item], request: &Request) -> Vec<Group<'a>> {
    let Some(by) = request.group_by else {
        let records = records.to_vec();
        return vec![Group { of: None, records }];
    };
    let distinct: BTreeSet<_> = records.iter().map(|it| group_key(it, by)).collect();
    let members = |of| {
        let is_member = |record: &&&Item| group_key(record, by) == of;
        let members = records.iter().filter(is_member);
        members.copied().collect::<Vec<_>>()
    };
    let mut all: Vec<_> = distinct.into_iter().map(members).collect();
    let in_period = |record: &&&Item| key(record).0 >= request.start;
    all.sort_by_key(|members| std::cmp::Reverse(members.iter().filter(in_period).count()));
    let rest = all.split_off(all.len().min(request.limit.unwrap_or(20)));
    let own = all.into_iter().map(|records| Group {
        of: Some((group(records[0], by).2, false)),
        records,
    });
    let other = (!rest.is_empty()).then(|| Group {
        of: Some((Value::Null, true)),
        records: rest.into_iter().flatten().collect(),
    });
    own.chain(other).collect()
}

/// Records whose ratings count, by where they are.
pub(super) type Counted = HashSet<*const Item>;

/// Returns the records of an interval whose ratings count: with `respondents=latest`, the newest of each person.
pub(super) fn counted<'a>(records: impl Iterator<Item = &'a Item>, request: &Request) -> Counted {
    let rated = records.filter(|record| rating(record).is_some());
    if !request.latest {
        return rated.map(std::ptr::from_ref).collect();
    }
    let age = |record: &Item| {
        let (at, id) = key(record);
        (at, shard_of(id), id.to_owned())
    };
    let (mut newest, mut counted) = (BTreeMap::new(), Counted::new());
    for record in rated {
        let person = record.get("userId").and_then(|id| id.as_s().ok());
        match person.filter(|id| (1..=1024).contains(&id.len())) {
            Some(person) => {
                let known = newest.entry(person).or_insert(record);
                if age(known) < age(record) {
                    *known = record;
                }
            }
            None => drop(counted.insert(record)),
        }
    }
    counted.extend(newest.into_values().map(std::ptr::from_ref));
    counted
}

/// Returns the ratings of those of these records that are counted.
pub(super) fn ratings(records: &[&Item], counted: &Counted) -> Vec<usize> {
    let of_counted = records.iter().filter(|record| {
        let place = std::ptr::from_ref(**record);
        counted.contains(&place)
    });
    of_counted.filter_map(|record| rating(record)).collect()
}

/// Returns the figures of the displays with these records, of which these are counted as responses.
#[allow(clippy::cast_precision_loss)]
pub(super) fn figures(records: &[&Item], counted: &Counted, request: &Request) -> Value {
    let ratings = ratings(records, counted);
    let rated = |range: RangeInclusive<usize>| {
        let rated = ratings.iter().filter(|rating| range.contains(rating));
        rated.count()
    };
    let (responses, promoters, detractors) = (ratings.len(), rated(9..=10), rated(0..=6));
    let is_dismissed = |record: &&&Item| matches!(outcome(record), Outcome::Dismissed);
    let dismissed = records.iter().filter(is_dismissed);
    let frequency: Vec<_> = (0..=10).map(|rating| rated(rating..=rating)).collect();
    let nps = 100.0 * (promoters as f64 - detractors as f64) / responses as f64;
    let divided = request.interval.is_some() || request.group_by.is_some();
    let mut figures = json!({
        "responses": responses, "displays": records.len(), "dismissed": dismissed.count(), "promoters": promoters,
        "passives": rated(7..=8), "detractors": detractors, "frequency": frequency,
        "nps": if responses > 0 { json!(nps) } else if divided { Value::Null } else { json!(0.0) },
    });
    if request.latest {
        let answered = records.iter().filter(|record| rating(record).is_some());
        figures["superseded"] = json!(answered.count() - responses);
    }
    if let Some((_, z)) = request.confidence {
        let count = responses as f64 + 3.0;
        let [p, d] = [promoters, detractors].map(|it| (it as f64 + 0.75) / count);
        let margin = z * ((p + d - (p - d) * (p - d)) / count).sqrt();
        let [low, high] = [-margin, margin].map(|it| (100.0 * (p - d + it)).clamp(-100.0, 100.0));
        let end = |end: f64| {
            if responses > 0 {
                json!(end)
            } else {
                Value::Null
            }
        };
        figures["npsLow"] = end(low.min(nps));
        figures["npsHigh"] = end(high.max(nps));
    }
    figures
}

/// Returns the date that the clocks of the zone show.
pub(super) fn date(at: DateTime<Utc>, request: &Request) -> NaiveDate {
    let zone: Zone = request.zone.unwrap_or("UTC").parse().unwrap();
    zone.local(at).date()
}

/// Returns the attributes that the elements must have, in order, but for `start` and `end`.
pub(super) fn elements(
    groups: &[Group<'_>],
    intervals: &[Interval],
    request: &Request,
) -> Vec<Value> {
    let mut elements = Vec::new();
    for interval in intervals {
        let inside = |record: &&&Item| is_inside(record, *interval, request);
        let all = groups.iter().flat_map(|group| &group.records);
        let counted = counted(all.filter(inside).copied(), request);
        for group in groups {
            let members: Vec<_> = group.records.iter().filter(inside).copied().collect();
            let mut attributes = figures(&members, &counted, request);
            if let Some((value, other)) = &group.of {
                attributes["group"] = value.clone();
                attributes["other"] = json!(other);
            }
            elements.push(attributes);
        }
    }
    elements
}
