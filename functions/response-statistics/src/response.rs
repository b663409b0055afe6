//! The JSON:API document of the response: exactly the members of the contract, in its order.

use std::io;

use serde::Serialize;
use shared::error::Error;
use shared::http::{BUFFERED_LIMIT, buffered_len};
use shared::model::{GroupValue, ProjectId, Zone};

use crate::calendar::Interval;
use crate::counts::Column;
use crate::element_ids::ElementIds;
use crate::query::Query;
use crate::refusals::response_too_large;
use crate::tally::Tally;
use crate::uncertainty::ScoreInterval;

#[derive(Serialize)]
pub(crate) struct StatisticsDocument<'a> {
    data: Vec<Statistics<'a>>,
}

#[derive(Serialize)]
struct Statistics<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    attributes: StatisticsAttributes<'a>,
    relationships: Relationships<'a>,
}

/// What a request did not ask for is absent.
#[derive(Serialize)]
struct StatisticsAttributes<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<GroupValue<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<bool>,
    responses: u64,
    displays: u64,
    dismissed: u64,
    promoters: u64,
    passives: u64,
    detractors: u64,
    nps: Option<f64>,
    frequency: [u64; 11],
    #[serde(rename = "npsLow", skip_serializing_if = "Option::is_none")]
    nps_low: Option<Bound>,
    #[serde(rename = "npsHigh", skip_serializing_if = "Option::is_none")]
    nps_high: Option<Bound>,
}

/// One end of the score's interval; `null` without responses.
#[derive(Serialize)]
struct Bound(Option<f64>);

#[derive(Serialize)]
struct Relationships<'a> {
    project: Relationship<'a>,
}

#[derive(Serialize)]
struct Relationship<'a> {
    data: Resource<'a>,
}

#[derive(Serialize)]
struct Resource<'a> {
    id: &'a ProjectId,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl<'a> StatisticsDocument<'a> {
    /// Makes the elements of all intervals, each with the same groups in the same order.
    pub(crate) fn new(query: &'a Query, columns: &[Column<'a>]) -> Self {
        let breakdown = &query.breakdown;
        let ids = ElementIds::new(query);
        let elements = |n: usize, interval: Option<(&Interval, &Zone)>| {
            let element = |column: &Column<'a>| {
                Statistics::new(query, &ids, interval, column, &column.series.tally(n))
            };
            columns.iter().map(element).collect::<Vec<_>>()
        };
        let data = match &breakdown.series {
            None => elements(0, None),
            Some(series) => {
                let zone = &series.calendar.zone;
                let intervals = series.intervals.iter().enumerate();
                intervals
                    .flat_map(|(n, interval)| elements(n, Some((interval, zone))))
                    .collect()
            }
        };
        Self { data }
    }

    /// Returns the document as JSON.
    ///
    /// # Errors
    ///
    /// Fails if it is larger than a buffered response may be.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>, Error> {
        let mut text = BoundedText(Vec::new());
        // Everything serializes, so only the writer fails.
        let written = serde_json::to_writer(&mut text, self);
        if written.is_err() || buffered_len(&text.0) > BUFFERED_LIMIT {
            return Err(response_too_large());
        }
        Ok(text.0)
    }
}

/// A text that does not outgrow a buffered response, however long the names of groups are.
struct BoundedText(Vec<u8>);

impl io::Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > BUFFERED_LIMIT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> Statistics<'a> {
    fn new(
        query: &'a Query,
        ids: &ElementIds,
        interval: Option<(&Interval, &Zone)>,
        column: &Column<'a>,
        tally: &Tally,
    ) -> Self {
        let breakdown = &query.breakdown;
        let is_divided = breakdown.series.is_some() || breakdown.grouping.is_some();
        let text = |of: fn(&Interval) -> Option<_>| {
            interval.and_then(|(interval, zone)| Some(zone.write(of(interval)?)))
        };
        let bound = |of: fn(ScoreInterval) -> f64| {
            let bound = |confidence| Bound(ScoreInterval::of(tally, confidence).map(of));
            breakdown.confidence.map(bound)
        };
        let attributes = StatisticsAttributes {
            start: text(|interval| Some(interval.start.into())),
            end: text(|interval| Some(interval.end.into())),
            group: column.group.map(|group| group.value),
            other: column.group.map(|group| group.other),
            responses: tally.responses(),
            displays: tally.displays(),
            dismissed: tally.dismissed(),
            promoters: tally.promoters(),
            passives: tally.passives(),
            detractors: tally.detractors(),
            // A chart would draw a zero that nobody gave.
            nps: Some(tally.nps()).filter(|_| tally.responses() > 0 || !is_divided),
            frequency: tally.frequency(),
            nps_low: bound(|interval| interval.low),
            nps_high: bound(|interval| interval.high),
        };
        let project = Relationship {
            data: Resource {
                id: &query.project,
                kind: "project",
            },
        };
        Self {
            id: ids.id(text(|interval| interval.calendar_start), column.group),
            kind: "response-statistics",
            attributes,
            relationships: Relationships { project },
        }
    }
}
