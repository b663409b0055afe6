//! The newest rating of each person in each interval (contract, section 4).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};

use items::{ResponseItem, Shard};
use model::{Outcome, Period, Rating};
use service::error::Error;

/// The ratings that count so far.
#[derive(Debug)]
pub(crate) struct NewestRatings {
    /// By two hashes of a `userId` and an interval.
    newest: HashMap<[u64; 2], Newest>,
    period: Period,
    has_intervals: bool,
    /// Two secret hash functions of 64 bits, so that nobody can choose two persons with equal keys.
    hashes: [RandomState; 2],
}

/// A rating that counts, or that counted until a newer rating arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) group: u32,
    pub(crate) rating: Rating,
}

/// A rating that counts.
#[derive(Debug)]
struct Newest {
    age: u64,
    counted: Counted,
}

impl NewestRatings {
    const MAX: usize = 1_000_000;
    /// What so many take up while their table grows: 33 bytes each of 2²¹ places, and half as much before.
    pub(crate) const MEGABYTES: u32 = 104;

    pub(crate) fn new(period: Period, has_intervals: bool) -> Self {
        Self {
            newest: HashMap::new(),
            period,
            has_intervals,
            hashes: [RandomState::new(), RandomState::new()],
        }
    }

    /// Takes the rating of a record that counts in this group, if it is a person's. If the person has another rating in
    /// the same interval, returns the older one of both, which does not count any more.
    ///
    /// Of two ratings of one instant and shard, the later call has the newer one, because the records of a
    /// shard arrive in the order of their keys.
    pub(crate) fn add(
        &mut self,
        shard: Shard,
        item: &ResponseItem<'_>,
        group: usize,
    ) -> Result<Option<Counted>, Error> {
        let (Outcome::Rated(rating), Some(user_id)) = (item.outcome, item.user_id) else {
            return Ok(None);
        };
        let hashes = self.hashes.each_ref();
        let person = hashes.map(|hash| hash.hash_one((user_id, item.interval)));
        if self.newest.len() >= Self::MAX && !self.newest.contains_key(&person) {
            return Err(self.too_many());
        }
        // There are at most 100,000 groups with records.
        let group = group.try_into().unwrap_or(u32::MAX);
        let age = age(item.at, shard);
        let counted = Counted { group, rating };
        let new = Newest { age, counted };
        match self.newest.entry(person) {
            Entry::Vacant(entry) => {
                entry.insert(new);
                Ok(None)
            }
            Entry::Occupied(mut entry) => {
                let is_newer = entry.get().age <= new.age;
                let left_out = if is_newer { entry.insert(new) } else { new };
                Ok(Some(left_out.counted))
            }
        }
    }

    /// Makes the error of more persons than may be counted, each in each interval.
    fn too_many(&self) -> Error {
        let (what, way) = if self.has_intervals {
            (
                "pairs of a person and an interval",
                "choose a longer interval, ",
            )
        } else {
            ("people", "")
        };
        Error::unprocessable(
            ["too_many_respondents", "Too many respondents"],
            format!(
                "From {} to {}, more than 1,000,000 {what} have ratings. Ask for a shorter period, {way}or omit respondents.",
                self.period.start, self.period.end
            ),
        )
    }
}

/// The number of digits of an instant in a key.
const DIGITS: usize = "20260131083000000".len();

/// Returns a number that is greater for a newer record: the digits of the instant with which the sort key
/// `at` begins, and then four bits for the shard. The item format gives all instants the same digits.
fn age(at: &str, shard: Shard) -> u64 {
    let digits = at.bytes().filter(u8::is_ascii_digit);
    let number = digits
        .take(DIGITS)
        .fold(0_u64, |number, digit| number * 10 + u64::from(digit - b'0'));
    number << 4 | u64::from(shard.number())
}

const _: () = assert!(Shard::COUNT <= 1 << 4);
