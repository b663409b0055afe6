//! Comparisons, computed as naively as possible: whole lists of records, and the normal distribution by a sum.

use std::collections::BTreeSet;
use std::rc::Rc;

use chrono::{DateTime, Utc};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::cases::{Compare, Request};
use super::naive::{Counted, counted, figures, group, group_key, key, matching, ratings};
use crate::support::{Item, Reply};

/// The records of one group, or of all, in one period.
#[derive(Clone, Default)]
struct Side<'a> {
    records: Vec<&'a Item>,
    counted: Rc<Counted>,
}

/// Promoters, passives and detractors.
fn kinds(side: &Side<'_>) -> [f64; 3] {
    let mut kinds = [0.0; 3];
    for rating in ratings(&side.records, &side.counted) {
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

/// The chance of a normal quantity this far from zero, on both sides, by the trapezoidal rule and what it lacks at the
/// end.
fn two_sided(z: f64) -> f64 {
    const STEPS: i32 = 1_000;
    let width = 12.0 / f64::from(STEPS);
    let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let inner = (1..STEPS).map(|n| density(z + width * f64::from(n)));
    let trapezoids = width * (inner.sum::<f64>() + density(z) / 2.0);
    2.0 * (trapezoids - width * width / 12.0 * z * density(z))
}

/// The quantile that both sides together leave out, by Newton's rule.
fn quantile(left_out: f64) -> f64 {
    let mut z = 2.0;
    for _ in 0..10 {
        let density = (-z * z / 2.0_f64).exp() * (2.0 / std::f64::consts::PI).sqrt();
        z += (two_sided(z) - left_out) / density;
    }
    z
}

/// The points of a change and the ends of its range, and how likely chance is.
fn change([before, after]: &[Side<'_>; 2], z: f64) -> ([f64; 3], f64) {
    let ((first, one), (second, other)) = (adjusted(before), adjusted(after));
    let error = (one + other).sqrt();
    let [low, high] = [-z, z].map(|z| (100.0 * (second - first + z * error)).clamp(-200.0, 200.0));
    let chance = two_sided(((second - first) / error).abs());
    let points = score(after) - score(before);
    ([points, low.min(points), high.max(points)], chance)
}

/// What a group adds by its score, by its share, and if it is of one period.
fn parts([before, after]: &[Side<'_>; 2], whole: &[Side<'_>; 2]) -> [f64; 3] {
    let middle = f64::midpoint(score(&whole[0]), score(&whole[1]));
    let share = |side: &Side<'_>, of: usize| responses(side) / responses(&whole[of]);
    let (w0, w1) = (share(before, 0), share(after, 1));
    match (w0 > 0.0, w1 > 0.0) {
        (false, false) => [0.0; 3],
        (true, false) => [0.0, 0.0, -w0 * (score(before) - middle)],
        (false, true) => [0.0, 0.0, w1 * (score(after) - middle)],
        (true, true) => {
            let (s0, s1) = (score(before), score(after));
            let from_score = f64::midpoint(w0, w1) * (s1 - s0);
            [
                from_score,
                (w1 - w0) * (f64::midpoint(s0, s1) - middle),
                0.0,
            ]
        }
    }
}

/// An element: its value and whether it is the rest, its records in both periods, and its parts.
struct Element<'a> {
    group: Option<(Value, bool)>,
    sides: [Side<'a>; 2],
    parts: Option<[f64; 3]>,
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
    let sum = |sum: [f64; 3], more: [f64; 3]| [0, 1, 2].map(|at| sum[at] + more[at]);
    elements.push(Element {
        group: Some((Value::Null, true)),
        sides: sides(whole, &is_other),
        parts: is_known.then(|| of_others.fold([0.0; 3], sum)),
    });
    elements
}

/// Whether an element is judged, or else why not.
fn unjudged(element: &Element<'_>, is_partial: bool) -> Option<&'static str> {
    let [before, after] = element.sides.each_ref().map(responses);
    match before.min(after) {
        0.0 => Some("empty"),
        _ if is_partial => Some("partial"),
        fewest if fewest < 30.0 => Some("few"),
        _ => None,
    }
}

/// The quantile of the ranges of all elements; `None` if a rounding error could decide what is selected.
fn quantile_of_all(elements: &[Element<'_>], level: f64, is_partial: bool) -> Option<f64> {
    let judged = elements
        .iter()
        .filter(|it| unjudged(it, is_partial).is_none());
    let mut chances: Vec<_> = judged.map(|it| change(&it.sides, 0.0).1).collect();
    chances.sort_by(f64::total_cmp);
    #[allow(clippy::cast_precision_loss)]
    let share = |n: usize| n as f64 / chances.len() as f64;
    let rejected = |shift: f64| {
        let passes = |n: &usize| chances[n - 1] <= level * share(*n) + shift;
        (1..=chances.len()).rev().find(passes).unwrap_or(1)
    };
    let (least, most) = (rejected(-1e-9), rejected(1e-9));
    let share = if chances.is_empty() {
        1.0
    } else {
        share(least)
    };
    (least == most).then(|| quantile(level * share))
}

fn side<'a>(records: &'a [Item], request: &Request) -> Side<'a> {
    let records = matching(records, (request.start, request.end), request);
    let counted = counted(records.iter().copied(), request).into();
    Side { records, counted }
}

/// Compares the points, the range and the verdict of a change.
fn check_change(found: &Value, element: &Element<'_>, z: f64, unjudged: Option<&str>) {
    let ([points, low, high], _) = change(&element.sides, z);
    let is_near = |name: &str, number: f64| {
        let number_found = found[name].as_f64();
        let is_right = number_found.is_some_and(|it| (it - number).abs() < 1e-7);
        let is_expected = match unjudged {
            Some("empty") => number_found.is_none(),
            _ => is_right,
        };
        assert!(is_expected, "{name} {number}: {found}");
    };
    is_near("points", points);
    is_near("low", low);
    is_near("high", high);
    let ends = ["low", "high"].map(|name| found[name].as_f64().unwrap_or_default());
    let verdict = match ends {
        [low, _] if low > 0.0 => "clear",
        [_, high] if high < 0.0 => "clear",
        _ => "chance",
    };
    assert_eq!(found["verdict"], unjudged.unwrap_or(verdict), "{found}");
}

/// Compares what an element adds to the whole.
fn check_parts(found: &Value, element: &Element<'_>) {
    let is_other = element.group.as_ref().is_some_and(|(_, other)| *other);
    let is_in_both = element.sides.iter().all(|side| responses(side) > 0.0);
    let parts = element.parts.filter(|_| is_in_both || is_other);
    let sum = element.parts.map(|parts| parts.iter().sum::<f64>());
    for (name, expected) in [
        ("contribution", sum),
        ("fromScore", parts.map(|parts| parts[0])),
        ("fromShare", parts.map(|parts| parts[1])),
    ] {
        let is_right = match (found[name].as_f64(), expected) {
            (Some(found), Some(expected)) => {
                let is_negative_zero = found == 0.0 && found.is_sign_negative();
                (found - expected).abs() < 1e-9 && !is_negative_zero
            }
            (found, expected) => found.is_none() && expected.is_none(),
        };
        assert!(is_right, "{name} {expected:?}: {found}");
    }
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
    let percent = request.confidence.map_or(95, |(percent, _)| percent);
    let level = 1.0 - f64::from(percent) / 100.0;
    let z = quantile_of_all(&elements, level, is_partial);
    prop_assert_eq!(data.len(), elements.len(), "{:?} {:?}", request, data);
    for (found, expected) in data.iter().zip(&elements) {
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
        check_parts(&change_found, expected);
        if let Some(z) = z {
            check_change(&change_found, expected, z, unjudged(expected, is_partial));
        }
    }
    let meta = &reply.json()["meta"];
    prop_assert_eq!(meta["change"].is_object(), request.group_by.is_some());
    if request.group_by.is_some() {
        let all = Element {
            group: None,
            sides: whole,
            parts: None,
        };
        check_change(
            &meta["change"],
            &all,
            quantile(level),
            unjudged(&all, is_partial),
        );
        let parts =
            ["fromScore", "fromShare", "fromOnePeriod"].map(|name| meta["change"][name].as_f64());
        let sum: Option<f64> = parts.into_iter().sum();
        let points = meta["change"]["points"].as_f64();
        prop_assert_eq!(sum.is_some(), points.is_some());
        let difference = sum.unwrap_or_default() - points.unwrap_or_default();
        prop_assert!(difference.abs() < 1e-9, "{:?}: {}", request, meta);
        let contribution =
            |element: &Value| element["attributes"]["change"]["contribution"].as_f64();
        let sum: Option<f64> = data.iter().map(contribution).sum();
        let difference = sum.unwrap_or_default() - points.unwrap_or_default();
        prop_assert!(difference.abs() < 1e-9, "{:?}: {:?}", request, data);
    }
    Ok(())
}
