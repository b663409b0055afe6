//! Arbitrary items of the service's tables, as any program may write them.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::corpus::Entry;
use crate::support::shard_of;

/// The tables of the service, with their keys.
pub(super) const TABLES: [(&str, &str, Option<&str>); 3] = [
    ("users", "project", Some("userId")),
    ("responses", "shard", Some("at")),
    ("credentials", "digest", None),
];

/// The attributes that the service knows, and others.
pub(super) const NAMES: [&str; 12] = [
    "rating",
    "dismissed",
    "traits",
    "name",
    "email",
    "created",
    "unsubscribed",
    "plan",
    "a.b",
    "é\"",
    "M",
    "S",
];

#[derive(Debug, Clone)]
pub(super) struct Item {
    in_users: bool,
    /// Which of two partitions.
    pub(super) partition: u8,
    pub(super) range: String,
    attributes: Value,
}

fn text() -> impl Strategy<Value = String> {
    "[aé\"\\\\/\u{0}\u{1F600} ]{0,3}"
}

fn number() -> impl Strategy<Value = String> {
    const NUMBERS: [&str; 8] = [
        "-0",
        "007.50",
        "1E-130",
        "-9.9999999999999999999999999999999999999E+125",
        "0.1",
        "10",
        "9",
        "12345678901234567890123456789012345678",
    ];
    prop_oneof![
        select(&NUMBERS[..]).prop_map(str::to_owned),
        any::<i32>().prop_map(|it| it.to_string())
    ]
}

fn attribute() -> impl Strategy<Value = Value> {
    let base64 = || select(&["AA==", "/w==", "AAEC"][..]);
    let leaf = prop_oneof![
        text().prop_map(|text| json!({"S": text})),
        number().prop_map(|digits| json!({"N": digits})),
        any::<bool>().prop_map(|flag| json!({"BOOL": flag})),
        Just(json!({"NULL": true})),
        base64().prop_map(|bytes| json!({"B": bytes})),
        btree_set(text(), 1..4).prop_map(|texts| json!({"SS": texts})),
        btree_set(-20..20_i32, 1..5).prop_map(|numbers| {
            json!({"NS": numbers.iter().map(ToString::to_string).collect::<Vec<_>>()})
        }),
        btree_set(base64(), 1..3).prop_map(|bytes| json!({"BS": bytes})),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|list| json!({"L": list})),
            btree_map(select(&NAMES[..]), inner, 0..4).prop_map(|map| json!({"M": map})),
        ]
    })
}

/// Returns the values of a range key: as records of the service have them, and others.
pub(super) fn range_key() -> impl Strategy<Value = String> {
    prop_oneof![
        "2026-01-01T00:00:00[.]00[0-3]Z#[a-c]",
        "[aAz/#é\u{0}\u{FFFF}\u{1F600}]{1,2}"
    ]
}

pub(super) fn item() -> impl Strategy<Value = Item> {
    let rated = (0..11_u8).prop_map(|rating| json!({"rating": {"N": rating.to_string()}}));
    let others = btree_map(select(&NAMES[..]), attribute(), 0..6).prop_map(|it| json!(it));
    (
        any::<bool>(),
        0..2_u8,
        range_key(),
        prop_oneof![1 => rated, 4 => others],
    )
        .prop_map(|(in_users, partition, range, attributes)| Item {
            in_users,
            partition,
            range,
            attributes,
        })
}

pub(super) fn table(is_users: bool) -> (&'static str, &'static str, &'static str) {
    match TABLES[usize::from(!is_users)] {
        (table, hash, Some(range)) => (table, hash, range),
        _ => unreachable!("both have range keys"),
    }
}

/// Returns a partition of a project: the table of users has one, and another project is beside it.
pub(super) fn partition(project: &str, is_users: bool, number: u8) -> String {
    match (is_users, number) {
        (true, 0) => project.to_owned(),
        (true, _) => format!("{project}-{number}"),
        (false, _) => format!("{project}#{number}"),
    }
}

impl Item {
    /// Returns its table, and its JSON.
    fn stored(&self, project: &str) -> (&'static str, Value) {
        let (table, hash, range) = table(self.in_users);
        let mut item = self.attributes.clone();
        // The figures count only the records that are in the shards of their ids.
        let partition = match self.range.rsplit_once('#') {
            Some((_, id)) if !self.in_users => format!("{project}#{}", shard_of(id)),
            _ => partition(project, self.in_users, self.partition),
        };
        item[hash] = json!({"S": partition});
        item[range] = json!({"S": self.range});
        (table, item)
    }
}

/// Returns the request that writes the items of a project. Of those with the same key, it is the last.
pub(super) fn write(project: &str, items: &[Item]) -> Entry {
    let items = items.iter().map(|item| item.stored(project));
    let by_key: BTreeMap<_, _> = items
        .map(|(table, item)| {
            let key = ["project", "userId", "shard", "at"].map(|name| item[name].to_string());
            ((table, key), item)
        })
        .collect();
    let mut requests: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for ((table, _), item) in by_key {
        requests
            .entry(table)
            .or_default()
            .push(json!({"PutRequest": {"Item": item}}));
    }
    Entry::of("BatchWriteItem", &json!({"RequestItems": requests}))
}
