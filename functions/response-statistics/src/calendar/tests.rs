//! The calendar, compared with an independent implementation (`tests/calendar/generate.py`).

use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use shared::model::{Period, Timestamp};

use super::{Calendar, Interval, Unit, Zone};

const ZONES: &str = include_str!("../../../../tests/calendar/zones.tsv");

fn days(zone: &Zone, first: &str, after: &str) -> Vec<Interval> {
    let at = |date| Some(zone.parse_timestamp(date).unwrap());
    let period = Period::of_request(at(first), at(after), Timestamp::EPOCH).unwrap();
    let unit = Unit::Day;
    let zone = zone.clone();
    Calendar { unit, zone }.intervals(period).collect()
}

/// Returns the digest of the days of a period, as the generator describes it.
fn digest(zone: &Zone, first: &str, after: &str) -> String {
    let mut text = String::new();
    for (n, day) in days(zone, first, after).iter().enumerate() {
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
    let lines: Vec<_> = ZONES.lines().skip(1).collect();
    let threads = std::thread::available_parallelism().unwrap().get();
    std::thread::scope(|scope| {
        for lines in lines.chunks(lines.len().div_ceil(threads)) {
            scope.spawn(|| lines.iter().for_each(|line| check(line)));
        }
    });
    assert_eq!(lines.len(), 598);
}

fn check(line: &str) {
    let [name, until_2037, of_2150] = line.split('\t').collect::<Vec<_>>()[..] else {
        panic!("{line}");
    };
    let zone: Zone = name.parse().unwrap();
    assert_eq!(zone.name(), name);
    assert_eq!(
        digest(&zone, "1970-01-01", "2038-01-01"),
        until_2037,
        "{name}"
    );
    assert_eq!(digest(&zone, "2150-01-01", "2151-01-01"), of_2150, "{name}");
}
