//! The calendar, compared with an independent implementation (`tests/calendar/generate.py`).

use std::fmt::Write as _;

use model::{Period, Timestamp, Unit, WeekStart, Zone};
use sha2::{Digest, Sha256};

use super::{Calendar, Interval};

const ZONES: &str = include_str!("../../../../tests/calendar/zones.tsv");

fn intervals(zone: &Zone, unit: Unit, first: &str, after: &str) -> Vec<Interval> {
    let at = |date| Some(zone.parse_timestamp(date).unwrap());
    let period =
        Period::of_request(at(first), at(after), Timestamp::EPOCH, &Zone::default()).unwrap();
    let zone = zone.clone();
    let week_start = WeekStart::Monday;
    let calendar = Calendar {
        unit,
        week_start,
        zone,
    };
    calendar.intervals(period).collect()
}

/// Returns the digest of the days of a period, as the generator describes it.
fn digest(zone: &Zone, first: &str, after: &str) -> String {
    let mut text = String::new();
    for (n, day) in intervals(zone, Unit::Day, first, after).iter().enumerate() {
        let start = day.start.into();
        if n == 0 {
            writeln!(text, "{}", zone.write(start)).unwrap();
        }
        let seconds = day.end.millis_since(day.start) / 1000;
        if seconds != 86_400 {
            let date = zone.local(start).date();
            writeln!(text, "{date} {} {seconds}", zone.write(start)).unwrap();
        }
    }
    let digest = Sha256::digest(&text);
    digest[..8]
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[test]
fn the_days_of_every_zone_are_those_of_another_implementation() {
    let mut lines: Vec<_> = ZONES.lines().skip(1).map(Line::new).collect();
    assert_eq!(lines.len(), 598);
    lines.sort_by_key(|line| line.digests);
    let groups: Vec<_> = lines
        .chunk_by(|one, other| one.digests == other.digests)
        .collect();
    let threads = std::thread::available_parallelism().unwrap().get();
    std::thread::scope(|scope| {
        for groups in groups.chunks(groups.len().div_ceil(threads)) {
            scope.spawn(|| groups.iter().for_each(|zones| check(zones)));
        }
    });
}

/// A zone and the digests of its days.
struct Line {
    name: &'static str,
    digests: [&'static str; 2],
}

impl Line {
    fn new(line: &'static str) -> Self {
        let [name, until_2037, of_2150] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let digests = [until_2037, of_2150];
        Self { name, digests }
    }

    fn zone(&self) -> Zone {
        let zone: Zone = self.name.parse().unwrap();
        assert_eq!(zone.name(), self.name);
        zone
    }
}

/// Checks the days of the first zone, and that the others do not differ from it in any week.
fn check(zones: &[Line]) {
    let [first, others @ ..] = zones else { return };
    let zone = first.zone();
    let until_2037 = digest(&zone, "1970-01-01", "2038-01-01");
    let of_2150 = digest(&zone, "2150-01-01", "2151-01-01");
    assert_eq!([&*until_2037, &*of_2150], first.digests, "{}", first.name);
    let weeks = |zone: &Zone| intervals(zone, Unit::Week, "1970-01-01", "2038-01-01");
    let weeks_of_first = weeks(&zone);
    for other in others {
        assert_eq!(weeks(&other.zone()), weeks_of_first, "{}", other.name);
    }
}
