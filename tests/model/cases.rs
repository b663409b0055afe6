//! Random records, and random combinations of parameters.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use model::{Operator, TraitType, Zone};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use proptest::{option, sample::select};
use std::fmt::Write;

use crate::support::{Item, Project, map, n, new_project, null, s, typed_filter};

#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) start: DateTime<Utc>,
    pub(super) end: DateTime<Utc>,
    /// The word that names the period, instead of both.
    pub(super) word: Option<&'static str>,
    pub(super) interval: Option<&'static str>,
    pub(super) sunday: bool,
    pub(super) zone: Option<&'static str>,
    /// Type and name of the trait.
    pub(super) group_by: Option<(&'static str, &'static str)>,
    pub(super) limit: Option<usize>,
    pub(super) confidence: Option<(u8, f64)>,
    pub(super) latest: bool,
    pub(super) compare: Option<Compare>,
    /// How many dates an element counts.
    pub(super) window: Option<i64>,
    pub(super) filters: Vec<Filter>,
}

/// What the period is compared with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Compare {
    Previous,
    Year,
    Period(DateTime<Utc>, DateTime<Utc>),
}

#[derive(Debug, Clone)]
pub(super) struct Filter {
    pub(super) name: &'static str,
    pub(super) kind: TraitType,
    pub(super) operator: String,
    pub(super) value: String,
}

const NAMES: [&str; 4] = ["plan", "a.b", "x y]", "ü"];
const VALUES: [&str; 6] = ["", "a", "A", "b", "é", "true"];
const ZONES: [&str; 4] = ["UTC", "Europe/Prague", "America/St_Johns", "Asia/Kathmandu"];
/// Words, with the dates that they mean.
const WORDS: [(&str, &str, &str); 3] = [
    ("2026-10", "2026-10-01", "2026-11-01"),
    ("2026-W43", "2026-10-19", "2026-10-26"),
    ("2026-W44", "2026-10-26", "2026-11-02"),
];
const UNITS: [&str; 6] = ["day", "week", "month", "quarter", "year", "all"];
const CONFIDENCES: [(u8, f64); 3] = [
    (90, 1.644_853_626_951_472_2),
    (95, 1.959_963_984_540_054),
    (99, 2.575_829_303_548_900_4),
];

/// Instants around a change of clocks. Many are midnights of a zone, and several records are of one instant.
fn instant() -> impl Strategy<Value = DateTime<Utc>> {
    let base: DateTime<Utc> = "2026-10-20T00:00:00Z".parse().unwrap();
    let minutes = select(vec![0, 1, 60, 150, 1095, 1320, 1380, 1439]);
    (0..15_i64, minutes, -1..2_i64).prop_map(move |(day, minute, millis)| {
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

/// Adds the key to a record, which has a number for an id.
pub(super) fn keyed((number, (at, mut record)): (usize, (DateTime<Utc>, Item))) -> Item {
    record.insert("at".to_owned(), s(&format!("{}#r{number}", canonical(at))));
    record
}

/// Generates the instant of a record and its attributes, which may have any type.
pub(super) fn record() -> impl Strategy<Value = (DateTime<Utc>, Item)> {
    let rating = prop_oneof![6 => (0..=10).prop_map(n), 1 => any_value()];
    let dismissed =
        prop_oneof![6 => any::<bool>().prop_map(AttributeValue::Bool), 1 => any_value()];
    let names = select(&NAMES[..]).prop_map(str::to_owned);
    let traits = hash_map(names, any_value(), 0..4);
    let too_long = s(&"u".repeat(1025));
    let user = prop_oneof![
        6 => select(&["jane", "john", "é"][..]).prop_map(s), 1 => Just(s("")), 1 => Just(too_long), 1 => any_value()
    ];
    let attributes = (
        option::of(rating),
        option::of(dismissed),
        option::of(traits.prop_map(AttributeValue::M)),
        option::of(user),
    );
    (instant(), attributes).prop_map(|(at, (rating, dismissed, traits, user))| {
        let names = ["rating", "dismissed", "traits", "userId"].map(str::to_owned);
        let values = names.into_iter().zip([rating, dismissed, traits, user]);
        let present = values.filter_map(|(name, value)| Some((name, value?)));
        (at, present.collect())
    })
}

/// Generates the same, most of which are rated and have a plan: enough for groups in both periods of a comparison.
pub(super) fn planned_record() -> impl Strategy<Value = (DateTime<Utc>, Item)> {
    let plan = select(&VALUES[..4]).prop_map(s);
    (record(), (0..=10).prop_map(n), plan).prop_map(|((at, mut record), rating, plan)| {
        record.entry("rating".to_owned()).or_insert(rating);
        let traits = map(&[("plan", plan)]);
        record.entry("traits".to_owned()).or_insert(traits);
        (at, record)
    })
}

fn filter() -> impl Strategy<Value = Filter> {
    let of_each = |&operator: &Operator| operator.types().iter().map(move |&kind| (operator, kind));
    let operators: Vec<_> = Operator::ALL.iter().flat_map(of_each).collect();
    let compared = select(operators).prop_flat_map(|(operator, kind)| {
        let value = match kind {
            TraitType::String if operator.takes_list() => {
                let values = vec(select(&VALUES[..]), 1..4);
                values.prop_map(|values| values.join(",")).boxed()
            }
            TraitType::String => text().boxed(),
            TraitType::Number => select(&["-1", "0", "4", "9.5"][..])
                .prop_map(str::to_owned)
                .boxed(),
            TraitType::Boolean => any::<bool>().prop_map(|flag| flag.to_string()).boxed(),
        };
        value.prop_map(move |value| (operator.to_string(), kind, value))
    });
    (select(&NAMES[..]), compared).prop_map(|(name, (operator, kind, value))| Filter {
        name,
        kind,
        operator,
        value,
    })
}

prop_compose! {
    pub(super) fn request()(
        (one, other) in (instant(), instant()),
        word in option::weighted(0.2, select(&WORDS[..])),
        interval in option::of(select(&UNITS[..])),
        sunday in any::<bool>(),
        zone in option::of(select(&ZONES[..])),
        group_by in option::of((select(&["string", "boolean"][..]), select(&NAMES[..]))),
        limit in option::of(1..6_usize),
        confidence in option::of(select(&CONFIDENCES[..])),
        latest in any::<bool>(),
        window in option::of(7..25_i64),
        mut filters in vec(filter(), 0..3),
    ) -> Request {
        // The same type and name may not be there twice in this form.
        filters.sort_by_key(|filter| (filter.name, filter.kind));
        filters.dedup_by_key(|filter| (filter.name, filter.kind));
        let has_windows = matches!(interval, Some("day" | "week" | "month")) && !latest;
        let midnight = |date| {
            let zone: Zone = zone.unwrap_or("UTC").parse().unwrap();
            zone.parse_timestamp(date).unwrap().into()
        };
        let dates = word.map(|(_, start, end)| (midnight(start), midnight(end)));
        let (start, end) = dates.unwrap_or((one.min(other), one.max(other)));
        Request {
            start,
            end,
            word: word.map(|(word, ..)| word),
            // As this one, a word says which period it meant.
            interval: interval.or(word.map(|_| "all")),
            sunday,
            zone,
            group_by,
            limit,
            confidence,
            latest,
            compare: None,
            window: window.filter(|_| has_windows),
            filters,
        }
    }
}

/// Generates requests for comparisons. Of four instants, the first two are mostly the earlier period.
pub(super) fn comparison() -> impl Strategy<Value = Request> {
    let with = prop_oneof![
        2 => Just(Compare::Previous), 1 => Just(Compare::Year),
        5 => (instant(), instant()).prop_map(|(one, other)| Compare::Period(one, other)),
    ];
    (request(), with).prop_map(|(mut request, mut with)| {
        if let Compare::Period(one, other) = with {
            let mut all = [request.start, request.end, one, other];
            all.sort();
            with = Compare::Period(all[0], all[1]);
            (request.start, request.end) = (all[2], all[3]);
        }
        request.filters.truncate(1);
        Request {
            word: None,
            interval: None,
            window: None,
            group_by: request.group_by.map(|(kind, _)| (kind, "plan")),
            // Few of them, so that there are others.
            limit: request.limit.map(|limit| limit.div_ceil(2)),
            compare: Some(with),
            ..request
        }
    })
}

/// Promoters and detractors of the earlier period and of the present one, beside thirty passives in each.
pub(super) fn judged_group() -> impl Strategy<Value = [usize; 4]> {
    select(
        &[
            [10, 10, 10, 10],
            [0, 0, 0, 14],
            [0, 0, 0, 10],
            [9, 0, 0, 0],
            [8, 8, 12, 3],
        ][..],
    )
}

pub(super) fn confidence() -> impl Strategy<Value = Option<(u8, f64)>> {
    option::of(select(&CONFIDENCES[..]))
}

/// Returns the records of such a group, whose plan has this number, in each of two days.
pub(super) fn of_group(number: usize, counts: &[usize; 4]) -> Vec<(DateTime<Utc>, Item)> {
    let request = by_plan();
    let earlier = request.start - TimeDelta::days(1);
    let rated = |at, rating, count| {
        let plan = map(&[("plan", s(&format!("plan {number}")))]);
        let names = ["rating", "traits"].map(str::to_owned);
        let record: Item = names.into_iter().zip([n(rating), plan]).collect();
        std::iter::repeat_n((at, record), count)
    };
    let [p0, d0, p1, d1] = *counts;
    let before = [(earlier, 10, p0), (earlier, 8, 30), (earlier, 0, d0)];
    let after = [
        (request.start, 10, p1),
        (request.start, 8, 30),
        (request.start, 0, d1),
    ];
    let all = before.into_iter().chain(after);
    all.flat_map(|(at, rating, count)| rated(at, rating, count))
        .collect()
}

/// Asks for a day by plan, compared with the day before.
pub(super) fn by_plan() -> Request {
    let start: DateTime<Utc> = "2026-10-20T00:00:00Z".parse().unwrap();
    Request {
        start,
        end: start + TimeDelta::days(1),
        word: None,
        interval: None,
        sunday: false,
        zone: None,
        group_by: Some(("string", "plan")),
        limit: None,
        confidence: None,
        latest: false,
        compare: Some(Compare::Previous),
        window: None,
        filters: Vec::new(),
    }
}

pub(super) fn canonical(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}

pub(super) fn query(request: &Request) -> String {
    let [start, end] = [request.start, request.end].map(canonical);
    let mut query = match request.word {
        Some(word) => format!("&period={word}"),
        None => format!("&startDate={start}&endDate={end}"),
    };
    let is_whole = request.word.is_some() && request.interval == Some("all");
    if let Some(interval) = request.interval.filter(|_| !is_whole) {
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
    if request.latest {
        query.push_str("&respondents=latest");
    }
    if let Some(window) = request.window {
        write!(query, "&window={window}d").unwrap();
    }
    match request.compare {
        None => {}
        Some(Compare::Previous) => query.push_str("&compare=previous"),
        Some(Compare::Year) => query.push_str("&compare=year"),
        Some(Compare::Period(start, end)) => {
            let [start, end] = [start, end].map(canonical);
            write!(query, "&compare={start}/{end}").unwrap();
        }
    }
    for filter in &request.filters {
        let [name, value] = [filter.name, &filter.value].map(encode);
        let filter = typed_filter(&filter.kind.to_string(), &name, &filter.operator, &value);
        query += &filter.replace('[', "%5B").replace(']', "%5D");
    }
    query
}

/// Writes the records into a project of the shared service.
pub(super) async fn write(records: &[Item]) -> Project {
    let project = new_project().await;
    let items = records.iter().map(|record| {
        let (created, id) = record["at"].as_s().unwrap().split_once('#').unwrap();
        let [shard, _] = project.response_key(created, id);
        let attributes = record.iter().map(|(name, value)| (&**name, value.clone()));
        attributes.chain([shard]).collect()
    });
    project.put_many("responses", items.collect()).await;
    project
}
