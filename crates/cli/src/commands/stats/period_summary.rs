//! The figures of the whole period, and of the one before.

use anyhow::Context;
use chrono::NaiveDate;

use crate::figures::{
    Figures, LocalPeriod, MissingTrait, ScoreChange, Statistics, StatisticsRequest,
};

/// The figures of a period, and its change.
pub(super) struct PeriodSummary {
    pub(super) period: LocalPeriod,
    pub(super) figures: Figures,
    pub(super) before: Option<Before>,
    /// How many records of the period could not be read.
    pub(super) skipped: u64,
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
        let undivided = query.clone().whole();
        let (figures, counted, skipped) = statistics.whole(&undivided).await?;
        let period = LocalPeriod::of(&counted)?;
        let before = before(statistics, &undivided, &period, &figures).await;
        Ok(Self {
            period,
            figures,
            before: before.context("the period before")?,
            skipped,
        })
    }
}

async fn before(
    statistics: &Statistics,
    query: &StatisticsRequest,
    period: &LocalPeriod,
    figures: &Figures,
) -> anyhow::Result<Option<Before>> {
    let Some(before) = figures.nps.and(period.before()) else {
        return Ok(None);
    };
    let query_before = query.during(&before);
    let Some(earlier) = found(statistics, &query_before).await? else {
        return Ok(None);
    };
    let Some((change, score)) = ScoreChange::between(&earlier, figures).zip(earlier.nps) else {
        return Ok(None);
    };
    Ok(Some(Before {
        begins: begins(statistics, query_before, &before).await?,
        period: before,
        score,
        change,
    }))
}

/// Returns the first day of a period with data, if that is where the data begin: neither the days before it nor
/// as many before the period have any.
async fn begins(
    statistics: &Statistics,
    query: StatisticsRequest,
    period: &LocalPeriod,
) -> anyhow::Result<Option<NaiveDate>> {
    let preceding = period.before().map(|period| query.during(&period));
    let divided = StatisticsRequest {
        interval: Some(period.readable_unit()),
        ..query
    };
    let mut intervals = statistics.ask(&divided).await?.elements.into_iter();
    let with_data = intervals.find(|figures| figures.displays > 0);
    let first = with_data.and_then(|figures| LocalPeriod::of(&figures.interval?).ok());
    let Some(first) = first.filter(|first| first.start > period.start) else {
        return Ok(None);
    };
    let preceding = match preceding {
        Some(query) => found(statistics, &query).await?,
        None => None,
    };
    let has_none = preceding.is_none_or(|figures| figures.displays == 0);
    Ok(has_none.then(|| first.start.date()))
}

/// Requests the figures of a period; returns `None` if no record of it has a trait that is asked for.
async fn found(
    statistics: &Statistics,
    query: &StatisticsRequest,
) -> anyhow::Result<Option<Figures>> {
    match statistics.whole(query).await {
        Err(error) if error.is::<MissingTrait>() => Ok(None),
        found => Ok(Some(found?.0)),
    }
}
