//! The figures of the whole period, and its change.

use std::cmp::Reverse;

use anyhow::Context as _;
use response_statistics::{Figures, Verdict};

use crate::client::{Refused, UNEXPECTED};
use crate::figures::{Answer, Element, LocalPeriod, Statistics, StatisticsRequest};

/// The figures of a period, what divides it, and what is said of its change.
pub(super) struct PeriodSummary {
    pub(super) period: LocalPeriod,
    pub(super) figures: Figures,
    /// What can be said of its change, with a comparison.
    pub(super) verdict: Option<Verdict>,
    /// The figures of intervals and groups; empty without these. Groups of the whole period are in the order of their
    /// responses.
    pub(super) divided: Vec<Element>,
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
        let answer = ask_whole(statistics, query).await?;
        let mut meta = answer.meta;
        let whole = answer.elements.into_iter().next().context(UNEXPECTED)?;
        let verdict = whole
            .compared
            .map(|compared| compared.change.change.verdict);
        let mut divided = if query.is_series() || (query.group_by.is_some() && meta.is_none()) {
            let alone = StatisticsRequest {
                compare: None,
                ..query.clone()
            };
            statistics.ask(&alone).await?.elements
        } else if query.group_by.is_some() {
            let groups = statistics.ask(&compared(query, query)).await?;
            meta = groups.meta;
            groups.elements
        } else {
            Vec::new()
        };
        if !query.is_series() {
            let is_other = |element: &Element| element.group.as_ref().is_some_and(|it| it.other);
            divided.sort_by_key(|element| (is_other(element), Reverse(element.figures.responses)));
        }
        // That there was nothing before is only said to those who asked.
        let change = meta.filter(|_| query.compare.is_some() || verdict != Some(Verdict::Empty));
        let period = whole.interval.or_else(|| query.time_span());
        let period = period.context(UNEXPECTED)?;
        Ok(Self {
            period: LocalPeriod::of(&period, &query.zone())?,
            figures: whole.figures,
            verdict,
            divided,
            change: change.map(|meta| meta.summary),
            skipped: answer.skipped,
        })
    }
}

/// Returns this request, compared with what `query` asks for, or else with the previous period. No interval may divide
/// it.
fn compared(request: &StatisticsRequest, query: &StatisticsRequest) -> StatisticsRequest {
    let given = query.compare.clone();
    StatisticsRequest {
        interval: None,
        week_start: None,
        compare: given.or_else(|| Some("previous".to_owned())),
        ..request.clone()
    }
}

/// Asks for the whole period, compared with another one if there is one.
async fn ask_whole(
    statistics: &Statistics,
    query: &StatisticsRequest,
) -> anyhow::Result<Answer<Element>> {
    let whole = query.whole();
    let answer = statistics.ask(&compared(&whole, query)).await;
    let is_impossible = |error: &anyhow::Error| {
        let refused = error.downcast_ref::<Refused>();
        refused.is_some_and(|refused| refused.is_about("compare"))
    };
    match answer {
        // Nobody asked for the comparison.
        Err(error) if query.compare.is_none() && is_impossible(&error) => {
            statistics.ask(&whole).await
        }
        answer => answer,
    }
}
