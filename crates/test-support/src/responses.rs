//! The table of response records of a project, read as DynamoDB reads it: ranges of keys, pages of 1 MB, time
//! for each page, and throttling.
//!
//! A throttled table has a bucket of read units for each of its keys and one for all of them, and its index
//! has its own. Each holds what a second adds to it: 3,000 units for a key, which is what a partition serves,
//! and [`Responses::units`] in all: 12,000 of a new on-demand table. A Query is refused if one of the two is empty;
//! otherwise it takes what it reads, even beyond what is there. DynamoDB does not document how long it lets
//! bursts exceed a partition's limit; this lets them for a second.

mod page;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep};

use crate::in_process;
use crate::stub::{self, Answer, credential_of};

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
        stub::start(async move |request: stub::Request| {
            let answer = responses.answer(&request.operation, &request.input);
            answer.await.checked()
        })
    }

    /// Makes a client that reads the records within this process, so that the time of a test may be
    /// simulated.
    pub fn client(self: &Arc<Self>) -> Client {
        let responses = self.clone();
        in_process::client(move |operation, input| {
            let responses = responses.clone();
            async move { responses.answer(&operation, &input).await }
        })
    }

    async fn answer(&self, operation: &str, input: &Value) -> Answer {
        if operation == "GetItem" {
            return Answer::from(credential_of(&self.project, true));
        }
        let in_flight = self.usage.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        self.usage
            .most_in_flight
            .fetch_max(in_flight, Ordering::Relaxed);
        let answer = self.page(input).await.unwrap_or_else(|refusal| refusal);
        self.usage.in_flight.fetch_sub(1, Ordering::Relaxed);
        answer
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
            return Err(Answer::refusal(
                400,
                code,
                "The level of configured provisioned throughput was exceeded",
            ));
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
