//! The elements of a response with figures: one for each interval and group.

use model::{GroupValue, Respondents, Zone};
use serde::Serialize;

use crate::breakdown::Breakdown;
use crate::calendar::Interval;
use crate::counts::GroupSeries;
use crate::document::Document;
use crate::element_ids::ElementIds;
use crate::query::StatisticsQuery;
use crate::tally::Tally;
use crate::uncertainty::score_range;

/// The figures of an element. Those that were not requested are absent.
#[derive(Serialize)]
pub(crate) struct Figures<'a> {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded: Option<u64>,
    #[serde(rename = "npsLow", skip_serializing_if = "Option::is_none")]
    nps_low: Option<Bound>,
    #[serde(rename = "npsHigh", skip_serializing_if = "Option::is_none")]
    nps_high: Option<Bound>,
}

/// One end of the range of the score; `null` without responses.
#[derive(Serialize)]
struct Bound(Option<f64>);

/// An interval, and the zone in which it is shown.
type Shown<'a> = (&'a Interval, &'a Zone);

/// Makes the elements of all intervals, each with the same groups in the same order.
pub(crate) fn document<'a>(
    query: &StatisticsQuery,
    breakdown: &Breakdown,
    columns: &[GroupSeries<'a>],
) -> Document<Figures<'a>> {
    let shown: Vec<Option<Shown<'_>>> = match &breakdown.intervals {
        None => vec![None],
        Some(intervals) => {
            let zone = &intervals.calendar.zone;
            let shown = intervals.list.iter().map(|interval| (interval, zone));
            shown.map(Some).collect()
        }
    };
    let ids = ElementIds::new(query, breakdown);
    let mut elements = Vec::new();
    for (n, interval) in shown.into_iter().enumerate() {
        let calendar_start =
            interval.and_then(|(interval, zone)| Some(zone.write(interval.calendar_start?)));
        for column in columns {
            let tally = column.series.tally(n);
            let figures = Figures::new(breakdown, interval, column, &tally);
            elements.push((ids.id(calendar_start.as_deref(), column.group), figures));
        }
    }
    Document::new(&query.project, "response-statistics", elements)
}

impl<'a> Figures<'a> {
    fn new(
        breakdown: &Breakdown,
        interval: Option<Shown<'_>>,
        column: &GroupSeries<'a>,
        tally: &Tally,
    ) -> Self {
        let is_latest = breakdown.respondents == Respondents::Latest;
        let [nps_low, nps_high] = match breakdown.confidence {
            Some(confidence) => score_range(tally, confidence).map(|end| Some(Bound(end))),
            None => [None, None],
        };
        Self {
            start: interval.map(|(interval, zone)| zone.write(interval.start.into())),
            end: interval.map(|(interval, zone)| zone.write(interval.end.into())),
            group: column.group.map(|group| group.value),
            other: column.group.map(|group| group.other),
            responses: tally.responses(),
            displays: tally.displays,
            dismissed: tally.dismissed,
            promoters: tally.promoters(),
            passives: tally.passives(),
            detractors: tally.detractors(),
            // Zero would be a score that nobody gave.
            nps: Some(tally.nps()).filter(|_| tally.responses() > 0 || !breakdown.is_divided()),
            frequency: tally.frequency,
            superseded: is_latest.then_some(tally.superseded),
            nps_low,
            nps_high,
        }
    }
}
