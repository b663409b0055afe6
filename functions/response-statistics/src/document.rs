//! The JSON:API document of the response: exactly the members of the contract, in its order, and the ids of its
//! elements (contract, section 4 and appendix).

use std::io::{self, Write as _};
use std::iter;

use model::{ProjectId, Respondents, TraitFilter, Zone, content_id};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use service::error::Error;
use service::response::{BUFFERED_LIMIT, buffered_len};

use crate::calendar::Interval;
use crate::compared::{Compared, Meta};
use crate::counts::{Group, GroupSeries};
use crate::csv;
use crate::figures::{Figures, GroupLabel, TimeSpan};
use crate::query::{Breakdown, Format, Intervals, StatisticsQuery};
use crate::tally::OutcomeTally;

/// An interval, and the zone in which it is shown.
type Shown<'a> = (&'a Interval, &'a Zone);

/// Makes the elements of all intervals, each with the same groups in the same order. What a comparison adds is given in
/// the order of the groups.
pub(crate) fn figures<'a>(
    query: &StatisticsQuery,
    breakdown: &Breakdown,
    columns: &[GroupSeries<'a>],
    compared: Option<(Vec<Compared>, Meta)>,
) -> ElementDocument<Attributes<'a>> {
    let intervals: Vec<Option<Shown<'_>>> = match &breakdown.intervals {
        None => vec![None],
        Some(Intervals { calendar, list, .. }) => list
            .iter()
            .map(|interval| Some((interval, &calendar.zone)))
            .collect(),
    };
    let ids = ElementIds::new(query, breakdown);
    let (compared, meta) = compared.unzip();
    let mut compared = compared.into_iter().flatten();
    let mut elements = Vec::new();
    for (n, interval) in intervals.into_iter().enumerate() {
        let window = breakdown.windows().and_then(|windows| windows.list.get(n));
        let parts = window.map_or(n..n + 1, |window| window.parts.clone());
        let calendar_start =
            interval.and_then(|(interval, zone)| Some(zone.write(interval.calendar_start?)));
        for column in columns {
            let element = Attributes {
                interval: interval.map(|(interval, zone)| TimeSpan {
                    start: zone.write(interval.start.into()),
                    end: zone.write(interval.end.into()),
                }),
                window_start: interval
                    .zip(window)
                    .map(|((_, zone), window)| zone.write(window.start)),
                group: column.group.map(GroupLabel::from),
                figures: Figures::new(breakdown, &column.series.tally(parts.clone())),
                compared: compared.next(),
            };
            elements.push((ids.id(calendar_start.as_deref(), column.group), element));
        }
    }
    let document = ElementDocument::new(&query.project, "response-statistics", elements);
    ElementDocument { meta, ..document }
}

/// The attributes of an element. Those that were not requested are absent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Attributes<'a> {
    #[serde(flatten)]
    pub interval: Option<TimeSpan>,
    #[serde(rename = "windowStart", skip_serializing_if = "Option::is_none")]
    pub window_start: Option<String>,
    #[serde(flatten)]
    pub group: Option<GroupLabel<'a>>,
    #[serde(flatten)]
    pub figures: Figures,
    #[serde(flatten)]
    pub compared: Option<Compared>,
}

impl Attributes<'_> {
    /// Returns what an element without records has, which has the names of all that is requested.
    pub(crate) fn of_no_record(breakdown: &Breakdown) -> Self {
        let interval = breakdown.intervals.as_ref().map(|_| TimeSpan::default());
        let group = breakdown.group_by.as_ref();
        Self {
            interval,
            window_start: breakdown.windows().map(|_| String::new()),
            group: group.map(|_| GroupLabel::default()),
            figures: Figures::new(breakdown, &OutcomeTally::default()),
            compared: breakdown
                .comparison
                .as_ref()
                .map(|_| Compared::of_no_record(breakdown)),
        }
    }
}

/// A document whose elements have these attributes.
#[derive(Serialize)]
pub(crate) struct ElementDocument<A> {
    data: Vec<Element<A>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<Meta>,
}

#[derive(Serialize)]
struct Element<A> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    attributes: A,
    #[serde(rename = "relationships", serialize_with = "relationships")]
    project: ProjectId,
}

fn relationships<S: Serializer>(project: &ProjectId, serializer: S) -> Result<S::Ok, S::Error> {
    json!({"project": {"data": {"id": project, "type": "project"}}}).serialize(serializer)
}

impl<A: Serialize> ElementDocument<A> {
    /// Makes a document of elements of this type, each with its id and its attributes.
    pub(crate) fn new(
        project: &ProjectId,
        kind: &'static str,
        elements: impl IntoIterator<Item = (String, A)>,
    ) -> Self {
        let element = |(id, attributes)| Element {
            id,
            kind,
            attributes,
            project: project.clone(),
        };
        Self {
            data: elements.into_iter().map(element).collect(),
            meta: None,
        }
    }

    /// Returns the document as JSON, or its elements as a table with the columns of these attributes.
    ///
    /// # Errors
    ///
    /// Fails if it is larger than a buffered response may be.
    pub(crate) fn text(&self, format: Format, columns: &A) -> Result<Vec<u8>, Error> {
        let mut text = BoundedText(Vec::new());
        // What is requested always serializes, so only the writer can fail.
        match format {
            Format::Json => {
                let written = serde_json::to_writer(&mut text, self);
                written.map_err(|_| response_too_large())?;
            }
            Format::Csv => {
                let elements = self.data.iter();
                let rows = elements.map(|element| csv::row(&element.attributes));
                for line in iter::once(csv::header(columns)).chain(rows) {
                    let written = text.write_all(line?.as_bytes());
                    written.map_err(|_| response_too_large())?;
                }
            }
        }
        if buffered_len(&text.0) > BUFFERED_LIMIT {
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

/// Makes the error of a response that would exceed Lambda's limit.
fn response_too_large() -> Error {
    Error::unprocessable(
        ["response_too_large", "Response too large"],
        "The response would exceed 6 MB. Choose a longer interval or a lower groupLimit, or ask for a shorter period.",
    )
}

/// The JSON array from which an id is derived, without its end: what is requested, and what distinguishes the
/// element, so that equal requests get equal ids.
#[derive(Clone)]
pub(crate) struct IdContent(Vec<u8>);

impl IdContent {
    /// Makes the array with the period and the filters.
    pub(crate) fn new(query: &StatisticsQuery) -> Self {
        let filters: Vec<_> = query.filters.iter().map(texts).collect();
        let records = (&query.project, query.start_date, query.end_date, filters);
        // Strings and numbers always serialize.
        let mut text = serde_json::to_vec(&records).unwrap_or_default();
        text.pop();
        Self(text)
    }

    /// Appends a member.
    #[must_use]
    pub(crate) fn with(mut self, member: &impl Serialize) -> Self {
        self.0.push(b',');
        let text = serde_json::to_vec(member).unwrap_or_default();
        self.0.extend_from_slice(&text);
        self
    }

    pub(crate) fn id(mut self) -> String {
        self.0.push(b']');
        content_id(&self.0)
    }
}

/// The ids of the elements of a response with figures.
pub(crate) struct ElementIds<'a> {
    content: IdContent,
    breakdown: &'a Breakdown,
    /// Whether elements are distinguished.
    are_divided: bool,
}

impl<'a> ElementIds<'a> {
    pub(crate) fn new(query: &StatisticsQuery, breakdown: &'a Breakdown) -> Self {
        let content = IdContent::new(query);
        let member = breakdown.id_member();
        Self {
            are_divided: member.is_some(),
            content: match member {
                Some(member) => content.with(&member),
                None => content,
            },
            breakdown,
        }
    }

    /// Returns the id of the element of the interval whose calendar interval begins so, and of a group.
    pub(crate) fn id(&self, calendar_start: Option<&str>, group: Option<Group<'_>>) -> String {
        let mut content = self.content.clone();
        if self.are_divided {
            let (group, other) = group.map(|group| (group.value, group.other)).unzip();
            content = content.with(&(calendar_start, group, other));
        }
        if self.breakdown.respondents == Respondents::Latest {
            content = content.with(&"latest");
        }
        if let Some(comparison) = &self.breakdown.comparison {
            content = content.with(&("compare", comparison.with));
        }
        if let Some(windows) = self.breakdown.windows() {
            content = content.with(&("window", windows.days));
        }
        content.id()
    }
}

/// Returns name, operator and value.
fn texts(filter: &TraitFilter) -> [String; 3] {
    let (operator, value) = filter.condition.words();
    [filter.name.as_str().to_owned(), operator, value]
}
