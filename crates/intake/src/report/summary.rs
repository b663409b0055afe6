//! What is counted of the records of an import.

use std::cmp::Reverse;
use std::collections::HashMap;

use model::{Outcome, Timestamp};

use crate::rules::reason::quoted;

/// What was seen of response records.
#[derive(Debug, Default)]
pub struct RecordSummary {
    /// The records, without those that repeat earlier ones.
    pub records: u64,
    /// Whether one of them is rated.
    pub(crate) has_ratings: bool,
    /// When the first and the last display were created.
    pub period: Option<(Timestamp, Timestamp)>,
    /// Records that have the `id` and `created` of an earlier one, and do not count.
    pub repeated: u64,
    /// Records that have the `id` of an earlier one, another `created`, and do count.
    pub recreated: u64,
    campaigns: HashMap<String, u64>,
    /// The records of further campaigns.
    other_campaigns: u64,
    without_campaign: u64,
}

impl RecordSummary {
    pub(crate) fn add(&mut self, outcome: Outcome, created: Timestamp, campaign: Option<&str>) {
        self.records += 1;
        self.has_ratings |= matches!(outcome, Outcome::Rated(_));
        let (first, last) = self.period.unwrap_or((created, created));
        self.period = Some((first.min(created), last.max(created)));
        *self.count_of(campaign) += 1;
    }

    /// Returns the count of a campaign. The names of a hostile file must not fill the memory.
    fn count_of(&mut self, campaign: Option<&str>) -> &mut u64 {
        const MAX_CAMPAIGNS: usize = 1000;
        const MAX_NAME: usize = 200;
        let Some(name) = campaign else {
            return &mut self.without_campaign;
        };
        let name = name.get(..name.floor_char_boundary(MAX_NAME));
        let name = name.unwrap_or_default();
        if self.campaigns.len() >= MAX_CAMPAIGNS && !self.campaigns.contains_key(name) {
            return &mut self.other_campaigns;
        }
        self.campaigns.entry(name.to_owned()).or_default()
    }

    /// Returns whether a score would be one of several campaigns, or of records with and without one.
    pub(crate) fn has_mixed_campaigns(&self) -> bool {
        let without = usize::from(self.without_campaign > 0);
        !self.campaigns.is_empty() && self.campaigns.len() + without > 1
    }

    /// Lists the campaigns with their records, the largest first, if there are any.
    pub fn campaigns(&self) -> Option<String> {
        const NAMED: usize = 5;
        let campaigns = self.campaigns.iter();
        let mut campaigns: Vec<_> = campaigns
            .map(|(name, count)| (Reverse(*count), name))
            .collect();
        campaigns.sort();
        let (named, others) = campaigns.split_at(campaigns.len().min(NAMED));
        let named = named.iter();
        let mut list: Vec<_> = named
            .map(|(Reverse(count), name)| format!("{} ({count})", quoted(name)))
            .collect();
        let others = others.iter().map(|(Reverse(count), _)| count);
        let others = others.sum::<u64>() + self.other_campaigns;
        for (what, count) in [("others", others), ("none", self.without_campaign)] {
            if count > 0 {
                list.push(format!("{what} ({count})"));
            }
        }
        (!self.campaigns.is_empty()).then(|| list.join(", "))
    }
}
