//! The pages of a Query of [`Responses`].

use std::ops::Range;

use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};

use super::{Attributes, Responses};
use crate::stub::Answer;

/// What a Query asks for.
pub(super) struct Query {
    pub(super) shard: usize,
    /// The numbers of its records.
    pub(super) range: Range<usize>,
    has_more: bool,
}

const PAGE: usize = 1 << 20;

impl Responses {
    fn key(&self, shard: usize, n: usize) -> String {
        let at = DateTime::from_timestamp_millis(self.shards[shard][n]).unwrap();
        let at = at.to_rfc3339_opts(SecondsFormat::Millis, true);
        format!("{at}#{n:08}")
    }

    /// Finds the records of a page, or why there is none.
    pub(super) fn query(&self, input: &Value, size: usize) -> Result<Query, Answer> {
        let invalid = |message: &str| Answer::refusal(400, "ValidationException", message);
        let value = |name: &str| input["ExpressionAttributeValues"][name.trim()]["S"].as_str();
        let name = |place: &str| input["ExpressionAttributeNames"][place.trim()].as_str();
        let conditions = input["KeyConditionExpression"].as_str().unwrap_or_default();
        let (of_hash, of_range) = match conditions.split_once(" AND ") {
            Some((hash, range)) => (hash, Some(range)),
            None => (conditions, None),
        };
        let equals = |condition: &str, key: &str| {
            let (place, text) = condition.split_once('=')?;
            value(text).filter(|_| name(place) == Some(key))
        };
        let shard = equals(of_hash, "shard").and_then(|key| {
            let shard = key.strip_prefix(&self.project)?.strip_prefix('#')?;
            "0123456789abcdef".find(shard).filter(|_| shard.len() == 1)
        });
        let shard = shard.ok_or_else(|| invalid("no such hash key"))?;
        let between = |condition: &str| {
            let (place, bounds) = condition.split_once(" BETWEEN ")?;
            let (low, high) = bounds.split_once(" AND ")?;
            (name(place) == Some("at")).then_some([value(low)?, value(high)?])
        };
        let bounds = match of_range {
            None => ["", "\u{10FFFF}"],
            Some(range) => between(range)
                .or_else(|| equals(range, "at").map(|key| [key, key]))
                .ok_or_else(|| invalid("Invalid KeyConditionExpression"))?,
        };
        let [low, high] = bounds;
        if low > high {
            return Err(invalid(
                "The BETWEEN operator requires upper bound to be greater than or equal to lower bound",
            ));
        }
        let after = input["ExclusiveStartKey"]["at"]["S"].as_str();
        if after.is_some_and(|after| after < low || after > high) {
            return Err(invalid(
                "The provided starting key is outside query boundaries based on provided conditions",
            ));
        }
        let end = self.partition(shard, |key| key <= high);
        let first = match after {
            Some(after) => self.partition(shard, |key| key <= after),
            None => self.partition(shard, |key| key < low),
        };
        let limit = input["Limit"]
            .as_u64()
            .map_or(usize::MAX, |limit| limit as usize);
        let last = end
            .min(first.saturating_add(limit.min((PAGE / size).max(1))))
            .max(first);
        Ok(Query {
            shard,
            range: first..last,
            has_more: last < end || last - first == limit,
        })
    }

    /// Returns the number of the first record of a shard whose key is not like those before.
    fn partition(&self, shard: usize, is_before: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (0, self.shards[shard].len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if is_before(&self.key(shard, middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    pub(super) fn render(&self, input: &Value, query: &Query, units: f64) -> String {
        let expression = input["ProjectionExpression"].as_str().unwrap_or_default();
        let names = &input["ExpressionAttributeNames"];
        let projected: Vec<_> = expression
            .split(", ")
            .map(|path| {
                path.split('.')
                    .map(|place| names[place].as_str().unwrap())
                    .collect::<Vec<_>>()
            })
            .collect();
        let has_key = projected.iter().any(|path| path == &["at"]);
        let items = {
            let mut rendered = self.usage.rendered.lock().unwrap();
            let items = || {
                self.items
                    .iter()
                    .map(|item| projection(item, &projected))
                    .collect()
            };
            rendered
                .entry(format!("{projected:?}"))
                .or_insert_with(items)
                .clone()
        };
        let mut text = String::with_capacity(1 << 18) + r#"{"Items":["#;
        for n in query.range.clone() {
            let separator = if n > query.range.start { "," } else { "" };
            let item = &items[n % items.len()];
            text.push_str(separator);
            text.push('{');
            text.push_str(item);
            if has_key {
                let comma = if item.is_empty() { "" } else { "," };
                text += &format!(r#"{comma}"at":{{"S":"{}"}}"#, self.key(query.shard, n));
            }
            text.push('}');
        }
        let count = query.range.len();
        text += &format!(
            r#"],"Count":{count},"ScannedCount":{count},"ConsumedCapacity":{{"TableName":"responses","CapacityUnits":{units:?}}}"#
        );
        if query.has_more {
            let shard = format!("{}#{:x}", self.project, query.shard);
            let key = json!({"shard": {"S": shard}, "at": {"S": self.key(query.shard, query.range.end - 1)}});
            text += &format!(r#","LastEvaluatedKey":{key}"#);
        }
        text + "}"
    }
}

/// Returns the attributes of an item that these paths name, except its key, as the members of a JSON object.
fn projection(item: &Attributes, paths: &[Vec<&str>]) -> String {
    let mut projected = Attributes::new();
    for path in paths {
        match path[..] {
            [name] => {
                if let Some(value) = item.get(name) {
                    projected.insert(name.to_owned(), value.clone());
                }
            }
            [name, member] => {
                let value = item.get(name).map(|value| &value["M"][member]);
                if let Some(value) = value.filter(|value| !value.is_null()) {
                    let map = projected.entry(name).or_insert_with(|| json!({"M": {}}));
                    map["M"][member] = value.clone();
                }
            }
            _ => {}
        }
    }
    let text = Value::from(projected).to_string();
    text[1..text.len() - 1].to_owned()
}
