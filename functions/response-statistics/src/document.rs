//! The JSON:API document of the response: exactly the members of the contract, in its order.

use std::io;

use serde::Serialize;
use shared::error::Error;
use shared::http::{BUFFERED_LIMIT, buffered_len};
use shared::model::{FilteredTrait, GroupValue, ProjectId, TraitConditions, Zone, content_id};

use crate::calendar::Interval;
use crate::counts::Column;
use crate::query::Query;
use crate::tally::Tally;
use crate::uncertainty::{Confidence, ScoreInterval};

#[derive(Serialize)]
pub(crate) struct Document<'a> {
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

impl<'a> Document<'a> {
    /// Makes the elements of all intervals, each with the same groups in the same order.
    pub(crate) fn new(query: &'a Query, columns: &[Column<'a>]) -> Self {
        let breakdown = &query.breakdown;
        let elements = |n: usize, interval: Option<(&Interval, &Zone)>| {
            let element = move |column: &Column<'a>| {
                Statistics::new(query, interval, column, &column.series.tally(n))
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
            return Err(Error::StatisticsTooLarge);
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
        interval: Option<(&Interval, &Zone)>,
        column: &Column<'a>,
        tally: &Tally,
    ) -> Self {
        let breakdown = &query.breakdown;
        let is_divided = breakdown.series.is_some() || breakdown.grouping.is_some();
        let text =
            |of: fn(&Interval) -> _| interval.map(|(interval, zone)| zone.write(of(interval)));
        let bound = |of: fn(ScoreInterval) -> f64| {
            let bound = |confidence: Confidence| Bound(confidence.interval(tally).map(of));
            breakdown.confidence.map(bound)
        };
        let attributes = StatisticsAttributes {
            start: text(|interval| interval.start.into()),
            end: text(|interval| interval.end.into()),
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
            id: id(query, text(|interval| interval.calendar_start), column),
            kind: "response-statistics",
            attributes,
            relationships: Relationships { project },
        }
    }
}

/// Derives the id from the question and, if it divides the figures, from the element's own interval and
/// group, so that equal questions get equal ids.
fn id(query: &Query, calendar_start: Option<String>, column: &Column<'_>) -> String {
    let filters: Vec<_> = query.filters.iter().flat_map(texts).collect();
    let question = (&query.project, query.start_date, query.end_date, filters);
    let text = match query.breakdown.question() {
        None => serde_json::to_vec(&question),
        Some(breakdown) => {
            let (project, start, end, filters) = question;
            let (group, other) = column.group.map(|group| (group.value, group.other)).unzip();
            let element = (calendar_start, group, other);
            serde_json::to_vec(&(project, start, end, filters, breakdown, element))
        }
    };
    // Strings and numbers always serialize.
    content_id(&text.unwrap_or_default())
}

/// Returns name, operator and value of each condition. The operator has the type before it unless that
/// is a string, and equal values have equal texts.
fn texts(filtered: &FilteredTrait) -> impl Iterator<Item = [String; 3]> {
    let FilteredTrait { name, conditions } = filtered;
    let text = |operator, value| [name.as_str().to_owned(), operator, value];
    let TraitConditions {
        string,
        number,
        boolean,
    } = conditions;
    let string = string
        .as_ref()
        .map(|c| text(c.operator.to_string(), c.value.to_string()));
    let number = number
        .as_ref()
        .map(|c| text(format!("number.{}", c.operator), c.value.to_string()));
    let boolean = boolean
        .as_ref()
        .map(|c| text(format!("boolean.{}", c.operator), c.value.to_string()));
    [string, number, boolean].into_iter().flatten()
}
