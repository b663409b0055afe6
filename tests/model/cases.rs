//! Random records, and random combinations of parameters.

use std::collections::BTreeMap;
use std::fmt::Write;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{DateTime, TimeDelta, Utc};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::collection::btree_map;
use proptest::prelude::*;
use proptest::{option, sample::select};

use crate::support::{Project, filter, map, n, new_project, null, s};

/// A stored record. Its attributes may have any type.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) created: DateTime<Utc>,
    pub(super) rating: Option<AttributeValue>,
    pub(super) dismissed: Option<AttributeValue>,
    pub(super) traits: Option<BTreeMap<&'static str, AttributeValue>>,
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
    /// Operators and values by the names of traits.
    pub(super) filters: BTreeMap<&'static str, (&'static str, String)>,
}

const NAMES: [&str; 4] = ["plan", "a.b", "x y]", "ü"];
const VALUES: [&str; 6] = ["", "a", "A", "b", "é", "true"];
const OPERATORS: [&str; 4] = ["eq", "ne", "contains", "ncontains"];
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
        select(vec![0, 1, 60, 150, 1095, 1320, 1380, 1439]),
    );
    (minutes, -1..2_i64).prop_map(move |((day, minute), millis)| {
        base + TimeDelta::days(day) + TimeDelta::minutes(minute) + TimeDelta::milliseconds(millis)
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => select(&VALUES[..]).prop_map(str::to_owned),
        1 => "[abé\"\\\\ +%&=\u{1F600}]{0,3}",
    ]
}

fn any_value() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        6 => text().prop_map(|text| s(&text)),
        3 => any::<bool>().prop_map(AttributeValue::Bool),
        2 => (-2..13).prop_map(n),
        1 => Just(null()),
        1 => Just(AttributeValue::L(vec![s("a")])),
        1 => Just(AttributeValue::Ss(vec!["a".to_owned()])),
        1 => Just(AttributeValue::B(Blob::new("a"))),
        1 => Just(map(&[("plan", s("a"))])),
    ]
}

pub(super) fn record() -> impl Strategy<Value = Record> {
    let rating = prop_oneof![6 => (0..=10).prop_map(n), 1 => any_value()];
    let dismissed =
        prop_oneof![6 => any::<bool>().prop_map(AttributeValue::Bool), 1 => any_value()];
    let traits = btree_map(select(&NAMES[..]), any_value(), 0..4);
    let optional = (
        option::of(rating),
        option::of(dismissed),
        option::of(traits),
    );
    (instant(), optional).prop_map(|(created, (rating, dismissed, traits))| Record {
        created,
        rating,
        dismissed,
        traits,
    })
}

pub(super) fn request() -> impl Strategy<Value = Request> {
    let name = select(&NAMES[..]);
    let kind = select(&["string", "boolean"][..]);
    let calendar = (
        option::of(select(&UNITS[..])),
        any::<bool>(),
        option::of(select(&ZONES[..])),
    );
    let groups = (option::of((kind, name.clone())), option::of(1..6_usize));
    let confidence = option::of(select(&CONFIDENCES[..]));
    let filters = btree_map(name, (select(&OPERATORS[..]), text()), 0..3);
    (
        (instant(), instant()),
        calendar,
        groups,
        confidence,
        filters,
    )
        .prop_map(
            |((one, other), (interval, sunday, zone), (group_by, limit), confidence, filters)| {
                Request {
                    start: one.min(other),
                    end: one.max(other),
                    interval,
                    sunday,
                    zone,
                    group_by,
                    limit,
                    confidence,
                    filters,
                }
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
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    if let Some((kind, name)) = request.group_by {
        write!(query, "&groupBy=user.traits.{kind}.{}", encode(name)).unwrap();
        if let Some(limit) = request.limit {
            write!(query, "&groupLimit={limit}").unwrap();
        }
    }
    if let Some((confidence, _)) = request.confidence {
        write!(query, "&confidence={confidence}").unwrap();
    }
    for (name, (operator, value)) in &request.filters {
        let filter = filter(&encode(name), operator, &encode(value));
        query += &filter.replace('[', "%5B").replace(']', "%5D");
    }
    query
}

pub(super) async fn write(records: &[Record]) -> Project {
    let project = new_project().await;
    let items = records.iter().enumerate().map(|(count, record)| {
        let mut item = project
            .response_key(&canonical(record.created), &format!("r{count}"))
            .to_vec();
        item.extend(record.rating.clone().map(|rating| ("rating", rating)));
        item.extend(record.dismissed.clone().map(|flag| ("dismissed", flag)));
        item.extend(record.traits.iter().map(|traits| {
            let traits: Vec<_> = traits
                .iter()
                .map(|(name, it)| (*name, it.clone()))
                .collect();
            ("traits", map(&traits))
        }));
        item
    });
    project.put_many("responses", items.collect()).await;
    project
}
