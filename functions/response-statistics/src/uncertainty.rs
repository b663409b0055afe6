//! How precisely a sample determines the score of all customers.

use std::str::FromStr;

use shared::model::Invalid;

use crate::tally::Tally;

/// The probability with which the interval holds the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confidence {
    Percent90,
    Percent95,
    Percent99,
}

/// The interval in which the score of all customers plausibly lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoreInterval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl FromStr for Confidence {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        match text {
            "90" => Ok(Self::Percent90),
            "95" => Ok(Self::Percent95),
            "99" => Ok(Self::Percent99),
            _ => Err(Invalid("must be 90, 95 or 99")),
        }
    }
}

impl Confidence {
    /// Returns the number in a request.
    pub(crate) fn percent(self) -> u8 {
        match self {
            Self::Percent90 => 90,
            Self::Percent95 => 95,
            Self::Percent99 => 99,
        }
    }

    /// Returns the quantile of the standard normal distribution that both sides together leave out.
    fn quantile(self) -> f64 {
        match self {
            Self::Percent90 => 1.644_853_626_951_472_2,
            Self::Percent95 => 1.959_963_984_540_054,
            Self::Percent99 => 2.575_829_303_548_900_4,
        }
    }

    /// Returns the adjusted Wald interval of the score, from −100 to 100, or `None` without
    /// responses: three quarters of a promoter and of a detractor are added to three responses more
    /// (Rocks, "Interval Estimation for the Net Promoter Score", The American Statistician, 2016).
    #[allow(clippy::cast_precision_loss)] // exact up to 2^53 records
    pub(crate) fn interval(self, tally: &Tally) -> Option<ScoreInterval> {
        if tally.responses() == 0 {
            return None;
        }
        let responses = tally.responses() as f64 + 3.0;
        let promoters = (tally.promoters() as f64 + 0.75) / responses;
        let detractors = (tally.detractors() as f64 + 0.75) / responses;
        let score = promoters - detractors;
        let variance = (promoters + detractors - score * score) / responses;
        let margin = self.quantile() * variance.sqrt();
        let percent = |share: f64| (100.0 * share).clamp(-100.0, 100.0);
        Some(ScoreInterval {
            low: percent(score - margin),
            high: percent(score + margin),
        })
    }
}
