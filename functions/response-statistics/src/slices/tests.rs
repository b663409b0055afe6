//! Reads projects in simulated time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::time::Duration;

use shared::error::Meta;

use super::*;

const YEAR: i64 = 365 * 86_400_000;
/// The time of a request on Lambda.
const TIME: Duration = Duration::from_millis(28_500);
/// The records of a page.
const PAGE: usize = 8;

/// The same random numbers each time.
struct Random(u64);

impl Random {
    /// Returns a number from 0 until before 1.
    fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }
}

/// How the records of a project are distributed over time, as shares of the period.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Uniform,
    /// Each end of the period is this many times as dense as the other.
    Growth(f64),
    Decline(f64),
    /// Of the records, this share is within this share of the period, which begins there.
    Burst {
        share: f64,
        begin: f64,
        length: f64,
    },
    /// So many times, the density rises to so many times that of the lowest, and falls again.
    Seasons(f64, f64),
    /// All records of a day are of its first second, as those of an import that knows only dates.
    Dates,
}

impl Shape {
    fn random(random: &mut Random) -> Self {
        let kind = random.between(0.0, 7.0);
        match kind as usize {
            0 => Self::Uniform,
            1 => Self::Growth(random.between(2.0, 50.0)),
            2 => Self::Decline(random.between(2.0, 50.0)),
            3 => Self::Burst {
                share: random.between(0.2, 0.9),
                begin: 0.0,
                length: random.between(0.01, 0.1),
            },
            4 => Self::Burst {
                share: random.between(0.2, 0.99),
                begin: random.between(0.0, 0.99),
                length: random.between(0.000_000_1, 0.01),
            },
            5 => Self::Seasons(random.between(1.0, 40.0).round(), random.between(2.0, 50.0)),
            _ => Self::Dates,
        }
    }

    /// Returns when a random record was created.
    fn sample(self, random: &mut Random) -> f64 {
        match self {
            Self::Uniform => random.share(),
            Self::Growth(ratio) => random.share().mul_add(ratio - 1.0, 1.0).ln() / ratio.ln(),
            Self::Decline(ratio) => 1.0 - Self::Growth(ratio).sample(random),
            Self::Burst {
                share,
                begin,
                length,
            } => {
                if random.share() < share {
                    (begin + length * random.share()).min(0.999_999)
                } else {
                    random.share()
                }
            }
            Self::Seasons(count, ratio) => loop {
                let at = random.share();
                let height = (at * count * std::f64::consts::TAU).sin() / 2.0 + 0.5;
                if random.share() < height.mul_add(1.0 - 1.0 / ratio, 1.0 / ratio) {
                    return at;
                }
            },
            Self::Dates => {
                (random.share() * 365.0).floor() / 365.0 + random.share() / YEAR as f64 * 1e3
            }
        }
    }
}

/// The instants of the records of each shard over a year, in order.
struct Project([Vec<i64>; SHARDS as usize]);

impl Project {
    fn new(shape: Shape, pages: f64, random: &mut Random) -> Self {
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

    fn end_of(&self, range: &RecordRange) -> PageEnd {
        let page = self.page(range);
        let key = |n: usize| {
            let at = self.0[usize::from(range.shard)][n];
            format!("{}#{n:08}", start().plus_millis(at).unwrap())
        };
        PageEnd {
            items: page.len(),
            // A page that is full does not know whether it is the last one.
            last_key: (page.len() == PAGE).then(|| key(page.end - 1)),
        }
    }

    /// Returns the read units of a page: half a unit for each started 4 KB of 1 MB.
    fn units(&self, range: &RecordRange) -> f64 {
        let filled = self.page(range).len() as f64 / PAGE as f64;
        (filled * 256.0).ceil().max(1.0) / 2.0
    }

    /// Reads the project from its first record on, or from this instant on, even beyond the time of a request.
    fn read(&self, speed: Speed, from: Option<Timestamp>) -> Outcome {
        let end = start().plus_millis(YEAR).unwrap();
        Reading::new(self, speed, Period::new(from.unwrap_or_else(start), end)).run()
    }

    /// Reads the project until the request is refused.
    fn refusal(&self, speed: Speed) -> (Duration, Meta) {
        let end = start().plus_millis(YEAR).unwrap();
        let mut reading = Reading::new(self, speed, Period::new(start(), end));
        while reading.outcome.refused.is_none() {
            reading.step();
        }
        reading.outcome.refused.unwrap()
    }
}

fn start() -> Timestamp {
    "2024-01-01".parse().unwrap()
}

/// A store that takes this long for a page, and reads only so many pages a second of a shard, if that is limited.
#[derive(Debug, Clone, Copy)]
struct Speed {
    latency: Duration,
    pages: Option<f64>,
    most: usize,
}

impl Speed {
    fn of(millis: u64) -> Self {
        Self {
            latency: Duration::from_millis(millis),
            pages: None,
            most: 16,
        }
    }

    /// Limits each shard to 3,000 units a second at 128 a page.
    fn throttled(self) -> Self {
        Self {
            pages: Some(23.4),
            ..self
        }
    }

    /// Reads each shard on its own, a page after another.
    fn undivided(self) -> Self {
        Self {
            most: usize::from(SHARDS),
            ..self
        }
    }

    /// Returns how many pages there is time for.
    fn capacity(self) -> f64 {
        let rate = 16.0 / self.latency.as_secs_f64();
        rate.min(self.pages.map_or(f64::INFINITY, |pages| 4.0 * pages)) * TIME.as_secs_f64()
    }
}

#[derive(Debug, Default)]
struct Outcome {
    took: Duration,
    /// When the request is refused, and its way out.
    refused: Option<(Duration, Meta)>,
    queries: usize,
    units: f64,
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
    expected: usize,
    /// How many pages of each shard may be read at once, at most those of a second.
    tokens: [f64; SHARDS as usize],
    outcome: Outcome,
}

impl<'a> Reading<'a> {
    fn new(project: &'a Project, speed: Speed, period: Period) -> Self {
        let now = Instant::now();
        let since = period.start().millis_since(start());
        let all = project.0.iter().flatten();
        Self {
            project,
            speed,
            slices: Slices::new(period, speed.most, now),
            begin: now,
            now,
            in_flight: BinaryHeap::new(),
            ranges: Vec::new(),
            seen: std::array::from_fn(|shard| vec![false; project.0[shard].len()]),
            expected: all.filter(|at| **at >= since).count(),
            tokens: [speed.pages.unwrap_or_default(); SHARDS as usize],
            outcome: Outcome::default(),
        }
    }

    fn run(mut self) -> Outcome {
        while !self.slices.is_done() {
            self.step();
        }
        let seen = self.seen.iter().flatten().filter(|seen| **seen);
        assert_eq!(seen.count(), self.expected);
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
            assert!(self.in_flight.len() <= self.speed.most);
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
        self.outcome.units += self.project.units(&slice.range);
        let page = self.project.end_of(&slice.range);
        self.slices.read(slice, page, self.now);
        let (estimate, end) = (self.slices.estimate(), self.begin + TIME);
        if self.outcome.refused.is_none() && self.now < end {
            let refused = estimate.too_large(self.now, end, self.slices.in_flight());
            self.outcome.refused = refused.map(|meta| (self.now - self.begin, meta));
        }
    }
}

/// Returns stores from one that is slow to one that throttles.
fn random_speed(random: &mut Random) -> Speed {
    let speed = Speed::of(random.between(400.0, 2000.0) as u64);
    match random.between(0.0, 3.0) as u8 {
        0 => Speed {
            pages: Some(random.between(2.0, 4.0)),
            ..speed
        },
        _ => speed,
    }
}

#[test]
fn projects_that_fit_are_never_refused_and_cost_hardly_more() {
    let mut random = Random(29);
    let mut fitting = 0;
    while fitting < 500 {
        let (shape, speed) = (Shape::random(&mut random), random_speed(&mut random));
        let pages = random.between(0.02, 1.1) * speed.capacity();
        let project = Project::new(shape, pages, &mut random);
        let outcome = project.read(speed, None);
        if outcome.took > TIME {
            continue;
        }
        fitting += 1;
        let refused = outcome.refused;
        assert!(refused.is_none(), "{shape:?} {speed:?} {pages} {refused:?}");
        let undivided = project.read(speed.undivided(), None).units;
        let rise = outcome.units / undivided;
        assert!(rise < 1.02, "{shape:?} {speed:?} {pages}: {rise}");
    }
}

#[test]
fn projects_ten_times_too_large_are_refused_within_two_seconds_with_a_start_that_fits() {
    let mut random = Random(29);
    let growth = [2.0, 5.0, 10.0, 20.0, 40.0].map(Shape::Growth);
    for speed in [Speed::of(150), Speed::of(500), Speed::of(20).throttled()] {
        for shape in [Shape::Uniform].into_iter().chain(growth) {
            let pages = 10.0 * speed.capacity();
            let project = Project::new(shape, pages, &mut random);
            let (when, meta) = project.refusal(speed);
            assert!(
                when < Duration::from_secs(2),
                "{shape:?} {speed:?} {when:?}"
            );
            let rest = project.read(speed, meta.start_date);
            assert!(
                rest.took < TIME && rest.refused.is_none(),
                "{shape:?} {speed:?} {meta:?} {rest:?}"
            );
        }
    }
}

#[test]
fn a_period_is_read_as_fast_as_the_store_allows() {
    let half_in_a_tenth = Shape::Burst {
        share: 4.0 / 9.0,
        begin: 0.45,
        length: 0.1,
    };
    // 1,000,000 records of 174 bytes have 166 pages.
    for (shape, speed, times) in [
        (Shape::Uniform, Speed::of(150), 3.0),
        (half_in_a_tenth, Speed::of(150), 2.0),
        (Shape::Growth(40.0), Speed::of(150), 2.0),
        (Shape::Uniform, Speed::of(20), 3.0),
        (Shape::Uniform, Speed::of(150).throttled(), 3.0),
        (Shape::Uniform, Speed::of(20).throttled(), 0.95),
        (half_in_a_tenth, Speed::of(20).throttled(), 0.95),
    ] {
        let project = Project::new(shape, 166.0, &mut Random(29));
        let [divided, undivided] =
            [speed, speed.undivided()].map(|speed| project.read(speed, None).took);
        assert!(
            undivided >= divided.mul_f64(times),
            "{shape:?} {speed:?}: {divided:?} {undivided:?}"
        );
    }
}

#[test]
fn a_period_of_one_page_is_read_with_a_query_for_each_shard() {
    let project = Project::new(Shape::Uniform, 2.0, &mut Random(29));
    assert_eq!(project.read(Speed::of(150), None).queries, 4);
}
