//! The figures of the whole period, and its change.

use anyhow::Context as _;

use crate::client::{Refused, UNEXPECTED};
use crate::figures::{Answer, Figures, LocalPeriod, Statistics, StatisticsRequest, Verdict};

/// The figures of a period, what divides it, and what is said of its change.
pub(super) struct PeriodSummary {
    pub(super) period: LocalPeriod,
    pub(super) figures: Figures,
    /// The figures of intervals and groups; empty without these.
    pub(super) divided: Vec<Figures>,
    /// `None` without a comparison.
    pub(super) change: Option<String>,
    /// How many records could not be read.
    pub(super) skipped: u64,
}

impl PeriodSummary {
    /// Requests the whole period, compared with another one, and then what divides it. Groups are compared, too.
    pub(super) async fn request(
        statistics: &Statistics,
        query: &StatisticsRequest,
    ) -> anyhow::Result<Self> {
        let whole = query.clone().undivided();
        let Answer {
            elements,
            skipped,
            mut meta,
        } = compared(statistics, &whole).await?;
        let figures = elements.into_iter().next().context(UNEXPECTED)?;
        let divided = if query.is_series() || (query.group_by.is_some() && meta.is_none()) {
            statistics.ask(&query.alone()).await?.elements
        } else if query.group_by.is_some() {
            let groups = statistics.ask(&query.compared()).await?;
            meta = groups.meta;
            groups.elements
        } else {
            Vec::new()
        };
        // That there was nothing before is only said to those who asked.
        let change =
            meta.filter(|_| query.compare.is_some() || figures.verdict() != Some(Verdict::Empty));
        let period = match &figures.interval {
            Some(interval) => LocalPeriod::of(interval)?,
            None => query.local_period().context(UNEXPECTED)?,
        };
        Ok(Self {
            period,
            figures,
            divided,
            change: change.map(|meta| meta.summary),
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
