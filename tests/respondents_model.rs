//! Random records and requests: with `respondents=latest`, each person's newest rating counts in each
//! interval, as a naive model finds it. The elements with all ratings are those of other tests.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Api, Project, map, n, new_project, s, shard_of};

#[derive(Debug, Clone)]
struct Record {
    created: &'static str,
    user: User,
    /// 11 is no rating.
    rating: Option<u8>,
    dismissed: bool,
    plan: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum User {
    Absent,
    Named(&'static str),
    /// An attribute that is no `userId`.
    Other,
    TooLong,
}

#[derive(Debug, Clone)]
struct Request {
    interval: Option<&'static str>,
    groups: Option<usize>,
    excluded_plan: Option<&'static str>,
    confidence: bool,
}

/// Few, so that several records of a person are of one instant.
const INSTANTS: [&str; 6] = [
    "2026-01-01T00:00:00.000Z",
    "2026-01-01T00:00:00.001Z",
    "2026-01-31T23:59:59.999Z",
    "2026-02-01T00:00:00.000Z",
    "2026-02-01T12:00:00.000Z",
    "2026-03-31T23:59:59.999Z",
];
const PLANS: [&str; 3] = ["a", "b", "c"];

fn record() -> impl Strategy<Value = Record> {
    let user = prop_oneof![
        1 => Just(User::Absent),
        1 => Just(User::Other),
        1 => Just(User::TooLong),
        1 => Just(User::Named("")),
        6 => prop::sample::select(&["jane", "john", "é"][..]).prop_map(User::Named),
    ];
    let rating = prop::option::weighted(0.8, 0..12_u8);
    let plan = prop::option::of(prop::sample::select(&PLANS[..]));
    let created = prop::sample::select(&INSTANTS[..]);
    (created, user, rating, any::<bool>(), plan).prop_map(
        |(created, user, rating, dismissed, plan)| Record {
            created,
            user,
            rating,
            dismissed,
            plan,
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    let interval = prop::option::of(prop::sample::select(&["all", "day", "month", "year"][..]));
    let plan = prop::option::of(prop::sample::select(&PLANS[..]));
    (interval, prop::option::of(1..4_usize), plan, any::<bool>()).prop_map(
        |(interval, groups, excluded_plan, confidence)| Request {
            interval,
            groups,
            excluded_plan,
            confidence,
        },
    )
}

fn query(request: &Request) -> String {
    let interval = request.interval.map(|unit| format!("&interval={unit}"));
    let groups = request
        .groups
        .map(|limit| format!("&groupBy=user.traits.string.plan&groupLimit={limit}"));
    let filter = request
        .excluded_plan
        .map(|plan| format!("&filter=plan=ne:{plan}"));
    let confidence = request.confidence.then(|| "&confidence=90".to_owned());
    let optional = [interval, groups, filter, confidence].into_iter().flatten();
    "&startDate=2026-01-01&endDate=2026-04-01".to_owned() + &optional.collect::<String>()
}

/// Returns the id of the record with this number.
fn id(number: usize) -> String {
    format!("r{number}")
}

async fn write(records: &[Record]) -> Project {
    let project = new_project().await;
    let items = records.iter().enumerate().map(|(number, record)| {
        let mut item = project.response_key(record.created, &id(number)).to_vec();
        item.extend(record.rating.map(|rating| ("rating", n(rating))));
        item.push(("dismissed", AttributeValue::Bool(record.dismissed)));
        let plan = record.plan.map(|plan| ("plan", s(plan)));
        item.push(("traits", map(plan.as_slice())));
        match record.user {
            User::Absent => {}
            User::Named(name) => item.push(("userId", s(name))),
            User::Other => item.push(("userId", n(7))),
            User::TooLong => item.push(("userId", s(&"u".repeat(1025)))),
        }
        item
    });
    project.put_many("responses", items.collect()).await;
    project
}

/// Returns the numbers of the ratings that count between two instants.
fn newest(records: &[Record], request: &Request, bounds: [&str; 2]) -> Vec<usize> {
    let mut newest: BTreeMap<&str, (&str, char, String, usize)> = BTreeMap::new();
    let mut counted = Vec::new();
    for (number, record) in records.iter().enumerate() {
        let passes = record.plan.is_none() || record.plan != request.excluded_plan;
        let inside = bounds[0] <= record.created && record.created < bounds[1];
        if !passes || !inside || record.rating.is_none_or(|rating| rating > 10) {
            continue;
        }
        let User::Named(name @ ("jane" | "john" | "é")) = record.user else {
            counted.push(number);
            continue;
        };
        let age = (record.created, shard_of(&id(number)), id(number), number);
        let of_person = newest.entry(name).or_insert_with(|| age.clone());
        if *of_person < age {
            *of_person = age;
        }
    }
    counted.extend(newest.into_values().map(|(_, _, _, number)| number));
    counted
}

/// Returns the members that depend on the ratings that count.
#[allow(clippy::cast_precision_loss)]
fn figures(ratings: &[u8], request: &Request) -> Value {
    let count = |range: std::ops::RangeInclusive<u8>| {
        ratings
            .iter()
            .filter(|rating| range.contains(rating))
            .count()
    };
    let frequency: Vec<_> = (0..=10).map(|rating| count(rating..=rating)).collect();
    let [responses, promoters, passives, detractors] =
        [count(0..=10), count(9..=10), count(7..=8), count(0..=6)];
    let is_divided = request.interval.is_some() || request.groups.is_some();
    let nps = match responses {
        0 if is_divided => Value::Null,
        0 => json!(0.0),
        _ => json!(100.0 * (promoters as f64 - detractors as f64) / responses as f64),
    };
    let mut figures = json!({
        "responses": responses, "promoters": promoters, "passives": passives, "detractors": detractors,
        "nps": nps, "frequency": frequency,
    });
    if request.confidence {
        let all = responses as f64 + 3.0;
        let (p, d) = (
            (promoters as f64 + 0.75) / all,
            (detractors as f64 + 0.75) / all,
        );
        let margin = 1.644_853_626_951_472_2 * ((p + d - (p - d) * (p - d)) / all).sqrt();
        let bound = |share: f64| match responses {
            0 => Value::Null,
            _ => json!((100.0 * share).clamp(-100.0, 100.0)),
        };
        figures["npsLow"] = bound(p - d - margin);
        figures["npsHigh"] = bound(p - d + margin);
    }
    figures
}

async fn elements(project: &Project, query: &str) -> Vec<Value> {
    let reply = Api::shared().statistics(project, query).await;
    assert_eq!(reply.status, 200, "{query} {reply:?}");
    let data = reply.json()["data"].as_array().unwrap().clone();
    data.into_iter()
        .map(|element| element["attributes"].clone())
        .collect()
}

/// Returns what an element with all ratings becomes.
fn expected(all: &Value, records: &[Record], request: &Request, shown: &[Value]) -> Value {
    let text = |name: &str, default| all[name].as_str().map_or(default, |text| text);
    let bounds = [text("start", "2026-01-01"), text("end", "2026-04-01")];
    let is_member = |record: &Record| {
        let group = record.plan.map_or(Value::Null, |plan| json!(plan));
        match &all["other"] {
            Value::Bool(true) => !shown.contains(&group),
            Value::Bool(false) => group == all["group"],
            _ => true,
        }
    };
    let counted = newest(records, request, bounds)
        .into_iter()
        .map(|number| &records[number]);
    let members = counted.filter(|record| is_member(record));
    let ratings: Vec<_> = members.filter_map(|record| record.rating).collect();
    let mut expected = all.clone();
    for (name, value) in figures(&ratings, request).as_object().unwrap() {
        expected[name] = value.clone();
    }
    expected["superseded"] = json!(all["responses"].as_u64().unwrap() - ratings.len() as u64);
    expected
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_newest_rating_of_each_person_counts_in_each_interval_and_group(
        records in vec(record(), 0..60), requests in vec(request(), 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let project = write(&records).await;
            for request in &requests {
                let all = elements(&project, &query(request)).await;
                let latest = elements(&project, &(query(request) + "&respondents=latest")).await;
                let own = all.iter().filter(|element| element["other"] == false);
                let shown: Vec<_> = own.map(|element| element["group"].clone()).collect();
                let expected: Vec<_> =
                    all.iter().map(|element| expected(element, &records, request, &shown)).collect();
                prop_assert_eq!(latest, expected, "{:?}", request);
            }
            Ok(())
        })?;
    }
}
