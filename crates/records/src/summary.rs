//! What the records of an import amount to, each record once.

use std::collections::HashMap;

use shared::model::{Outcome, Rating, Timestamp};

use super::reason::quoted;

/// What the records of an import amount to. A record that occurs again counts as what the occurrences are merged into.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// How often each rating was given, 0 to 10.
    pub frequency: [u64; 11],
    /// Dismissed displays.
    pub dismissed: u64,
    /// Displays that were neither rated nor dismissed.
    pub pending: u64,
    /// When the first and the last display were created.
    pub period: Option<(Timestamp, Timestamp)>,
    /// The number of `userId`s.
    pub people: u64,
    /// The campaigns with their records, the largest first: their names, quoted.
    pub campaigns: Vec<(String, u64)>,
    /// The records of further campaigns.
    pub other_campaigns: u64,
    /// The records without a campaign.
    pub without_campaign: u64,
}

impl Summary {
    /// Returns the number of ratings.
    pub fn rated(&self) -> u64 {
        self.frequency.iter().sum()
    }

    /// Returns the number of records.
    pub fn records(&self) -> u64 {
        self.rated() + self.dismissed + self.pending
    }

    /// Returns the number of ratings of 9 and 10.
    pub fn promoters(&self) -> u64 {
        self.frequency.iter().skip(9).sum()
    }

    /// Returns the number of ratings of 0 to 6.
    pub fn detractors(&self) -> u64 {
        self.frequency.iter().take(7).sum()
    }

    /// Lists the campaigns with their counts, if there are any; few of many.
    pub fn campaigns(&self) -> Option<String> {
        const SHOWN: usize = 20;
        let shown = self.campaigns.iter().take(SHOWN);
        let mut list: Vec<_> = shown
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        let others = self.campaigns.iter().skip(SHOWN).map(|(_, count)| count);
        let others = others.sum::<u64>() + self.other_campaigns;
        for (what, count) in [("others", others), ("none", self.without_campaign)] {
            if count > 0 {
                list.push(format!("{what} ({count})"));
            }
        }
        (!self.campaigns.is_empty()).then(|| list.join(", "))
    }
}

/// What a record counts as: its outcome and its campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    outcome: Outcome,
    /// Its number; 0 is none.
    campaign: u16,
}

const RATINGS: i64 = 11;
/// The number of outcomes.
const OUTCOMES: i64 = RATINGS + 2;

impl Part {
    /// Merges a record with an earlier one, as the tables do.
    pub(super) fn merged_into(self, earlier: Self) -> Self {
        let completeness = |outcome| match outcome {
            Outcome::Rated(_) => 2,
            Outcome::Dismissed => 1,
            Outcome::Pending => 0,
        };
        let replaces = completeness(self.outcome) >= completeness(earlier.outcome);
        Self {
            outcome: if replaces {
                self.outcome
            } else {
                earlier.outcome
            },
            campaign: if self.campaign == 0 {
                earlier.campaign
            } else {
                self.campaign
            },
        }
    }

    pub(super) fn code(self) -> i64 {
        let outcome = match self.outcome {
            Outcome::Rated(rating) => i64::from(rating.value()),
            Outcome::Dismissed => RATINGS,
            Outcome::Pending => RATINGS + 1,
        };
        i64::from(self.campaign) * OUTCOMES + outcome
    }

    pub(super) fn from_code(code: i64) -> Self {
        let rating = u8::try_from(code % OUTCOMES).map(Rating::try_from);
        Self {
            outcome: match rating {
                Ok(Ok(rating)) => Outcome::Rated(rating),
                _ if code % OUTCOMES == RATINGS => Outcome::Dismissed,
                _ => Outcome::Pending,
            },
            campaign: u16::try_from(code / OUTCOMES).unwrap_or_default(),
        }
    }
}

/// Adds records up.
#[derive(Default)]
pub(super) struct Tally {
    /// The records that count as each part, by its code.
    parts: HashMap<i64, u64>,
    period: Option<(Timestamp, Timestamp)>,
    /// The numbers of the campaigns, from 1.
    campaigns: HashMap<String, u16>,
}

/// Further campaigns are counted together. The names of a hostile file must not fill the memory.
const MAX_CAMPAIGNS: u16 = 1000;

impl Tally {
    /// Returns what a record counts as.
    pub(super) fn part(&mut self, outcome: Outcome, campaign: Option<&str>) -> Part {
        let campaign = campaign.map_or(0, |name| self.number(name));
        Part { outcome, campaign }
    }

    fn number(&mut self, campaign: &str) -> u16 {
        const MAX_NAME: usize = 200;
        let end = campaign.floor_char_boundary(MAX_NAME);
        let campaign = campaign.get(..end).unwrap_or_default();
        if let Some(number) = self.campaigns.get(campaign) {
            return *number;
        }
        let next = u16::try_from(self.campaigns.len() + 1).unwrap_or(u16::MAX);
        if next <= MAX_CAMPAIGNS {
            self.campaigns.insert(campaign.to_owned(), next);
        }
        next
    }

    /// Adds a record, in the place of what an earlier one counted as.
    pub(super) fn add(&mut self, part: Part, created: Timestamp, earlier: Option<Part>) {
        if let Some(earlier) = earlier {
            *self.parts.entry(earlier.code()).or_default() -= 1;
        }
        *self.parts.entry(part.code()).or_default() += 1;
        let (first, last) = self.period.unwrap_or((created, created));
        self.period = Some((first.min(created), last.max(created)));
    }

    /// Returns what the records of so many people amount to.
    pub(super) fn summary(&self, people: u64) -> Summary {
        let mut summary = Summary {
            period: self.period,
            people,
            ..Summary::default()
        };
        let mut counts: HashMap<u16, u64> = HashMap::new();
        for (code, count) in &self.parts {
            let Part { outcome, campaign } = Part::from_code(*code);
            *counts.entry(campaign).or_default() += count;
            let rating = outcome.rating().map(|rating| usize::from(rating.value()));
            match rating.and_then(|rating| summary.frequency.get_mut(rating)) {
                Some(rated) => *rated += count,
                None if outcome == Outcome::Dismissed => summary.dismissed += count,
                None => summary.pending += count,
            }
        }
        let campaigns = self.campaigns.iter();
        let campaigns =
            campaigns.map(|(name, number)| Some((quoted(name), counts.remove(number)?)));
        summary.campaigns = campaigns
            .flatten()
            .filter(|(_, count)| *count > 0)
            .collect();
        let in_order = |(name, count): &(String, u64)| (std::cmp::Reverse(*count), name.clone());
        summary.campaigns.sort_by_key(in_order);
        summary.without_campaign = counts.remove(&0).unwrap_or_default();
        summary.other_campaigns = counts.values().sum();
        summary
    }
}
