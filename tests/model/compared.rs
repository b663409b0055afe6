//! Comparisons, computed as naively as possible: whole lists of records, and the normal distribution by a sum.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::cases::{Compare, Request};
use super::naive::{counted, figures, group, group_key, key, matching, rating};
use crate::support::{Item, Reply};

/// The records of one group, or of all, in one period.
#[derive(Clone, Default)]
struct Side<'a> {
    records: Vec<&'a Item>,
    counted: Vec<&'a Item>,
}

/// Promoters, passives and detractors.
fn kinds(side: &Side<'_>) -> [f64; 3] {
    let is_counted = |record: &&&Item| side.counted.iter().any(|one| std::ptr::eq(*one, **record));
    let mut kinds = [0.0; 3];
    let ratings = side.records.iter().filter(is_counted);
    for rating in ratings.filter_map(|record| rating(record)) {
        kinds[usize::from(rating < 9) + usize::from(rating < 7)] += 1.0;
    }
    kinds
}

fn responses(side: &Side<'_>) -> f64 {
    kinds(side).iter().sum()
}

fn score(side: &Side<'_>) -> f64 {
    let [promoters, _, detractors] = kinds(side);
    100.0 * (promoters - detractors) / responses(side)
}

/// The adjusted score and its variance.
fn adjusted(side: &Side<'_>) -> (f64, f64) {
    let [promoters, _, detractors] = kinds(side);
    let n = responses(side) + 3.0;
    let (p, d) = ((promoters + 0.75) / n, (detractors + 0.75) / n);
    (p - d, (p + d - (p - d) * (p - d)) / n)
}

/// The chance of a normal quantity this far from zero, on both sides, by the trapezoidal rule.
fn two_sided(z: f64) -> f64 {
    const STEPS: i32 = 4_000;
    let width = 12.0 / f64::from(STEPS);
    let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let inner = (1..STEPS).map(|n| density(z + width * f64::from(n)));
    2.0 * width * (inner.sum::<f64>() + density(z) / 2.0)
}

/// The `change` of an element, without verdict and parts, and how likely chance is.
fn change(before: &Side<'_>, after: &Side<'_>, z: f64) -> ([f64; 3], f64) {
    let ((first, one), (second, other)) = (adjusted(before), adjusted(after));
    let error = (one + other).sqrt();
    let ends = [-z, z].map(|z| (100.0 * (second - first + z * error)).clamp(-200.0, 200.0));
    let chance = two_sided(((second - first) / error).abs());
    ([score(after) - score(before), ends[0], ends[1]], chance)
}

/// What a group contributes by its score and by its share.
fn parts([before, after]: &[Side<'_>; 2], whole: &[Side<'_>; 2]) -> [f64; 2] {
    let [n0, n1] = [responses(before), responses(after)];
    if n0 + n1 == 0.0 {
        return [0.0; 2];
    }
    let w = [n0 / responses(&whole[0]), n1 / responses(&whole[1])];
    let s0 = score(if n0 > 0.0 { before } else { after });
    let s1 = score(if n1 > 0.0 { after } else { before });
    let middle = f64::midpoint(score(&whole[0]), score(&whole[1]));
    [
        f64::midpoint(w[0], w[1]) * (s1 - s0),
        (w[1] - w[0]) * (f64::midpoint(s0, s1) - middle),
    ]
}

/// An element: its value and whether it is the rest, its records in both periods, and its parts.
struct Element<'a> {
    group: Option<(Value, bool)>,
    sides: [Side<'a>; 2],
    parts: Option<[f64; 2]>,
}

fn sides<'a>(whole: &[Side<'a>; 2], is_member: &dyn Fn(&Item) -> bool) -> [Side<'a>; 2] {
    whole.each_ref().map(|side| {
        let members = side.records.iter().filter(|it| is_member(it));
        Side {
            records: members.copied().collect(),
            counted: side.counted.clone(),
        }
    })
}

fn elements<'a>(whole: &[Side<'a>; 2], request: &Request) -> Vec<Element<'a>> {
    let Some(by) = request.group_by else {
        return vec![Element {
            group: None,
            sides: whole.clone(),
            parts: None,
        }];
    };
    let is_known = whole.iter().all(|side| responses(side) > 0.0);
    let keys = |side: &Side<'a>| -> BTreeSet<_> {
        let keys = side.records.iter().map(|record| group_key(record, by));
        keys.collect()
    };
    let of_key = |wanted: &(usize, String)| sides(whole, &|it| group_key(it, by) == *wanted);
    let mut shown: Vec<_> = keys(&whole[1]).into_iter().collect();
    shown.sort_by_key(|key| std::cmp::Reverse(of_key(key)[1].records.len()));
    shown.truncate(request.limit.unwrap_or(20));
    let mut elements = Vec::new();
    for key in &shown {
        let sides = of_key(key);
        let value = group(sides[1].records[0], by).2;
        elements.push(Element {
            group: Some((value, false)),
            parts: is_known.then(|| parts(&sides, whole)),
            sides,
        });
    }
    let all: BTreeSet<_> = keys(&whole[0]).union(&keys(&whole[1])).cloned().collect();
    let others: Vec<_> = all.into_iter().filter(|key| !shown.contains(key)).collect();
    if others.is_empty() {
        return elements;
    }
    let is_other = |record: &Item| others.contains(&group_key(record, by));
    let of_others = others.iter().map(|key| parts(&of_key(key), whole));
    let sum = |[one, other]: [f64; 2], [more, rest]: [f64; 2]| [one + more, other + rest];
    elements.push(Element {
        group: Some((Value::Null, true)),
        sides: sides(whole, &is_other),
        parts: is_known.then(|| of_others.fold([0.0; 2], sum)),
    });
    elements
}

/// The verdicts of all elements. Those that a rounding error could decide are `None`.
fn verdicts(
    elements: &[Element<'_>],
    z: f64,
    level: f64,
    is_partial: bool,
) -> Vec<Option<&'static str>> {
    let fewest =
        |element: &Element<'_>| responses(&element.sides[0]).min(responses(&element.sides[1]));
    let chance = |element: &Element<'_>| change(&element.sides[0], &element.sides[1], z).1;
    let judged = elements.iter().filter(|element| fewest(element) >= 30.0);
    let mut chances: Vec<_> = judged.map(chance).collect();
    chances.sort_by(f64::total_cmp);
    let rejected = |shift: f64| {
        #[allow(clippy::cast_precision_loss)]
        let passes = |n: &usize| chances[n - 1] <= level * *n as f64 / chances.len() as f64 + shift;
        let last = (1..=chances.len()).rev().find(passes);
        last.map_or(-1.0, |n| chances[n - 1])
    };
    let (least, most) = (rejected(-1e-6), rejected(1e-6));
    let verdict = |element: &Element<'_>| match fewest(element) {
        0.0 => Some("empty"),
        _ if is_partial => Some("partial"),
        fewest if fewest < 30.0 => Some("few"),
        #[allow(clippy::float_cmp)]
        _ if least != most => None,
        _ if chance(element) <= least => Some("clear"),
        _ => Some("chance"),
    };
    elements.iter().map(verdict).collect()
}

fn side<'a>(records: &'a [Item], request: &Request) -> Side<'a> {
    let records = matching(records, (request.start, request.end), request);
    let counted = counted(records.iter().copied(), request);
    Side { records, counted }
}

/// Compares the `change` of an element; returns the sum of its parts.
fn check_change(
    change_found: &Value,
    expected: &Element<'_>,
    verdict: Option<&str>,
    z: f64,
) -> Result<f64, TestCaseError> {
    let mut sum = 0.0;
    let [before, after] = &expected.sides;
    let (numbers, _) = change(before, after, z);
    let is_empty = responses(before) == 0.0 || responses(after) == 0.0;
    for (name, number) in ["points", "low", "high"].iter().zip(numbers) {
        let found = change_found[name].as_f64();
        prop_assert_eq!(found.is_none(), is_empty);
        let same = found.is_none_or(|found| (found - number).abs() < 1e-9);
        prop_assert!(same, "{} {} {:?}", name, number, found);
    }
    if let Some(verdict) = verdict {
        prop_assert_eq!(&change_found["verdict"], &json!(verdict));
    }
    for (at, name) in ["fromScore", "fromShare"].iter().enumerate() {
        let found = change_found[name].as_f64();
        let part = expected.parts.map(|parts| parts[at]);
        prop_assert_eq!(found.is_some(), part.is_some());
        let same = (found.unwrap_or_default() - part.unwrap_or_default()).abs() < 1e-9;
        prop_assert!(same, "{} {:?} {:?}", name, found, part);
        sum += found.unwrap_or_default();
    }
    Ok(sum)
}

/// Compares a response with what these records make of the request.
pub(super) fn check(
    reply: &Reply,
    records: &[Item],
    request: &Request,
) -> Result<(), TestCaseError> {
    let is_empty = request.start >= request.end;
    if is_empty || matches!(request.compare, Some(Compare::Period(start, end)) if start >= end) {
        prop_assert_eq!(reply.status, 400, "{:?}", request);
        return Ok(());
    }
    prop_assert_eq!(reply.status, 200, "{:?} {:?}", request, reply);
    let data = reply.json()["data"].as_array().unwrap().clone();
    let Some(first) = data.first() else {
        let after = side(records, request);
        let is_right = after.records.is_empty() && request.group_by.is_some();
        prop_assert!(is_right, "{:?}", request);
        return Ok(());
    };
    let instant = |name: &str| -> DateTime<Utc> {
        let text = first["attributes"]["before"][name].as_str().unwrap();
        text.parse().unwrap()
    };
    let (start, end) = (instant("start"), instant("end"));
    match request.compare {
        Some(Compare::Period(one, other)) => prop_assert_eq!((start, end), (one, other)),
        Some(Compare::Previous) => prop_assert!(start < end && end <= request.start),
        _ => prop_assert_eq!(request.start.signed_duration_since(start).num_days(), 365),
    }
    let earlier = Request {
        start,
        end,
        ..request.clone()
    };
    let whole = [side(records, &earlier), side(records, request)];
    let elements = elements(&whole, request);
    let since = records.iter().map(|record| key(record).0).min();
    let since = since.filter(|since| *since > start);
    let missing = since.map_or(0, |since| (since.min(end) - start).num_milliseconds());
    let is_partial = missing * 10 > (end - start).num_milliseconds();
    let (percent, z) = request.confidence.unwrap_or((95, 1.959_963_984_540_054));
    let level = 1.0 - f64::from(percent) / 100.0;
    let verdicts = verdicts(&elements, z, level, is_partial);
    prop_assert_eq!(data.len(), elements.len(), "{:?} {:?}", request, data);
    let mut sum = 0.0;
    for ((found, expected), verdict) in data.iter().zip(&elements).zip(verdicts) {
        let mut found = found["attributes"].clone();
        let members = found.as_object_mut().unwrap();
        let (before, change_found) = (members.remove("before"), members.remove("change"));
        let [mut before, change_found] = [before, change_found].map(Option::unwrap);
        let mut attributes = figures(&expected.sides[1].records, &whole[1].counted, request);
        if let Some((value, other)) = &expected.group {
            attributes["group"] = value.clone();
            attributes["other"] = json!(other);
        }
        prop_assert_eq!(&found, &attributes, "{:?}", request);
        let members = before.as_object_mut().unwrap();
        for name in ["start", "end"] {
            members.remove(name).unwrap();
        }
        let found_since = members.remove("since").unwrap();
        let found_since = found_since.as_str().map(|it| it.parse().unwrap());
        prop_assert_eq!(found_since, since);
        let earlier = figures(&expected.sides[0].records, &whole[0].counted, request);
        prop_assert_eq!(&before, &earlier, "{:?}", request);
        sum += check_change(&change_found, expected, verdict, z)?;
    }
    if elements[0].parts.is_some() {
        let points = score(&whole[1]) - score(&whole[0]);
        let is_sum = (sum - points).abs() < 1e-9;
        prop_assert!(is_sum, "{:?}: {} {}", request, sum, points);
    }
    Ok(())
}
