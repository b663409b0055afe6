//! Random records, and random combinations of parameters.

use std::collections::BTreeMap;
use std::fmt::Write;

use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{DateTime, TimeDelta, Utc};
use proptest::collection::btree_map;
use proptest::prelude::*;

use crate::support::{Project, filter, map, n, new_project, s};

#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) created: DateTime<Utc>,
    /// A number of 11 or more is no rating.
    pub(super) rating: Option<usize>,
    pub(super) dismissed: bool,
    pub(super) traits: BTreeMap<&'static str, Trait>,
}

#[derive(Debug, Clone)]
pub(super) enum Trait {
    Text(&'static str),
    Flag(bool),
    Number(i32),
}

#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) start: DateTime<Utc>,
    pub(super) end: DateTime<Utc>,
    pub(super) interval: Option<&'static str>,
    pub(super) sunday: bool,
    pub(super) zone: Option<&'static str>,
    /// Type and name of the trait.
    pub(super) group_by: Option<(&'static str, &'static str)>,
    pub(super) limit: Option<usize>,
    pub(super) confidence: Option<(u8, f64)>,
    pub(super) filter: Option<(&'static str, &'static str)>,
}

const NAMES: [&str; 2] = ["plan", "a.b"];
const VALUES: [&str; 5] = ["", "a", "b", "é", "true"];
const ZONES: [&str; 4] = ["UTC", "Europe/Prague", "America/St_Johns", "Asia/Kathmandu"];
const UNITS: [&str; 5] = ["day", "week", "month", "quarter", "year"];
const CONFIDENCES: [(u8, f64); 3] = [
    (90, 1.644_853_626_951_472_2),
    (95, 1.959_963_984_540_054),
    (99, 2.575_829_303_548_900_4),
];

/// Instants around a change of clocks. Many are midnights of a zone.
fn instant() -> impl Strategy<Value = DateTime<Utc>> {
    let base: DateTime<Utc> = "2026-10-20T00:00:00Z".parse().unwrap();
    let minutes = (
        0..15_i64,
        prop::sample::select(vec![0, 1, 60, 150, 1095, 1320, 1380, 1439]),
    );
    (minutes, -1..2_i64).prop_map(move |((day, minute), millis)| {
        base + TimeDelta::days(day) + TimeDelta::minutes(minute) + TimeDelta::milliseconds(millis)
    })
}

pub(super) fn record() -> impl Strategy<Value = Record> {
    let value = prop_oneof![
        4 => prop::sample::select(&VALUES[..]).prop_map(Trait::Text),
        2 => any::<bool>().prop_map(Trait::Flag),
        1 => (0..3).prop_map(Trait::Number),
    ];
    let traits = btree_map(prop::sample::select(&NAMES[..]), value, 0..3);
    let rating = prop::option::of(0..12_usize);
    (instant(), rating, any::<bool>(), traits).prop_map(|(created, rating, dismissed, traits)| {
        Record {
            created,
            rating,
            dismissed,
            traits,
        }
    })
}

pub(super) fn request() -> impl Strategy<Value = Request> {
    let name = prop::sample::select(&NAMES[..]);
    let kind = prop::sample::select(&["string", "boolean"][..]);
    let calendar = (
        prop::option::of(prop::sample::select(&UNITS[..])),
        any::<bool>(),
        prop::option::of(prop::sample::select(&ZONES[..])),
    );
    let groups = (
        prop::option::of((kind, name.clone())),
        prop::option::of(1..6_usize),
    );
    let confidence = prop::option::of(prop::sample::select(&CONFIDENCES[..]));
    let filter = prop::option::of((name, prop::sample::select(&VALUES[..])));
    ((instant(), instant()), calendar, groups, confidence, filter).prop_map(
        |((one, other), (interval, sunday, zone), (group_by, limit), confidence, filter)| Request {
            start: one.min(other),
            end: one.max(other),
            interval,
            sunday,
            zone,
            group_by,
            limit,
            confidence,
            filter,
        },
    )
}

pub(super) fn canonical(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

pub(super) fn query(request: &Request) -> String {
    let mut query = format!(
        "&startDate={}&endDate={}",
        canonical(request.start),
        canonical(request.end)
    );
    if let Some(interval) = request.interval {
        write!(query, "&interval={interval}").unwrap();
        if interval == "week" && request.sunday {
            query.push_str("&weekStart=sunday");
        }
    }
    if let Some(zone) = request.zone {
        write!(query, "&timezone={zone}").unwrap();
    }
    if let Some((kind, name)) = request.group_by {
        write!(query, "&groupBy=user.traits.{kind}.{name}").unwrap();
        if let Some(limit) = request.limit {
            write!(query, "&groupLimit={limit}").unwrap();
        }
    }
    if let Some((confidence, _)) = request.confidence {
        write!(query, "&confidence={confidence}").unwrap();
    }
    if let Some((name, value)) = request.filter {
        query.push_str(&filter(name, "ne", &value.replace('é', "%C3%A9")));
    }
    query
}

pub(super) async fn write(records: &[Record]) -> Project {
    let project = new_project().await;
    let items = records.iter().enumerate().map(|(count, record)| {
        let mut item = project
            .response_key(&canonical(record.created), &format!("r{count}"))
            .to_vec();
        item.extend(record.rating.map(|rating| ("rating", n(rating))));
        item.push(("dismissed", AttributeValue::Bool(record.dismissed)));
        let traits: Vec<_> = record
            .traits
            .iter()
            .map(|(name, value)| match value {
                Trait::Text(text) => (*name, s(text)),
                Trait::Flag(flag) => (*name, AttributeValue::Bool(*flag)),
                Trait::Number(number) => (*name, n(number)),
            })
            .collect();
        item.push(("traits", map(&traits)));
        item
    });
    project.put_many("responses", items.collect()).await;
    project
}
