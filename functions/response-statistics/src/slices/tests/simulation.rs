//! A project and a store in simulated time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::time::Duration;

use super::shapes::{Random, Shape};
use crate::slices::*;
use shared::model::Timestamp;

const YEAR: i64 = 365 * 86_400_000;
/// The records of a page.
pub(super) const PAGE: usize = 8;

/// The instants of the records of each shard over a year, in order.
pub(super) struct Project([Vec<i64>; SHARDS as usize]);

impl Project {
    pub(super) fn new(shape: Shape, pages: f64, random: &mut Random) -> Self {
        let mut shards: [Vec<i64>; SHARDS as usize] = Default::default();
        for n in 0..(pages * PAGE as f64) as usize {
            let at = (shape.sample(random) * YEAR as f64) as i64;
            shards[n % shards.len()].push(at.min(YEAR - 1));
        }
        for shard in &mut shards {
            shard.sort_unstable();
        }
        Self(shards)
    }

    /// Returns the numbers of the records on the first page of a range.
    fn page(&self, range: &RecordRange) -> Range<usize> {
        let all = &self.0[usize::from(range.shard)];
        let number =
            |at: Timestamp| all.partition_point(|record| *record < at.millis_since(start()));
        let first = match &range.after {
            Some(key) => key[25..].parse::<usize>().unwrap() + 1,
            None => number(range.period.start()),
        };
        first..number(range.period.end()).min(first + PAGE)
    }

    /// Returns the key after which the next page begins. A page that is full does not know whether it is
    /// the last one.
    fn last_key(&self, range: &RecordRange) -> Option<String> {
        let page = self.page(range);
        let last = page.clone().last().filter(|_| page.len() == PAGE)?;
        let at = self.0[usize::from(range.shard)][last];
        Some(format!("{}#{last:08}", start().plus_millis(at).unwrap()))
    }

    pub(super) fn read(&self, speed: Speed) -> Outcome {
        Reading::new(self, speed).run()
    }
}

/// Returns the read units of so many records: half a unit for each started 4 KB, of which a page has 256.
fn units(records: usize) -> f64 {
    let blocks = (records as f64 / PAGE as f64 * 256.0).ceil();
    blocks.max(1.0) / 2.0
}

fn start() -> Timestamp {
    "2024-01-01".parse().unwrap()
}

/// A store that takes this long for a page, and reads only so many pages a second of a shard, if that is
/// limited.
#[derive(Debug, Clone, Copy)]
pub(super) struct Speed {
    pub(super) latency: Duration,
    pub(super) pages: Option<f64>,
    /// How many Queries of a shard are in flight at the same time.
    pub(super) share: usize,
}

impl Speed {
    pub(super) fn of(millis: u64) -> Self {
        Self {
            latency: Duration::from_millis(millis),
            pages: None,
            share: 4,
        }
    }

    /// Limits each shard to 3,000 units a second at 128 a page.
    pub(super) fn throttled(self) -> Self {
        Self {
            pages: Some(23.4),
            ..self
        }
    }

    /// Reads each shard a page after another.
    pub(super) fn undivided(self) -> Self {
        Self { share: 1, ..self }
    }
}

#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) took: Duration,
    pub(super) queries: usize,
    pub(super) units: f64,
}

/// A request in simulated time.
struct Reading<'a> {
    project: &'a Project,
    speed: Speed,
    slices: Slices,
    begin: Instant,
    now: Instant,
    /// When each Query ends, what it reads, and whether it is throttled.
    in_flight: BinaryHeap<Reverse<(Instant, usize, bool)>>,
    ranges: Vec<Option<Slice>>,
    /// Which records were read.
    seen: [Vec<bool>; SHARDS as usize],
    /// How many pages of each shard may be read at once, at most those of a second.
    tokens: [f64; SHARDS as usize],
    outcome: Outcome,
}

impl<'a> Reading<'a> {
    fn new(project: &'a Project, speed: Speed) -> Self {
        let now = Instant::now();
        let period = Period::new(start(), start().plus_millis(YEAR).unwrap());
        Self {
            project,
            speed,
            slices: Slices::new(period, speed.share, now),
            begin: now,
            now,
            in_flight: BinaryHeap::new(),
            ranges: Vec::new(),
            seen: std::array::from_fn(|shard| vec![false; project.0[shard].len()]),
            tokens: [speed.pages.unwrap_or_default(); SHARDS as usize],
            outcome: Outcome::default(),
        }
    }

    fn run(mut self) -> Outcome {
        while !self.slices.is_done() {
            self.step();
        }
        assert!(self.seen.iter().flatten().all(|seen| *seen));
        self.outcome.took = self.now - self.begin;
        self.outcome
    }

    /// Sends what may be sent, and waits for the next event.
    fn step(&mut self) {
        self.send();
        let arrival = self.in_flight.peek().map(|Reverse((arrival, ..))| *arrival);
        let events = [arrival, self.slices.resumes(self.now)];
        let next = events.into_iter().flatten().min();
        self.wait_until(next.expect("an event"));
        if arrival.is_some_and(|arrival| arrival <= self.now) {
            self.receive();
        }
    }

    fn send(&mut self) {
        while let Some(slice) = self.slices.take(self.now) {
            let tokens = &mut self.tokens[usize::from(slice.range.shard)];
            let is_throttled = self.speed.pages.is_some() && *tokens <= 0.0;
            if !is_throttled {
                *tokens -= self.project.page(&slice.range).len() as f64 / PAGE as f64;
            }
            self.ranges.push(Some(slice));
            let arrival = self.now + self.speed.latency;
            let query = (arrival, self.ranges.len() - 1, is_throttled);
            self.in_flight.push(Reverse(query));
            assert!(self.in_flight.len() <= 4 * self.speed.share);
        }
    }

    fn wait_until(&mut self, then: Instant) {
        let most = self.speed.pages.unwrap_or_default();
        for tokens in &mut self.tokens {
            *tokens = (*tokens + most * (then - self.now).as_secs_f64()).min(most);
        }
        self.now = then;
    }

    fn receive(&mut self) {
        let Reverse((_, id, is_throttled)) = self.in_flight.pop().unwrap();
        let slice = self.ranges[id].take().unwrap();
        if is_throttled {
            self.slices.throttled(slice, self.now);
            return;
        }
        for n in self.project.page(&slice.range) {
            let seen = &mut self.seen[usize::from(slice.range.shard)][n];
            assert!(!*seen, "a record is read twice");
            *seen = true;
        }
        self.outcome.queries += 1;
        self.outcome.units += units(self.project.page(&slice.range).len());
        let last_key = self.project.last_key(&slice.range);
        self.slices.read(slice, last_key);
    }
}
