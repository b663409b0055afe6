//! Divides a period into slices, so that the store reads much of it at the same time.
//!
//! Each shard begins as one slice. A Query reads a page of a slice, and what is left after that page waits for its turn. When
//! its turn comes and Queries are free, it is divided into as many slices as its share of all that is left allows, but no more
//! than it has pages. So a period of one page costs no further Query, and when slices end, the largest of those that wait take
//! over their Queries. Only what waits is divided, never what a Query in flight may still return: at every moment, the
//! slices are disjoint ranges of keys. They are divided at instants, so that the records of one instant and shard are read in
//! the order of their keys.
//!
//! A shard that is throttled pauses, for longer each time in a row, and has half as many Queries in flight after that. Each page
//! that it returns allows it one more.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)] // an estimate

use shared::error::Meta;
use shared::items::{SHARDS, creation_of};
use shared::model::{Period, Timestamp};
use shared::store::{PageEnd, RecordRange, pause};
use tokio::time::Instant;

use crate::estimate::Estimate;

/// What is left to read of a period.
#[derive(Debug)]
pub(crate) struct Slices {
    /// How many Queries may be in flight.
    most: usize,
    waiting: Vec<Slice>,
    paces: [Pace; SHARDS as usize],
    estimate: Estimate,
}

/// A range of records, of which a Query reads the first page.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(crate) range: RecordRange,
    /// The section of the estimate that it belongs to.
    section: usize,
    /// Whether it is all that is left of its section.
    is_whole: bool,
    /// Whether the instant at which it begins is known, without which it is not divided.
    is_divisible: bool,
    /// The records per millisecond of the page before it. Those of its section may begin late.
    density: f64,
    /// When the Query was sent that reads it.
    sent: Instant,
}

/// How fast a shard is read.
#[derive(Debug, Clone, Copy)]
struct Pace {
    most: usize,
    in_flight: usize,
    /// How often it was throttled in a row.
    throttled: u32,
    resumes: Instant,
}

impl Slices {
    /// Makes the slices of a period that is not empty, of which at most this many are read at the same time.
    pub(crate) fn new(period: Period, most: usize, now: Instant) -> Self {
        let mut estimate = Estimate::new(period, now);
        let whole = |shard| Slice {
            range: RecordRange {
                shard,
                period,
                after: None,
            },
            section: estimate.add_section(period),
            is_whole: true,
            is_divisible: true,
            density: 0.0,
            sent: now,
        };
        let pace = Pace {
            most,
            in_flight: 0,
            throttled: 0,
            resumes: now,
        };
        Self {
            most,
            waiting: (0..SHARDS).map(whole).collect(),
            paces: [pace; SHARDS as usize],
            estimate,
        }
    }

    /// Takes the slice with the highest priority that may be read now.
    pub(crate) fn take(&mut self, now: Instant) -> Option<Slice> {
        if self.in_flight() >= self.most {
            return None;
        }
        let may_be_read = |slice: &Slice| self.pace(slice).is_some_and(|pace| pace.admits(now));
        let waiting = self.waiting.iter().enumerate();
        let sizes = waiting
            .filter(|(_, slice)| may_be_read(slice))
            .map(|(at, slice)| (at, self.priority(slice)));
        let (largest, _) = sizes.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let mut slice = self.waiting.swap_remove(largest);
        let parts = self.parts(&slice);
        if parts > 1 {
            self.divide(&mut slice, parts);
        }
        if let Some(pace) = self.pace_mut(&slice) {
            pace.in_flight += 1;
        }
        slice.sent = now;
        Some(slice)
    }

    /// Takes back a slice of which a page was read.
    pub(crate) fn read(&mut self, mut slice: Slice, page: PageEnd, now: Instant) {
        let most = self.most;
        if let Some(pace) = self.pace_mut(&slice) {
            pace.read(most);
        }
        let period = slice.range.period;
        let Some(last_key) = page.last_key else {
            self.estimate
                .note_page(slice.section, page.items, period.millis(), now);
            return;
        };
        let last = creation_of(&last_key).filter(|last| *last >= period.start());
        let left = last.map(|last| Period::new(last, period.end()));
        let left = left.filter(|left| !left.is_empty());
        slice.is_divisible = left.is_some();
        slice.range.period = left.unwrap_or(period);
        slice.range.after = Some(last_key);
        let millis = period.millis() - slice.range.period.millis();
        slice.density = page.items as f64 / millis.max(1) as f64;
        self.estimate
            .note_page(slice.section, page.items, millis, now);
        self.waiting.push(slice);
    }

    /// Takes back a slice whose Query was throttled.
    pub(crate) fn throttled(&mut self, slice: Slice, now: Instant) {
        if let Some(pace) = self.pace_mut(&slice) {
            pace.throttled(slice.sent, now);
        }
        self.waiting.push(slice);
    }

    /// Returns whether everything was read.
    pub(crate) fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.in_flight() == 0
    }

    /// Returns when a shard that pauses may be read again, if one does.
    pub(crate) fn resumes(&self, now: Instant) -> Option<Instant> {
        let pauses = self.paces.iter().map(|pace| pace.resumes);
        pauses.filter(|resumes| *resumes > now).min()
    }

    /// Returns the way out if far more is left than can be read until `end`.
    pub(crate) fn too_large(&self, now: Instant, end: Instant) -> Option<Meta> {
        self.estimate.too_large(now, end, self.in_flight())
    }

    /// Returns the way out of what could not be read until `end`; `None` if nothing was read.
    pub(crate) fn way_out(&self, now: Instant, end: Instant) -> Option<Meta> {
        self.estimate.way_out(now, end)
    }

    fn pace(&self, slice: &Slice) -> Option<&Pace> {
        self.paces.get(usize::from(slice.range.shard))
    }

    fn pace_mut(&mut self, slice: &Slice) -> Option<&mut Pace> {
        self.paces.get_mut(usize::from(slice.range.shard))
    }

    fn in_flight(&self) -> usize {
        self.paces.iter().map(|pace| pace.in_flight).sum()
    }

    /// Returns how much there is to read in a slice. What nothing is known of comes first.
    fn priority(&self, slice: &Slice) -> f64 {
        if self.estimate.is_sampled(slice.section) {
            self.records_in(slice)
        } else {
            f64::INFINITY
        }
    }

    fn records_in(&self, slice: &Slice) -> f64 {
        let millis = slice.range.period.millis();
        let of_section = self.estimate.records_in(slice.section, millis);
        of_section.max(slice.density * millis as f64)
    }

    /// Returns into how many slices this one is divided, which waits no longer.
    fn parts(&self, slice: &Slice) -> usize {
        let records = self.records_in(slice);
        let Some(pages) = self.estimate.pages(records) else {
            return 1;
        };
        let waiting: f64 = self
            .waiting
            .iter()
            .map(|other| self.records_in(other))
            .sum();
        let share = records / self.estimate.records_left().max(records + waiting);
        let share = (share * self.most as f64).round() as usize;
        let of_shard = |other: &&Slice| other.range.shard == slice.range.shard;
        let waiting = self.waiting.iter().filter(of_shard).count();
        let free = self.pace(slice);
        let free = free.map_or(0, |pace| pace.most.saturating_sub(pace.in_flight + waiting));
        let free = free.min((self.most - self.in_flight()).saturating_sub(self.waiting.len()));
        let is_divisible = slice.is_divisible && slice.range.period.millis() > 1000;
        if is_divisible {
            share.min(pages.ceil() as usize).min(free)
        } else {
            1
        }
    }

    /// Divides a slice at instants. It keeps its beginning, and the others wait.
    fn divide(&mut self, slice: &mut Slice, parts: usize) {
        let RecordRange { shard, period, .. } = slice.range;
        let is_whole = slice.is_whole && self.estimate.end_section(slice.section, period.start());
        let mut begin = period.start();
        for part in 0..parts {
            let end = match cut(&period, shard, part + 1, parts) {
                Some(end) if part + 1 < parts => end,
                _ => period.end(),
            };
            let period = Period::new(begin, end);
            begin = end;
            let section = if is_whole {
                self.estimate.add_section(period)
            } else {
                slice.section
            };
            if part == 0 {
                (slice.range.period, slice.section) = (period, section);
                continue;
            }
            self.waiting.push(Slice {
                range: RecordRange {
                    shard,
                    period,
                    after: None,
                },
                section,
                is_whole,
                is_divisible: true,
                density: 0.0,
                sent: slice.sent,
            });
        }
        slice.is_whole = is_whole;
    }
}

/// Returns the instant at which this part of a period begins, so that the parts of all shards begin at instants that are spread
/// evenly over the period, but by irrational shares: no cycle in it, such as days, is sampled always at the same point.
fn cut(period: &Period, shard: u8, part: usize, parts: usize) -> Option<Timestamp> {
    const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;
    let shards = usize::from(SHARDS);
    let at = ((part - 1) * shards + usize::from(shard) + 1) as f64;
    let all = ((parts - 1) * shards + 1) as f64;
    let begin = (at - 0.5 + (at * GOLDEN_RATIO).fract()) / all;
    period
        .start()
        .plus_millis((period.millis() as f64 * begin) as i64)
}

impl Pace {
    fn admits(&self, now: Instant) -> bool {
        self.in_flight < self.most && self.resumes <= now
    }

    fn read(&mut self, most: usize) {
        self.in_flight -= 1;
        self.most = (self.most + 1).min(most);
        self.throttled = 0;
    }

    fn throttled(&mut self, sent: Instant, now: Instant) {
        self.in_flight -= 1;
        // What was sent before a pause says nothing about what follows it.
        if self.resumes <= sent {
            self.throttled += 1;
            self.most = (self.most / 2).max(1);
            self.resumes = now + pause(self.throttled);
        }
    }
}

#[cfg(test)]
mod tests;
