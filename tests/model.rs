//! Random records and requests: the responses equal those of a naive model.

use std::collections::BTreeMap;
use std::fmt::Write;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Api, Project, map, n, new_project, next, null, s};

/// A stored attribute and, if it is a string, its text.
type Stored = (AttributeValue, Option<String>);

#[derive(Debug, Clone)]
struct Record {
    /// Milliseconds after the base instant. The range is small, so that many records share one and lie
    /// on the edges of periods.
    at: i64,
    rating: Option<Stored>,
    dismissed: Option<Stored>,
    traits: Option<BTreeMap<&'static str, Stored>>,
}

#[derive(Debug, Clone)]
struct Request {
    start: i64,
    end: i64,
    filters: BTreeMap<&'static str, (&'static str, String)>,
}

const NAMES: [&str; 4] = ["plan", "a.b", "x y]", "ü"];
const OPERATORS: [&str; 4] = ["eq", "ne", "contains", "ncontains"];
const MILLIS: std::ops::Range<i64> = 0..6;

fn text() -> impl Strategy<Value = String> {
    "[abé\"\\\\ +%&=\u{1F600}]{0,3}"
}

fn any_stored() -> impl Strategy<Value = Stored> {
    prop_oneof![
        4 => text().prop_map(|text| (s(&text), Some(text))),
        1 => Just((null(), None)),
        1 => any::<bool>().prop_map(|flag| (AttributeValue::Bool(flag), None)),
        1 => (-2..13).prop_map(|number| (n(number), None)),
        1 => Just((AttributeValue::L(vec![s("a")]), None)),
        1 => Just((AttributeValue::Ss(vec!["a".to_owned()]), None)),
        1 => Just((AttributeValue::B(Blob::new("a")), None)),
        1 => Just((map(&[("plan", s("a"))]), None)),
    ]
}

fn record() -> impl Strategy<Value = Record> {
    let rating = prop_oneof![6 => (0..=10).prop_map(|rating| (n(rating), None)), 1 => any_stored()];
    let flag = any::<bool>().prop_map(|flag| (AttributeValue::Bool(flag), None));
    let dismissed = prop_oneof![6 => flag, 1 => any_stored()];
    let traits = btree_map(prop::sample::select(&NAMES[..]), any_stored(), 0..4);
    (
        MILLIS,
        prop::option::of(rating),
        prop::option::of(dismissed),
        prop::option::of(traits),
    )
        .prop_map(|(at, rating, dismissed, traits)| Record {
            at,
            rating,
            dismissed,
            traits,
        })
}

fn request() -> impl Strategy<Value = Request> {
    let filter = (prop::sample::select(&OPERATORS[..]), text());
    (
        MILLIS,
        MILLIS,
        btree_map(prop::sample::select(&NAMES[..]), filter, 0..3),
    )
        .prop_map(|(one, other, filters)| Request {
            start: one.min(other),
            end: one.max(other),
            filters,
        })
}

fn instant(millis: i64) -> String {
    // Around the end of a year, where an error in a date is visible.
    format!(
        "{}.{:03}Z",
        if millis < 3 {
            "2025-12-31T23:59:59"
        } else {
            "2026-01-01T00:00:00"
        },
        (millis + 997) % 1000
    )
}

enum Outcome {
    Damaged,
    Rated(usize),
    Dismissed,
    Pending,
}

fn outcome(record: &Record) -> Outcome {
    let present = |stored: &Option<Stored>| {
        stored
            .as_ref()
            .map(|stored| stored.0.clone())
            .filter(|value| !value.is_null())
    };
    let rating = match present(&record.rating) {
        None => None,
        Some(AttributeValue::N(digits)) => match digits.parse::<usize>() {
            Ok(rating) if rating <= 10 => Some(rating),
            _ => return Outcome::Damaged,
        },
        Some(_) => return Outcome::Damaged,
    };
    let dismissed = match present(&record.dismissed) {
        None => false,
        Some(AttributeValue::Bool(flag)) => flag,
        Some(_) => return Outcome::Damaged,
    };
    match (rating, dismissed) {
        (Some(rating), _) => Outcome::Rated(rating),
        (None, true) => Outcome::Dismissed,
        (None, false) => Outcome::Pending,
    }
}

fn passes(record: &Record, request: &Request) -> bool {
    (request.start..request.end).contains(&record.at)
        && request.filters.iter().all(|(name, (operator, value))| {
            let text = record
                .traits
                .as_ref()
                .and_then(|traits| traits.get(name)?.1.as_ref());
            match *operator {
                "eq" => text == Some(value),
                "ne" => text != Some(value),
                "contains" => text.is_some_and(|text| text.contains(value.as_str())),
                _ => !text.is_some_and(|text| text.contains(value.as_str())),
            }
        })
}

#[allow(clippy::cast_precision_loss)]
fn figures(records: &[Record], request: &Request) -> Value {
    let mut frequency = [0_usize; 11];
    let (mut displays, mut dismissed) = (0, 0);
    for record in records.iter().filter(|record| passes(record, request)) {
        match outcome(record) {
            Outcome::Damaged => continue,
            Outcome::Rated(rating) => frequency[rating] += 1,
            Outcome::Dismissed => dismissed += 1,
            Outcome::Pending => {}
        }
        displays += 1;
    }
    let sum = |ratings: std::ops::RangeInclusive<usize>| frequency[ratings].iter().sum::<usize>();
    let (responses, promoters, detractors) = (sum(0..=10), sum(9..=10), sum(0..=6));
    let nps = if responses == 0 {
        0.0
    } else {
        100.0 * (promoters as f64 - detractors as f64) / responses as f64
    };
    json!({"responses": responses, "displays": displays, "dismissed": dismissed, "promoters": promoters,
           "passives": sum(7..=8), "detractors": detractors, "nps": nps, "frequency": frequency})
}

fn query(request: &Request) -> String {
    let encode = |text: &str| {
        percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
    };
    let mut query = format!(
        "&startDate={}&endDate={}",
        instant(request.start),
        instant(request.end)
    );
    for (name, (operator, value)) in &request.filters {
        let key = format!("filters[user.traits.string.{name}]");
        let [operator_key, value_key] =
            ["operator", "value"].map(|member| encode(&format!("{key}[{member}]")));
        write!(
            query,
            "&{operator_key}={operator}&{value_key}={}",
            encode(value)
        )
        .unwrap();
    }
    query
}

async fn write(records: &[Record]) -> Project {
    let project = new_project().await;
    let items = records.iter().enumerate().map(|(count, record)| {
        let mut item = project
            .response_key(&instant(record.at), &format!("record-{count}"))
            .to_vec();
        let stored = [("rating", &record.rating), ("dismissed", &record.dismissed)];
        item.extend(
            stored
                .into_iter()
                .filter_map(|(name, stored)| Some((name, stored.clone()?.0))),
        );
        item.extend(record.traits.iter().map(|traits| {
            let traits = traits
                .iter()
                .map(|(name, stored)| ((*name).to_owned(), stored.0.clone()));
            ("traits", AttributeValue::M(traits.collect()))
        }));
        item
    });
    project.put_many("responses", items.collect()).await;
    project
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn statistics_equal_those_of_a_naive_model(records in vec(record(), 0..40), requests in vec(request(), 1..8)) {
        runtime().block_on(async {
            let project = write(&records).await;
            for request in &requests {
                let reply = Api::shared().statistics(&project, &query(request)).await;
                prop_assert_eq!(reply.figures(), figures(&records, request), "{:?}", request);
            }
            Ok(())
        })?;
    }

    #[test]
    fn adjacent_periods_neither_overlap_nor_leave_a_gap(records in vec(record(), 0..40), edge in MILLIS) {
        runtime().block_on(async {
            let project = write(&records).await;
            let displays = async |start, end| {
                let request = Request { start, end, filters: BTreeMap::new() };
                Api::shared().statistics(&project, &query(&request)).await.figures()["displays"].as_u64().unwrap()
            };
            let whole = displays(MILLIS.start, MILLIS.end).await;
            prop_assert_eq!(displays(MILLIS.start, edge).await + displays(edge, MILLIS.end).await, whole);
            Ok(())
        })?;
    }

    #[test]
    fn lists_and_pages_of_any_size_hold_every_user_in_order(
        names in prop::collection::btree_set("[a-cA-C0-9 /+%#ü\u{FFFD}\u{1F600}]{1,4}", 0..25), limit in 1..30_usize,
    ) {
        runtime().block_on(async {
            let project = new_project().await;
            let key = |name| vec![("project", s(&project.id)), ("userId", s(name))];
            project.put_many("users", names.iter().map(|name| key(name)).collect()).await;
            // A BTreeSet of strings is in byte order.
            let expected: Vec<_> = names.into_iter().collect();
            prop_assert_eq!(&Api::shared().users(&project, "").await.user_ids(), &expected);
            let mut paged = Vec::new();
            let mut target = format!("/api/users?project={}&limit={limit}", project.id);
            loop {
                let reply = Api::shared().get_as_account(&project, &target).await;
                let page = reply.user_ids();
                prop_assert_eq!(page.len(), limit.min(expected.len() - paged.len()));
                paged.extend(page);
                match next(&reply) {
                    Some(link) => target = link,
                    None => break,
                }
            }
            prop_assert_eq!(&paged, &expected);
            Ok(())
        })?;
    }
}
