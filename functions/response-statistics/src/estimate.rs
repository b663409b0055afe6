//! Estimates from the pages that were read how many records are left, and whether they can be read in time (contract,
//! section 1, `period_too_large`).
//!
//! What is left of a section is taken to be as dense as what was read of it. For a refusal, it counts for at most twice as
//! dense as the median section, by their lengths, and a section of which nothing was read does not count: a burst of records must
//! not make everything after it look alike.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)] // an estimate

use std::time::Duration;

use shared::error::Meta;
use shared::model::{Period, Timestamp};
use tokio::time::Instant;

/// What is known of the number of records in a period.
#[derive(Debug)]
pub(crate) struct Estimate {
    period: Period,
    sections: Vec<Section>,
    began: Instant,
    /// When the first page was read, and how many records it has.
    first_page: Option<(Instant, u64)>,
    pages: u64,
    records: u64,
}

/// A part of the period in one shard.
#[derive(Debug)]
struct Section {
    period: Period,
    /// How many records of it were read.
    records: u64,
    /// Over how many milliseconds of it.
    covered: i64,
    /// Whether what was left of it was divided into others, which are better samples.
    is_divided: bool,
}

impl Estimate {
    /// The number of sections that are samples, if the period has enough pages.
    const SAMPLES: usize = 16;
    /// At first, too little is known to refuse a request.
    const AT_FIRST: Duration = Duration::from_secs(1);
    /// Reading has to seem to take longer than all the time that a request has, by this many times what is left of it: the store
    /// may become faster, and the records fewer.
    const DOUBT: u32 = 2;
    /// The part of what seems to be readable in time that is advised. The store may have read faster at first than it can, and of
    /// a project that grows, the beginnings of sections were read.
    const ADVISED: f64 = 0.2;

    pub(crate) fn new(period: Period, now: Instant) -> Self {
        Self {
            period,
            sections: Vec::new(),
            began: now,
            first_page: None,
            pages: 0,
            records: 0,
        }
    }

    /// Adds a part of the period in one shard. Returns its index.
    pub(crate) fn add_section(&mut self, period: Period) -> usize {
        self.sections.push(Section {
            period,
            records: 0,
            covered: 0,
            is_divided: false,
        });
        self.sections.len() - 1
    }

    /// Ends a section at the instant up to which it was read, to divide what is left of it into others, unless there are enough.
    /// Returns whether it did.
    pub(crate) fn end_section(&mut self, section: usize, end: Timestamp) -> bool {
        let is_enough = self.samples().count() >= Self::SAMPLES;
        if let Some(section) = self.sections.get_mut(section).filter(|_| !is_enough) {
            section.is_divided = true;
            section.period = Period::new(section.period.start(), end);
        }
        !is_enough
    }

    /// Notes that a page of a section was read, with this many records over this long.
    pub(crate) fn note_page(&mut self, section: usize, records: usize, millis: i64, now: Instant) {
        if let Some(section) = self.sections.get_mut(section) {
            section.records += records as u64;
            section.covered += millis;
        }
        self.pages += 1;
        self.records += records as u64;
        self.first_page.get_or_insert((now, records as u64));
    }

    /// Returns whether something of a section was read.
    pub(crate) fn is_sampled(&self, section: usize) -> bool {
        let section = self.sections.get(section);
        section.and_then(Section::density).is_some()
    }

    /// Returns the expected number of records in this many milliseconds of a section.
    pub(crate) fn records_in(&self, section: usize, millis: i64) -> f64 {
        let section = self.sections.get(section);
        let density = section.and_then(Section::density);
        density.unwrap_or_else(|| self.density()) * millis as f64
    }

    /// Returns how many pages have this many records, unless no page was read.
    pub(crate) fn pages(&self, records: f64) -> Option<f64> {
        (self.pages > 0).then(|| records * self.pages as f64 / self.records.max(1) as f64)
    }

    /// Returns the expected number of records that are still to be read.
    pub(crate) fn records_left(&self) -> f64 {
        self.left(f64::INFINITY, self.density())
    }

    /// Returns the way out if the records cannot be read before `end`.
    pub(crate) fn too_large(&self, now: Instant, end: Instant, in_flight: usize) -> Option<Meta> {
        if now < self.began + Self::AT_FIRST {
            return None;
        }
        let sampled = self.samples().filter(|section| section.density().is_some());
        let millis: i64 = sampled.map(|section| section.period.millis()).sum();
        let of_all: i64 = self.samples().map(|section| section.period.millis()).sum();
        if self.samples().count() < Self::SAMPLES / 2 || millis * 4 < of_all * 3 {
            return None;
        }
        let needed = self.cautious_records_left(0.0) / self.rate(now, in_flight)?;
        let tolerated = (end - self.began) + Self::DOUBT * end.saturating_duration_since(now);
        let is_late = needed > tolerated.as_secs_f64();
        is_late.then(|| self.way_out(now, end)).flatten()
    }

    /// Returns the way out of a period that cannot be read before `end`; `None` if nothing was read.
    pub(crate) fn way_out(&self, now: Instant, end: Instant) -> Option<Meta> {
        self.first_page?;
        let seconds = |until: Instant| (until - self.began).as_secs_f64();
        let in_time = self.records as f64 * seconds(end) / seconds(now).max(f64::EPSILON);
        let records = self.records as f64 + self.cautious_records_left(self.density());
        Some(Meta {
            records: rounded(records),
            start_date: self.start_of(Self::ADVISED * in_time),
        })
    }

    /// Returns how many records a second are read. Those of Queries in flight count as if they arrived now.
    fn rate(&self, now: Instant, in_flight: usize) -> Option<f64> {
        let (first, of_first) = self.first_page?;
        let of_page = self.records as f64 / self.pages as f64;
        let records = (self.records - of_first) as f64 + in_flight as f64 * of_page;
        let seconds = now.saturating_duration_since(first).as_secs_f64();
        let seconds = if seconds > 0.0 { seconds } else { f64::EPSILON };
        Some(records.max(1.0) / seconds)
    }

    /// Returns the records per millisecond of all that was read.
    fn density(&self) -> f64 {
        let covered: i64 = self.sections.iter().map(|section| section.covered).sum();
        self.records as f64 / covered.max(1) as f64
    }

    /// Returns the density that the samples of half of the time do not exceed.
    fn median_density(&self) -> f64 {
        let densities = self.samples().filter_map(|section| {
            let density = section.density()?;
            Some((density, section.period.millis()))
        });
        let mut densities: Vec<_> = densities.collect();
        densities.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut half = densities.iter().map(|(_, millis)| millis).sum::<i64>() / 2;
        let median = densities.iter().find(|(_, millis)| {
            half -= millis;
            half <= 0
        });
        median.map_or(0.0, |(density, _)| *density)
    }

    fn samples(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(|section| !section.is_divided)
    }

    fn cautious_records_left(&self, unknown: f64) -> f64 {
        let most = 2.0 * self.median_density();
        self.left(most, unknown)
    }

    /// Returns the records that are left if no section is denser than `most`, and those of which nothing is known are as dense as
    /// `unknown`.
    fn left(&self, most: f64, unknown: f64) -> f64 {
        let sections = self.sections.iter();
        let left =
            sections.map(|section| section.density().unwrap_or(unknown).min(most) * section.left());
        left.sum()
    }

    /// Returns the earliest instant from which the period is expected to have at most this many records: at midnight, if there
    /// is one.
    fn start_of(&self, records: f64) -> Option<Timestamp> {
        let total = |start: Timestamp| -> f64 {
            let sections = self.sections.iter();
            let since = sections.map(|section| section.records_since(start, self.density()));
            since.sum()
        };
        let (mut too_early, mut fits) = (0, self.period.millis());
        while fits - too_early > 1 {
            let middle = i64::midpoint(too_early, fits);
            let start = self.period.start().plus_millis(middle)?;
            if total(start) > records {
                too_early = middle;
            } else {
                fits = middle;
            }
        }
        let start = self.period.start().plus_millis(fits)?;
        let start = start
            .next_midnight()
            .filter(|day| *day < self.period.end())
            .unwrap_or(start);
        (start < self.period.end()).then_some(start)
    }
}

impl Section {
    /// Returns the records per millisecond of what was read, unless that is of one instant.
    fn density(&self) -> Option<f64> {
        (self.covered > 0).then(|| self.records as f64 / self.covered as f64)
    }

    /// Returns the milliseconds that are still to be read.
    fn left(&self) -> f64 {
        (self.period.millis() - self.covered).max(0) as f64
    }

    /// Returns the expected number of records from this instant on, of the density `other` if nothing is known of its own.
    fn records_since(&self, start: Timestamp, other: f64) -> f64 {
        let all = self.records as f64 + self.density().unwrap_or(other) * self.left();
        let since = Period::new(start.max(self.period.start()), self.period.end());
        all * since.millis() as f64 / self.period.millis().max(1) as f64
    }
}

/// Rounds to two digits.
fn rounded(records: f64) -> u64 {
    let unit = 10_f64.powf((records.max(1.0).log10().floor() - 1.0).max(0.0));
    ((records / unit).round() * unit) as u64
}
