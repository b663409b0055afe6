//! Divides a period into slices, so that the store reads much of it at the same time.
//!
//! Pages of one Query come one after the other, each after the store's latency; those of different
//! slices do not wait for each other. Each shard begins as one slice, and each Query reads a page of a
//! slice. What is left of a slice after its page waits, and if fewer slices of the shard wait than may
//! be read, the one with the most left is halved. How much is left is judged by the last page: as many
//! pages as the time that it covers fits into the rest. A slice of less than three is not halved, so a
//! period of one page costs no further Query, and a long one hardly any.
//!
//! Only what waits is halved, never what a Query in flight may still return: at every moment, the slices
//! are disjoint ranges of keys. They are cut at instants, so that the records of one instant and shard
//! are read in the order of their keys.
//!
//! A shard has its own share of the Queries, because keys spread records evenly: if whoever is first
//! took all of them, the other shards would wait undivided, and one partition of the store would serve
//! everything. A shard that is throttled pauses, for longer each time in a row, and has half as many
//! Queries in flight after that. Each page that it returns allows it one more.

use shared::items::{SHARDS, creation_of};
use shared::model::Period;
use shared::store::{RecordRange, pause};
use tokio::time::Instant;

/// What is left to read of a period.
#[derive(Debug)]
pub(crate) struct Slices([Shard; SHARDS as usize]);

/// A range of records, of which a Query reads the first page.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(crate) range: RecordRange,
    /// The milliseconds that a page is expected to cover; `None` if that is unknown, and the slice is
    /// not halved.
    page_millis: Option<i64>,
    /// When the Query was sent that reads it.
    sent: Instant,
}

/// What is left to read of a shard, and how fast it is read.
#[derive(Debug)]
struct Shard {
    waiting: Vec<Slice>,
    in_flight: usize,
    /// How many Queries may be in flight.
    most: usize,
    /// How often it was throttled in a row.
    throttled: u32,
    resumes: Instant,
    /// How many Queries may be in flight unless it is throttled.
    share: usize,
}

impl Slices {
    /// Makes the slices of a period that is not empty, of which at most `share` are read at the same
    /// time in each shard.
    pub(crate) fn new(period: Period, share: usize, now: Instant) -> Self {
        let mut number = 0..SHARDS;
        Self(std::array::from_fn(|_| {
            let range = RecordRange {
                shard: number.next().unwrap_or_default(),
                period,
                after: None,
            };
            let whole = Slice {
                range,
                page_millis: None,
                sent: now,
            };
            Shard {
                waiting: vec![whole],
                in_flight: 0,
                most: share,
                throttled: 0,
                resumes: now,
                share,
            }
        }))
    }

    /// Takes a slice that may be read now.
    pub(crate) fn take(&mut self, now: Instant) -> Option<Slice> {
        self.0.iter_mut().find_map(|shard| shard.take(now))
    }

    /// Takes back a slice of which a page was read that ends with this key, unless it is the last one.
    pub(crate) fn read(&mut self, slice: Slice, last_key: Option<String>) {
        if let Some(shard) = self.shard(&slice) {
            shard.read(slice, last_key);
        }
    }

    /// Takes back a slice whose Query was throttled.
    pub(crate) fn throttled(&mut self, slice: Slice, now: Instant) {
        if let Some(shard) = self.shard(&slice) {
            shard.throttled(slice, now);
        }
    }

    /// Returns whether everything was read.
    pub(crate) fn is_done(&self) -> bool {
        let mut shards = self.0.iter();
        shards.all(|shard| shard.in_flight == 0 && shard.waiting.is_empty())
    }

    /// Returns when a shard that pauses may be read again, if one does.
    pub(crate) fn resumes(&self, now: Instant) -> Option<Instant> {
        let pauses = self.0.iter().map(|shard| shard.resumes);
        pauses.filter(|resumes| *resumes > now).min()
    }

    fn shard(&mut self, slice: &Slice) -> Option<&mut Shard> {
        self.0.get_mut(usize::from(slice.range.shard))
    }
}

impl Shard {
    fn take(&mut self, now: Instant) -> Option<Slice> {
        let free = self.most.saturating_sub(self.in_flight);
        if free == 0 || self.resumes > now {
            return None;
        }
        while self.waiting.len() < free
            && let Some(half) = self.largest().and_then(Slice::halve)
        {
            self.waiting.push(half);
        }
        self.waiting.sort_by_key(Slice::pages);
        let mut slice = self.waiting.pop()?;
        slice.sent = now;
        self.in_flight += 1;
        Some(slice)
    }

    /// Returns the slice with the most left, among those of which that is known.
    fn largest(&mut self) -> Option<&mut Slice> {
        let known = self
            .waiting
            .iter_mut()
            .filter(|it| it.page_millis.is_some());
        known.max_by_key(|slice| slice.pages())
    }

    fn read(&mut self, mut slice: Slice, last_key: Option<String>) {
        self.in_flight -= 1;
        self.most = (self.most + 1).min(self.share);
        self.throttled = 0;
        if let Some(last_key) = last_key {
            slice.continue_after(last_key);
            self.waiting.push(slice);
        }
    }

    fn throttled(&mut self, slice: Slice, now: Instant) {
        self.in_flight -= 1;
        // What was sent before a pause says nothing about what follows it.
        if self.resumes <= slice.sent {
            self.throttled += 1;
            self.most = (self.most / 2).max(1);
            self.resumes = now + pause(self.throttled);
        }
        self.waiting.push(slice);
    }
}

impl Slice {
    /// Returns how many pages seem to be left. What nothing is known of comes first.
    fn pages(&self) -> i64 {
        let millis = self.range.period.millis();
        self.page_millis.map_or(i64::MAX, |page| millis / page)
    }

    /// Keeps the first half and returns the second, unless there is too little or the slice's beginning
    /// is unknown.
    fn halve(&mut self) -> Option<Self> {
        self.page_millis.filter(|_| self.pages() >= 3)?;
        let RecordRange { shard, period, .. } = self.range;
        let middle = period.start().plus_millis(period.millis() / 2)?;
        self.range.period = Period::new(period.start(), middle);
        let range = RecordRange {
            shard,
            period: Period::new(middle, period.end()),
            after: None,
        };
        Some(Self { range, ..*self })
    }

    /// Leaves out what precedes this key and the key itself.
    fn continue_after(&mut self, last_key: String) {
        let period = self.range.period;
        let last =
            creation_of(&last_key).filter(|last| (period.start()..period.end()).contains(last));
        self.page_millis = last.map(|last| last.millis_since(period.start()).max(1));
        if let Some(last) = last {
            self.range.period = Period::new(last, period.end());
        }
        self.range.after = Some(last_key);
    }
}

#[cfg(test)]
mod tests;
