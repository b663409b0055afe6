//! The table of response records of a project, read as DynamoDB reads it: ranges of keys, pages of 1 MB, time
//! for each page, and throttling.
//!
//! A throttled table has a bucket of read units for each of its keys and one for all of them, and its index
//! has its own. Each holds what a second adds to it: 3,000 units for a key, which is what a partition serves,
//! and [`Responses::units`] in all: 12,000 of a new on-demand table. A Query is refused if one of the two is empty;
//! otherwise it takes what it reads, even beyond what is there. DynamoDB does not document how long it lets
//! bursts exceed a partition's limit; this lets them for a second.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use chrono::{DateTime, SecondsFormat};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};

use crate::stub::{self, Answer, Request, credential_of};

/// The attributes of an item in DynamoDB's JSON.
pub type Attributes = Map<String, Value>;

/// The response records of a project, and how they are read.
#[derive(Debug)]
pub struct Responses {
    /// The project's id.
    pub project: String,
    /// When the records of each shard were created, in milliseconds since 1970, in order.
    pub shards: [Vec<i64>; 16],
    /// The attributes of records beside their keys. They repeat.
    pub items: Vec<Attributes>,
    /// The bytes of a record in the table.
    pub size: usize,
    /// The bytes of a record in the index.
    pub indexed_size: usize,
    /// The time that a page takes.
    pub latency: Duration,
    /// The read units a second of all keys together, if reads are throttled; infinity leaves each key's alone.
    pub units: Option<f64>,
    /// What was read.
    pub usage: Usage,
}

/// What was read of [`Responses`].
#[derive(Debug, Default)]
pub struct Usage {
    buckets: Mutex<HashMap<String, (f64, Instant)>>,
    /// The items of all records, by projection.
    rendered: Mutex<HashMap<String, Arc<[String]>>>,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
    queries: AtomicUsize,
    throttled: AtomicUsize,
}

impl Usage {
    /// Returns the greatest number of Queries in flight at a time.
    pub fn most_in_flight(&self) -> usize {
        self.most_in_flight.load(Ordering::Relaxed)
    }

    /// Returns the number of Queries, without those that were throttled.
    pub fn queries(&self) -> usize {
        self.queries.load(Ordering::Relaxed)
    }

    /// Returns the number of Queries that were throttled.
    pub fn throttled(&self) -> usize {
        self.throttled.load(Ordering::Relaxed)
    }
}

impl Responses {
    /// Starts a stub that serves the records, and returns its URL.
    pub fn serve(self) -> String {
        let responses = Arc::new(self);
        stub::start(async move |request| responses.answer(request).await.checked())
    }

    /// Makes a client that reads the records within this process, so that the time of a test may be
    /// simulated.
    pub fn client(self: &Arc<Self>) -> Client {
        let responses = self.clone();
        stub::client(move |request| {
            let reader = responses.clone();
            async move { reader.answer(request).await }
        })
    }

    async fn answer(&self, request: Request) -> Answer {
        if request.operation == "GetItem" {
            return Answer::from(credential_of(&request.input, &self.project, true));
        }
        let in_flight = self.usage.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        let most = &self.usage.most_in_flight;
        most.fetch_max(in_flight, Ordering::Relaxed);
        let answer = self.page(&request.input).await;
        self.usage.in_flight.fetch_sub(1, Ordering::Relaxed);
        answer.unwrap_or_else(|refusal| refusal)
    }

    async fn page(&self, input: &Value) -> Result<Answer, Answer> {
        let is_indexed = !input["IndexName"].is_null();
        let size = if is_indexed {
            self.indexed_size
        } else {
            self.size
        };
        let query = self.query(input, size)?;
        let units = (query.range.len() * size).div_ceil(4096).max(1) as f64 / 2.0;
        if let Some(all) = self.units
            && !self.take(is_indexed, query.shard, units, all)
        {
            self.usage.throttled.fetch_add(1, Ordering::Relaxed);
            sleep(self.latency.min(Duration::from_millis(5))).await;
            let code = "ProvisionedThroughputExceededException";
            let message = "The level of configured provisioned throughput was exceeded";
            return Err(Answer::refusal(400, code, message));
        }
        self.usage.queries.fetch_add(1, Ordering::Relaxed);
        // Even an empty sleep takes a millisecond.
        if !self.latency.is_zero() {
            sleep(self.latency).await;
        }
        Ok(Answer::new(self.render(input, &query, units)))
    }

    /// Takes units from the buckets of a shard and of all, unless one is empty.
    fn take(&self, is_indexed: bool, shard: usize, units: f64, all: f64) -> bool {
        let mut buckets = self.usage.buckets.lock().unwrap();
        let now = Instant::now();
        let names = [format!("{is_indexed} {shard}"), is_indexed.to_string()];
        let limits = [3_000.0, all];
        let mut is_empty = false;
        for (name, limit) in names.iter().zip(limits) {
            let (left, since) = buckets.entry(name.clone()).or_insert((limit, now));
            *left = (*left + limit * (now - *since).as_secs_f64()).min(limit);
            *since = now;
            is_empty |= *left <= 0.0;
        }
        for name in names.iter().filter(|_| !is_empty) {
            buckets.get_mut(name).unwrap().0 -= units;
        }
        !is_empty
    }
}

/// What a Query asks for.
struct Query {
    shard: usize,
    /// The numbers of its records that make a page.
    range: Range<usize>,
    has_more: bool,
}

/// The largest page, in bytes.
const PAGE: usize = 1 << 20;

/// DynamoDB's message about a range whose end is before its start.
const BOUNDS_OUT_OF_ORDER: &str =
    "The BETWEEN operator requires upper bound to be greater than or equal to lower bound";

/// DynamoDB's message about a key to begin after that the conditions exclude.
const KEY_OUT_OF_BOUNDS: &str =
    "The provided starting key is outside query boundaries based on provided conditions";

impl Responses {
    fn key(&self, shard: usize, n: usize) -> String {
        let created = DateTime::from_timestamp_millis(self.shards[shard][n]).unwrap();
        let text = created.to_rfc3339_opts(SecondsFormat::Millis, true);
        format!("{text}#{n:08}")
    }

    /// Finds the records of a page, or why there is none.
    fn query(&self, input: &Value, size: usize) -> Result<Query, Answer> {
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
        let shard = equals(of_hash, "shard")
            .and_then(|key| {
                let digit = key.strip_prefix(&self.project)?.strip_prefix('#')?;
                "0123456789abcdef".find(digit).filter(|_| digit.len() == 1)
            })
            .ok_or_else(|| invalid("no such hash key"))?;
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
            return Err(invalid(BOUNDS_OUT_OF_ORDER));
        }
        let after = input["ExclusiveStartKey"]["at"]["S"].as_str();
        if after.is_some_and(|after| after < low || after > high) {
            return Err(invalid(KEY_OUT_OF_BOUNDS));
        }
        let end = self.partition(shard, |key| key <= high);
        let first = match after {
            Some(after) => self.partition(shard, |key| key <= after),
            None => self.partition(shard, |key| key < low),
        };
        let limit = input["Limit"].as_u64();
        let limit = limit.map_or(usize::MAX, |limit| limit as usize);
        let most = limit.min((PAGE / size).max(1));
        let last = end.min(first.saturating_add(most)).max(first);
        Ok(Query {
            shard,
            range: first..last,
            has_more: last < end || last - first == limit,
        })
    }

    /// Returns the number of the first record of a shard whose key is not like those before.
    fn partition(&self, shard: usize, is_before: impl Fn(&str) -> bool) -> usize {
        let mut low = 0;
        let mut high = self.shards[shard].len();
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

    fn render(&self, input: &Value, query: &Query, units: f64) -> String {
        let names = &input["ExpressionAttributeNames"];
        let projection = format!("{}{names}", input["ProjectionExpression"]);
        let mut key = Attributes::new();
        key.insert("at".to_owned(), Value::Null);
        let has_key = !projected(&key, input).is_empty();
        let items = {
            let mut rendered = self.usage.rendered.lock().unwrap();
            let text = |item| {
                let text = Value::from(projected(item, input)).to_string();
                text[1..text.len() - 1].to_owned()
            };
            let items = || self.items.iter().map(text).collect();
            rendered.entry(projection).or_insert_with(items).clone()
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

/// Returns the attributes of an item that the projection of a Query names, as `#a` or `#a.#b`; all of them without a
/// projection.
pub fn projected(item: &Attributes, input: &Value) -> Attributes {
    let Some(expression) = input["ProjectionExpression"].as_str() else {
        return item.clone();
    };
    let name = |place: &str| {
        let name = input["ExpressionAttributeNames"][place.trim()].as_str();
        name.unwrap_or(place.trim()).to_owned()
    };
    let mut shown = Attributes::new();
    for path in expression.split(',') {
        let mut parts = path.split('.').map(name);
        let outer = parts.next().unwrap_or_default();
        match (item.get(&outer), parts.next()) {
            (None, _) => {}
            (Some(value), None) => drop(shown.insert(outer, value.clone())),
            (Some(value), Some(inner)) => {
                if let Some(value) = value["M"].get(&inner) {
                    let map = shown.entry(outer).or_insert_with(|| json!({"M": {}}));
                    map["M"][&inner] = value.clone();
                }
            }
        }
    }
    shown
}
