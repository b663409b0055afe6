//! What groups add to the change of the whole score: an account, which says nothing of causes (contract, section 4).

use std::iter::Sum;

use serde::{Deserialize, Serialize};

use crate::change::PairedKinds;
use crate::tally::Kinds;

/// The ratings of all groups, each of them in one place.
#[derive(Debug)]
pub(crate) struct PairedGroups {
    pairs: Vec<PairedKinds>,
    /// How many of them have elements of their own, which come first.
    shown: usize,
    whole: PairedKinds,
}

/// What groups add to the change of the whole score, in points.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Parts {
    /// What the scores of groups add that have responses in both periods.
    pub(crate) score: f64,
    /// What the shares of these groups add.
    pub(crate) share: f64,
    /// What all other groups add.
    pub(crate) one_period: f64,
}

/// What one element adds.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contribution {
    #[serde(rename = "contribution")]
    pub points: Option<f64>,
    pub from_score: Option<f64>,
    pub from_share: Option<f64>,
}

impl PairedGroups {
    /// Makes the account of these groups. The first ones, as many as are `shown`, have elements of their own.
    pub(crate) fn new(pairs: Vec<PairedKinds>, shown: usize) -> Self {
        let mut whole = PairedKinds::default();
        for pair in &pairs {
            whole.before += pair.before;
            whole.after += pair.after;
        }
        Self {
            pairs,
            shown,
            whole,
        }
    }

    /// Returns what each group with an element of its own adds, and then what all others do; nothing is known if a whole
    /// period has no responses.
    pub(crate) fn contributions(&self) -> Vec<Contribution> {
        if !self.is_known() {
            return vec![Contribution::default(); self.shown + 1];
        }
        let (own, others) = self.pairs.split_at(self.shown);
        let mut contributions: Vec<_> = own.iter().map(|group| self.contribution(group)).collect();
        let others: Parts = others.iter().map(|group| self.parts(group)).sum();
        contributions.push(others.into());
        contributions
    }

    /// Returns what a group adds. One that a period has no responses of has no parts.
    fn contribution(&self, group: &PairedKinds) -> Contribution {
        let contribution = Contribution::from(self.parts(group));
        match group.fewest() {
            0 => Contribution {
                from_score: None,
                from_share: None,
                ..contribution
            },
            _ => contribution,
        }
    }

    /// Returns what all groups add, which is the change of the whole score; `None` if a whole period has no responses.
    pub(crate) fn parts_of_all(&self) -> Option<Parts> {
        let parts = self.pairs.iter().map(|group| self.parts(group));
        self.is_known().then(|| parts.sum())
    }

    /// Returns how many groups of the present period have no elements of their own.
    pub(crate) fn others(&self) -> usize {
        self.pairs.len() - self.shown - 1
    }

    fn parts(&self, group: &PairedKinds) -> Parts {
        let [before, after] = PERIODS
            .map(|of| f64::from(of(group).responses()) / f64::from(of(&self.whole).responses()));
        let mut parts = Parts::default();
        if group.fewest() > 0 {
            let [first, second] = PERIODS.map(|of| of(group).nps());
            let lead = f64::midpoint(first, second) - self.middle();
            parts.score = f64::midpoint(before, after) * (second - first);
            // Of a share that stayed, no zero below zero.
            parts.share = (after - before) * lead + 0.0;
        } else {
            // Without responses, a share is zero.
            let [first, second] = PERIODS.map(|of| of(group).nps() - self.middle());
            parts.one_period = after * second - before * first;
        }
        parts
    }

    fn middle(&self) -> f64 {
        f64::midpoint(self.whole.before.nps(), self.whole.after.nps())
    }

    fn is_known(&self) -> bool {
        self.whole.fewest() > 0
    }
}

/// The earlier period and the present one.
const PERIODS: [fn(&PairedKinds) -> Kinds; 2] = [|pair| pair.before, |pair| pair.after];

impl From<Parts> for Contribution {
    fn from(parts: Parts) -> Self {
        Self {
            points: Some(parts.score + parts.share + parts.one_period),
            from_score: Some(parts.score),
            from_share: Some(parts.share),
        }
    }
}

impl Sum for Parts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, parts| Self {
            score: sum.score + parts.score,
            share: sum.share + parts.share,
            one_period: sum.one_period + parts.one_period,
        })
    }
}
