//! The elements of a response, computed as naively as possible.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::cases::{Record, Request};

/// Start and end.
pub(super) type Interval = (DateTime<Utc>, DateTime<Utc>);

/// A group of the response.
pub(super) struct Group<'a> {
    /// Its value, and whether it is the rest; `None` without `groupBy`.
    pub(super) of: Option<(Value, bool)>,
    records: Vec<&'a Record>,
}

#[derive(Clone, Copy)]
enum Outcome {
    Damaged,
    Rated(usize),
    Dismissed,
    Pending,
}

/// Returns what became of a display. A stored `NULL` is an absent attribute.
fn outcome(record: &Record) -> Outcome {
    let present = |value: &Option<AttributeValue>| value.clone().filter(|value| !value.is_null());
    let rating = match present(&record.rating) {
        None => None,
        Some(AttributeValue::N(digits)) => match digits.parse() {
            Ok(rating @ 0..=10) => Some(rating),
            _ => return Outcome::Damaged,
        },
        Some(_) => return Outcome::Damaged,
    };
    match (rating, present(&record.dismissed)) {
        (_, Some(value)) if !value.is_bool() => Outcome::Damaged,
        (Some(rating), _) => Outcome::Rated(rating),
        (None, Some(AttributeValue::Bool(true))) => Outcome::Dismissed,
        (None, _) => Outcome::Pending,
    }
}

fn trait_of<'a>(record: &'a Record, name: &str) -> Option<&'a AttributeValue> {
    record.traits.as_ref()?.get(name)
}

/// The records that count: readable ones in the period that pass the filters.
pub(super) fn matching<'a>(records: &'a [Record], request: &Request) -> Vec<&'a Record> {
    let passes = |record: &&Record| {
        request.filters.iter().all(|(name, (operator, value))| {
            let text = trait_of(record, name).and_then(|value| value.as_s().ok());
            match *operator {
                "eq" => text == Some(value),
                "ne" => text != Some(value),
                "contains" => text.is_some_and(|text| text.contains(value)),
                _ => !text.is_some_and(|text| text.contains(value)),
            }
        })
    };
    let counts = |record: &&Record| {
        (request.start..request.end).contains(&record.created)
            && !matches!(outcome(record), Outcome::Damaged)
    };
    records.iter().filter(counts).filter(passes).collect()
}

/// Returns the group of a record, with a key that sorts like groups of equal size.
fn group(record: &Record, (kind, name): (&str, &str)) -> (usize, String, Value) {
    match trait_of(record, name) {
        Some(AttributeValue::S(text)) if kind == "string" => (0, text.clone(), json!(text)),
        Some(AttributeValue::Bool(flag)) if kind == "boolean" => (0, flag.to_string(), json!(flag)),
        _ => (1, String::new(), Value::Null),
    }
}

/// Returns the groups of the response; without `groupBy` one.
pub(super) fn groups<'a>(records: Vec<&'a Record>, request: &Request) -> Vec<Group<'a>> {
    let Some(by) = request.group_by else {
        return vec![Group { of: None, records }];
    };
    let key = |record: &Record| {
        let (rank, text, _) = group(record, by);
        (rank, text)
    };
    let distinct: BTreeSet<_> = records.iter().map(|record| key(record)).collect();
    let members = |of| {
        let is_member = |record: &&&Record| key(record) == of;
        let members = records.iter().filter(is_member);
        members.copied().collect::<Vec<_>>()
    };
    let mut all: Vec<_> = distinct.into_iter().map(members).collect();
    all.sort_by_key(|members| std::cmp::Reverse(members.len()));
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

#[allow(clippy::cast_precision_loss)]
fn figures(records: &[&Record], request: &Request) -> Value {
    let count = |counted: &dyn Fn(Outcome) -> bool| {
        let outcomes = records.iter().map(|record| outcome(record));
        outcomes.filter(|outcome| counted(*outcome)).count()
    };
    let rated = |range: RangeInclusive<usize>| {
        count(&|outcome| matches!(outcome, Outcome::Rated(rating) if range.contains(&rating)))
    };
    let (responses, promoters, detractors) = (rated(0..=10), rated(9..=10), rated(0..=6));
    let dismissed = count(&|outcome| matches!(outcome, Outcome::Dismissed));
    let frequency: Vec<_> = (0..=10).map(|rating| rated(rating..=rating)).collect();
    let nps = 100.0 * (promoters as f64 - detractors as f64) / responses as f64;
    let divided = request.interval.is_some() || request.group_by.is_some();
    let mut figures = json!({
        "responses": responses, "displays": records.len(), "dismissed": dismissed, "promoters": promoters,
        "passives": rated(7..=8), "detractors": detractors, "frequency": frequency,
        "nps": if responses > 0 { json!(nps) } else if divided { Value::Null } else { json!(0.0) },
    });
    if let Some((_, z)) = request.confidence {
        let count = responses as f64 + 3.0;
        let (p, d) = (
            (promoters as f64 + 0.75) / count,
            (detractors as f64 + 0.75) / count,
        );
        let margin = z * ((p + d - (p - d) * (p - d)) / count).sqrt();
        let bound = |bound: f64| {
            if responses > 0 {
                json!((100.0 * bound).clamp(-100.0, 100.0))
            } else {
                Value::Null
            }
        };
        figures["npsLow"] = bound(p - d - margin);
        figures["npsHigh"] = bound(p - d + margin);
    }
    figures
}

/// Returns the attributes that the elements must have, in order, but for `start` and `end`.
pub(super) fn elements(
    groups: &[Group<'_>],
    intervals: &[Interval],
    request: &Request,
) -> Vec<Value> {
    let element = |(start, end): &Interval, group: &Group<'_>| {
        let inside = |record: &&&Record| (start..end).contains(&&record.created);
        let members: Vec<_> = group.records.iter().filter(inside).copied().collect();
        let mut attributes = figures(&members, request);
        if let Some((value, other)) = &group.of {
            attributes["group"] = value.clone();
            attributes["other"] = json!(other);
        }
        attributes
    };
    let elements = |interval| groups.iter().map(move |group| element(interval, group));
    intervals.iter().flat_map(elements).collect()
}
