//! When the records of a project were created, and which other projects there are: for a period without any.

use chrono::Datelike as _;
use model::Unit;

use super::period::LocalPeriod;
use super::statistics::Statistics;
use super::statistics_request::StatisticsRequest;

impl Statistics {
    /// Returns the months in which records of the project were created, whatever their traits, of 83 years. `None` of
    /// an API, which would have to read all records.
    pub(crate) async fn months(&self, query: &StatisticsRequest) -> Option<Vec<LocalPeriod>> {
        let Self::Local { .. } = self else {
            return None;
        };
        let zone = query.zone();
        let year = zone.local(service::now().into()).year();
        let first_day = |year: i32| Some(format!("{year:04}-01-01"));
        let months = StatisticsRequest {
            start: first_day(year - 73),
            end: first_day(year + 10),
            period: None,
            interval: Some(Unit::Month),
            ..query.unfiltered().whole()
        };
        let found = self.figures(&months).await.ok()?.elements.into_iter();
        let found = found.filter(|month| month.figures.displays > 0);
        let periods = found.filter_map(|month| LocalPeriod::of(&month.interval?, &zone).ok());
        Some(periods.collect())
    }

    /// Returns the projects that have records, as far as the store can tell.
    pub(crate) async fn projects(&self) -> Vec<String> {
        match self {
            Self::Remote(_) => Vec::new(),
            Self::Local { tables, .. } => tables.projects().await.unwrap_or_default(),
        }
    }
}
