//! The sample data: a survey of a product that does not exist, until yesterday.
//!
//! The displays of a day are made from random numbers seeded with its date, so a past day never changes.

use std::collections::BTreeMap;
use std::iter::successors;
use std::time::Duration;

use anyhow::Context;
use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc, Weekday};
use items::{ResponseRecord, Traits, UserFacts};
use model::{Outcome, ProjectId, Rating, Timestamp, UserId};
use serde_json::Value;
use serde_json::value::to_raw_value;

/// The plans, and how many of 100 ratings of their users are 0 to 6 in most months.
const FREE: (&str, u64) = ("free", 28);
const GROWTH: (&str, u64) = ("growth", 17);
const ENTERPRISE: (&str, u64) = ("enterprise", 5);
/// The companies whose people see the survey: their names, plans, countries and seats.
const COMPANIES: [(&str, (&str, u64), &str, u16); 12] = [
    ("Alder", FREE, "Germany", 3),
    ("Birch", GROWTH, "Germany", 40),
    ("Cedar", ENTERPRISE, "United States", 800),
    ("Dogwood", FREE, "United States", 5),
    ("Elm", GROWTH, "France", 25),
    ("Fir", ENTERPRISE, "Germany", 350),
    ("Ginkgo", FREE, "Japan", 2),
    ("Hazel", GROWTH, "United States", 60),
    ("Ironwood", ENTERPRISE, "United Kingdom", 1200),
    ("Juniper", FREE, "France", 8),
    ("Kapok", GROWTH, "Brazil", 15),
    ("Larch", ENTERPRISE, "Japan", 500),
];
const NAMES: [&str; 7] = ["Ada", "Ben", "Chloe", "David", "Emma", "Hugo", "Ines"];
const SURNAMES: [&str; 6] = ["Abbott", "Becker", "Costa", "Evans", "Garcia", "Ito"];

/// The records, and the users whom they name.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) records: Vec<ResponseRecord>,
    pub(super) users: BTreeMap<UserId, UserFacts>,
}

impl Sample {
    /// Makes the displays of all days before today.
    pub(super) fn new(project: &ProjectId, now: Timestamp) -> anyhow::Result<Self> {
        let today = DateTime::<Utc>::from(now).date_naive();
        // Twelve months until November 2026 can be compared with the year before.
        let days = successors(NaiveDate::from_ymd_opt(2024, 12, 1), NaiveDate::succ_opt);
        let mut sample = Self::default();
        for day in days.take_while(|day| *day < today) {
            sample.add(day, project)?;
        }
        Ok(sample)
    }

    fn add(&mut self, day: NaiveDate, project: &ProjectId) -> anyhow::Result<()> {
        const MILLIS: u64 = 86_400_000;
        let mut random = SampleRandom(day.num_days_from_ce().unsigned_abs().into());
        let displays = match day.weekday() {
            Weekday::Sat | Weekday::Sun => 14 + random.below(7),
            _ => 24 + random.below(9),
        };
        let mut roll = random.below(100);
        for n in 0..displays {
            let time = (MILLIS * n + random.below(MILLIS)) / displays;
            let created = day.and_time(NaiveTime::MIN).and_utc() + Duration::from_millis(time);
            let mut person = SamplePerson::of(day, random.below(1_800))?;
            let outcome = match random.below(100) {
                0..35 => {
                    // Golden steps spread the rolls of a day evenly, so that months differ little by chance.
                    roll = (roll + 62) % 100;
                    Outcome::Rated(person.rating(day, roll, &mut random)?)
                }
                35..50 => Outcome::Dismissed,
                _ => Outcome::Pending,
            };
            let campaigns = ["After onboarding", "Quarterly", "Quarterly"];
            let campaign = random.one_of(&campaigns)?.into();
            person.traits.insert("survey.campaign", campaign);
            let record = ResponseRecord {
                project: project.clone(),
                id: format!("{day}-{n:02}").parse()?,
                created: Timestamp::from_instant(created).context("too late a year")?,
                outcome,
                user_id: Some(person.facts.user_id.clone()),
                traits: Some(to_traits(&person.traits)?),
            };
            let entry = self.users.entry(person.facts.user_id.clone());
            let user = entry.or_insert(person.facts);
            user.created.get_or_insert(record.created);
            user.last_seen = Some(record.created);
            self.records.push(record);
        }
        Ok(())
    }
}

/// One of the people who are asked in half a year, and in no other, so that earlier ones do not change.
struct SamplePerson {
    facts: UserFacts,
    traits: BTreeMap<&'static str, Value>,
    detractors: u64,
}

impl SamplePerson {
    fn of(day: NaiveDate, number: u64) -> anyhow::Result<Self> {
        let year = day.year();
        let half = 1 + day.month0() / 6;
        let mut random = SampleRandom(u64::from(2 * year.unsigned_abs() + half) * 10_000 + number);
        let (company, (plan, detractors), country, seats) = random.one_of(&COMPANIES)?;
        let name = random.one_of(&NAMES)?;
        let surname = random.one_of(&SURNAMES)?;
        let id = format!("{year}h{half}-{number:04}");
        let is_beta = random.below(5) == 0;
        let traits = BTreeMap::from([
            ("beta", is_beta.into()),
            ("company", company.into()),
            ("country", country.into()),
            ("plan", plan.into()),
            ("seats", seats.into()),
        ]);
        let facts = UserFacts {
            id: None,
            user_id: id.parse()?,
            last_seen: None,
            created: None,
            email: Some(format!("{name}.{surname}.{id}@example.com").to_lowercase()),
            name: Some(format!("{name} {surname}")),
            unsubscribed: None,
            traits: Some(to_traits(&traits)?),
        };
        Ok(Self {
            facts,
            traits,
            detractors,
        })
    }

    /// Returns a rating. `roll`, 0 to 99, decides whether it is a detractor's, a passive's or a promoter's.
    fn rating(
        &self,
        day: NaiveDate,
        roll: u64,
        random: &mut SampleRandom,
    ) -> anyhow::Result<Rating> {
        let detractors = match day.month() {
            3 => self.detractors + 7,
            4 => self.detractors + 3,
            _ => self.detractors,
        };
        let ratings: &[u8] = match roll.checked_sub(detractors) {
            None => &[0, 1, 2, 3, 4, 5, 5, 6, 6, 6],
            Some(0..30) => &[7, 8, 8],
            Some(_) => &[9, 10],
        };
        Ok(random.one_of(ratings)?.try_into()?)
    }
}

fn to_traits(object: &BTreeMap<&str, Value>) -> anyhow::Result<Traits> {
    Traits::from_json(&to_raw_value(object)?).context("no object")
}

/// Numbers of the generator `SplitMix64`, which no update of a library changes.
struct SampleRandom(u64);

impl SampleRandom {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> anyhow::Result<T> {
        let at = usize::try_from(self.below(list.len() as u64))?;
        list.get(at).copied().context("an empty list")
    }
}
