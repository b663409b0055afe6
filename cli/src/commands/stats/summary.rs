//! The figures of the whole period, and of the one before.

use anyhow::Context;
use chrono::NaiveDate;

use crate::client::UNEXPECTED;
use crate::figures::{
    Figures, LocalPeriod, MissingTrait, ScoreChange, Statistics, StatisticsRequest, ask,
};

/// The figures of a period, and its change.
pub(super) struct PeriodSummary {
    pub(super) period: LocalPeriod,
    pub(super) figures: Figures,
    pub(super) before: Option<Before>,
}

/// The period before, where both have a score.
pub(super) struct Before {
    pub(super) period: LocalPeriod,
    pub(super) score: f64,
    pub(super) change: ScoreChange,
    /// The first day with data, where that is not the first of the period.
    pub(super) begins: Option<NaiveDate>,
}

impl PeriodSummary {
    /// Requests both periods.
    pub(super) async fn request(
        statistics: &Statistics,
        query: &StatisticsRequest,
    ) -> anyhow::Result<Self> {
        let query = query.clone().whole();
        let figures = whole(statistics, &query).await?;
        let period = LocalPeriod::of(figures.interval.as_ref().context(UNEXPECTED)?)?;
        let before = match figures.nps {
            Some(_) => {
                let before = before(statistics, &query, &period, &figures).await;
                before.context("the period before")?
            }
            None => None,
        };
        Ok(Self {
            period,
            figures,
            before,
        })
    }
}

async fn before(
    statistics: &Statistics,
    query: &StatisticsRequest,
    period: &LocalPeriod,
    figures: &Figures,
) -> anyhow::Result<Option<Before>> {
    let Some((before, query)) = period.before().zip(query.before(period)) else {
        return Ok(None);
    };
    let earlier = match whole(statistics, &query).await {
        Err(error) if error.is::<MissingTrait>() => return Ok(None),
        earlier => earlier?,
    };
    let Some((change, score)) = ScoreChange::between(&earlier, figures).zip(earlier.nps) else {
        return Ok(None);
    };
    let begins = ask(statistics, &query.divided_by(before.readable_unit())).await?;
    let begins = begins.iter().skip_while(|figures| figures.displays == 0);
    let begins = begins.filter_map(|figures| LocalPeriod::of(figures.interval.as_ref()?).ok());
    let begins = begins.map(|interval| interval.start).next();
    Ok(Some(Before {
        begins: begins
            .filter(|begins| *begins > before.start)
            .map(|begins| begins.date()),
        period: before,
        score,
        change,
    }))
}

async fn whole(statistics: &Statistics, query: &StatisticsRequest) -> anyhow::Result<Figures> {
    let elements = ask(statistics, query).await?;
    elements.into_iter().next().context(UNEXPECTED)
}
