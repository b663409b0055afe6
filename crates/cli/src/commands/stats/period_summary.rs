//! The figures of the whole period, and its change.

use anyhow::Context as _;

use crate::client::{Refused, UNEXPECTED};
use crate::figures::{
    Answer, Figures, LocalPeriod, Statistics, StatisticsRequest, Verdict, is_clear,
};

/// The figures of a period, with its change if there is one to show, and what divides it.
pub(super) struct PeriodSummary {
    pub(super) period: LocalPeriod,
    pub(super) figures: Figures,
    /// The figures of intervals and groups; empty without these.
    pub(super) divided: Vec<Figures>,
    /// How many records could not be read.
    pub(super) skipped: u64,
}

impl PeriodSummary {
    /// Requests the whole period, compared with another one, and then what divides it. Groups are compared, too, if the
    /// change is clear: otherwise nobody asks where it came from.
    pub(super) async fn request(
        statistics: &Statistics,
        query: &StatisticsRequest,
    ) -> anyhow::Result<Self> {
        let whole = query.clone().undivided();
        let Answer { elements, skipped } = compared(statistics, &whole).await?;
        let mut figures = elements.into_iter().next().context(UNEXPECTED)?;
        let divided = match (query.is_series(), &query.group_by) {
            (false, None) => Vec::new(),
            (false, Some(_)) if is_clear(&figures) => {
                statistics.ask(&query.compared()).await?.elements
            }
            _ => statistics.ask(&query.alone()).await?.elements,
        };
        // That there was nothing before is only said to those who asked.
        let is_empty = |figures: &Figures| {
            let change = figures.change.as_ref();
            change.is_some_and(|change| change.verdict == Verdict::Empty)
        };
        if query.compare.is_none() && is_empty(&figures) {
            figures.change = None;
        }
        Ok(Self {
            period: query.local_period().context(UNEXPECTED)?,
            figures,
            divided,
            skipped,
        })
    }
}

/// Asks for the whole period, compared with another one if there is one.
async fn compared(
    statistics: &Statistics,
    whole: &StatisticsRequest,
) -> anyhow::Result<Answer<Figures>> {
    let answer = statistics.ask(&whole.compared()).await;
    let is_impossible = |error: &anyhow::Error| {
        let refused = error.downcast_ref::<Refused>();
        refused.is_some_and(|refused| refused.is_about("compare"))
    };
    match answer {
        // Nobody asked for the comparison.
        Err(error) if whole.compare.is_none() && is_impossible(&error) => {
            statistics.ask(&whole.alone()).await
        }
        answer => answer,
    }
}
