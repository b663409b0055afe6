//! Arbitrary Queries of arbitrary items.

use std::collections::BTreeSet;

use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use super::items::{Item, NAMES, partition, range_key, table};

#[derive(Debug, Clone)]
pub(super) struct Query {
    of_users: bool,
    partition: u8,
    range: Range,
    start: Start,
    limit: Option<u32>,
    paths: Option<BTreeSet<Vec<&'static str>>>,
    is_consistent: Option<bool>,
    capacity: Option<&'static str>,
}

#[derive(Debug, Clone)]
enum Range {
    All,
    One(String),
    Between(String, String),
}

#[derive(Debug, Clone)]
enum Start {
    First,
    After(String),
    InAnotherPartition(String),
    /// The key of an item.
    Item(Index),
}

pub(super) fn query() -> impl Strategy<Value = Query> {
    let range = prop_oneof![
        2 => Just(Range::All),
        1 => range_key().prop_map(Range::One),
        2 => (range_key(), range_key()).prop_map(|(low, high)| Range::Between(low, high)),
    ];
    let start = prop_oneof![
        3 => Just(Start::First),
        2 => any::<Index>().prop_map(Start::Item),
        1 => range_key().prop_map(Start::After),
        1 => range_key().prop_map(Start::InAnotherPartition),
    ];
    let path = vec(select(&NAMES[..]), 1..3);
    let modes = select(&["TOTAL", "INDEXES", "NONE"][..]);
    (
        (any::<bool>(), 0..3_u8, range, start),
        (
            option::of(1..6_u32),
            option::of(btree_set(path, 1..4)),
            option::of(any::<bool>()),
            option::of(modes),
        ),
    )
        .prop_map(
            |((of_users, partition, range, start), (limit, paths, is_consistent, capacity))| {
                Query {
                    of_users,
                    partition,
                    range,
                    start,
                    limit,
                    paths,
                    is_consistent,
                    capacity,
                }
            },
        )
}

impl Query {
    /// Returns the request's JSON.
    pub(super) fn body(&self, project: &str, items: &[Item]) -> Value {
        let (table, hash, range) = table(self.of_users);
        let of = |number| json!({"S": partition(project, self.of_users, number)});
        let (condition, keys) = self.condition();
        let mut names = Map::from_iter([("#h".to_owned(), hash.into())]);
        if !keys.is_empty() {
            names.insert("#r".to_owned(), range.into());
        }
        let projected = self.paths.iter().flatten().flatten();
        names.extend(projected.map(|name| (placeholder(name), (*name).into())));
        let mut values = Map::from_iter([(":h".to_owned(), of(self.partition))]);
        values.extend(
            keys.into_iter()
                .map(|(name, key)| (name.to_owned(), json!({"S": key}))),
        );
        let start = self.start(items);
        let start = start.map(|(number, key)| json!({hash: of(number), range: {"S": key}}));
        let members = [
            ("TableName", Some(table.into())),
            ("KeyConditionExpression", Some(condition.into())),
            ("ExpressionAttributeNames", Some(names.into())),
            ("ExpressionAttributeValues", Some(values.into())),
            ("ExclusiveStartKey", start),
            ("ProjectionExpression", self.projection().map(Value::from)),
            ("Limit", self.limit.map(Value::from)),
            ("ConsistentRead", self.is_consistent.map(Value::from)),
            ("ReturnConsumedCapacity", self.capacity.map(Value::from)),
        ];
        let present = members.into_iter();
        present
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    /// Returns the condition, and the range keys in it with their placeholders.
    fn condition(&self) -> (&'static str, Vec<(&'static str, &str)>) {
        match &self.range {
            Range::All => ("#h = :h", vec![]),
            Range::One(key) => ("#h = :h AND #r = :a", vec![(":a", key)]),
            Range::Between(low, high) => {
                let condition = "#h = :h AND #r BETWEEN :a AND :b";
                (condition, vec![(":a", low), (":b", high)])
            }
        }
    }

    /// Returns the partition and the range key after which the page begins.
    fn start<'a>(&'a self, items: &'a [Item]) -> Option<(u8, &'a str)> {
        match &self.start {
            Start::After(key) => Some((self.partition, key)),
            Start::InAnotherPartition(key) => Some((self.partition + 1, key)),
            Start::Item(index) if !items.is_empty() => {
                let item = index.get(items);
                Some((item.partition, &item.range))
            }
            Start::First | Start::Item(_) => None,
        }
    }

    fn projection(&self) -> Option<String> {
        let paths = self.paths.as_ref()?.iter();
        let joined = paths.map(|path| {
            let names = path.iter().map(|name| placeholder(name));
            names.collect::<Vec<_>>().join(".")
        });
        Some(joined.collect::<Vec<_>>().join(", "))
    }
}

fn placeholder(name: &str) -> String {
    let place = NAMES.iter().position(|known| *known == name);
    format!("#n{}", place.unwrap())
}
