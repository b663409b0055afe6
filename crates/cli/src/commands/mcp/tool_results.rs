//! What the tools return: results of a limited size, or why a call is refused.

use model::is_invisible;
use response_statistics::score::range;
use response_statistics::{GroupName, TimeSpan, WholeChange};
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject};
use rmcp::schemars::{self, JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value;

use crate::figures::{Element, StatisticsRequest, Trait, warning_of_skipped};
use crate::text::{printable, words};

/// The most elements of a list: a hundred groups and all others.
pub(super) const MOST: usize = 101;

/// The most characters of a text from a record.
const MOST_OF_TEXT: usize = 200;

/// The most characters of an error, in which the API may quote what it was asked.
const MOST_OF_ERROR: usize = 500;

/// What was asked, with the values in effect, and what its answer lacks.
#[derive(Serialize, JsonSchema)]
pub(super) struct Asked {
    project: String,
    timezone: String,
    /// The filters, all of which match.
    filters: Vec<String>,
    /// What the answer lacks, such as records that could not be read, or why its score may mean nothing: the ratings
    /// seem to be of another scale than 0 to 10. Tell it with the figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    #[schemars(schema_with = "time_span")]
    period: TimeSpan,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct StatisticsResult {
    /// With `compare`: what to tell of the change. It is all that is known; values of traits in it are in quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<String>,
    #[serde(flatten)]
    pub(super) asked: Asked,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "change_schema")]
    pub(super) change: Option<WholeChange>,
    /// One element for each interval and group.
    #[schemars(schema_with = "elements_schema")]
    pub(super) elements: Vec<Value>,
    /// How many elements are left out because there are too many: the earliest intervals, or the last groups.
    #[schemars(schema_with = "count")]
    pub(super) omitted: usize,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct TraitsResult {
    #[serde(flatten)]
    pub(super) asked: Asked,
    /// How often the survey was shown in the period.
    #[schemars(schema_with = "count")]
    pub(super) displays: u32,
    pub(super) traits: Vec<ListedTrait>,
    /// How many traits are left out because there are too many.
    #[schemars(schema_with = "count")]
    pub(super) omitted: usize,
    /// How many traits are left out because they name people.
    #[schemars(schema_with = "count")]
    pub(super) private: usize,
}

/// A trait as one type (contract, section 4, Traits).
#[derive(Serialize, JsonSchema)]
pub(super) struct ListedTrait {
    /// The name, which is data of records.
    name: String,
    #[serde(rename = "type")]
    kind: String,
    /// How often the survey was shown to somebody who has it.
    #[schemars(schema_with = "count")]
    displays: u64,
}

impl From<Trait> for ListedTrait {
    fn from(found: Trait) -> Self {
        Self {
            name: harmless(&found.name),
            kind: harmless(&found.kind),
            displays: found.displays,
        }
    }
}

/// Returns the schema of a number, without its format, which validators do not know.
fn count(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "integer", "minimum": 0})
}

fn time_span(_: &mut SchemaGenerator) -> Schema {
    of_statistics("period").try_into().unwrap_or_default()
}

fn elements_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": of_statistics("element")})
}

fn change_schema(_: &mut SchemaGenerator) -> Schema {
    of_statistics("change").try_into().unwrap_or_default()
}

/// Returns a schema of figures, which the operation encodes.
fn of_statistics(part: &str) -> Value {
    let parts = serde_json::from_str(include_str!("statistics.schema.json"));
    let parts: JsonObject = parts.unwrap_or_default();
    parts.get(part).cloned().unwrap_or_default()
}

impl Asked {
    /// Repeats a request, in whose answer, of this period, so many records could not be read.
    pub(super) fn of(query: &StatisticsRequest, period: TimeSpan, skipped: u64) -> Self {
        Self {
            project: query.project.iter().map(ToString::to_string).collect(),
            timezone: query.timezone.clone().unwrap_or_default().to_string(),
            filters: query.filter.iter().map(ToString::to_string).collect(),
            warning: warning_of_skipped(skipped),
            period,
        }
    }

    /// Adds a warning.
    pub(super) fn warn(&mut self, warning: &str) {
        let earlier = self.warning.take().map(|earlier| format!("{earlier}. "));
        self.warning = Some(earlier.unwrap_or_default() + warning);
    }
}

/// Why a call is refused, in words that help an assistant to correct itself.
pub(super) struct ToolError(pub(super) String);

impl From<anyhow::Error> for ToolError {
    fn from(error: anyhow::Error) -> Self {
        Self(cut(&words(&error), MOST_OF_ERROR))
    }
}

impl IntoCallToolResult for ToolError {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::error(vec![ContentBlock::text(self.0)]).into())
    }
}

/// Keeps at most [`MOST`] elements, those of the newest intervals or the first groups, and makes their
/// values harmless. Returns how many are left out.
pub(super) fn kept(query: &StatisticsRequest, mut elements: Vec<Element>) -> (Vec<Value>, usize) {
    let all = elements.len();
    if query.is_series() {
        let omitted = elements.drain(..all.saturating_sub(MOST)).next_back();
        // Without its first groups, an interval would look like one of others alone.
        if let Some(cut) = omitted.and_then(|element| element.interval) {
            let is_of_it = |interval: &TimeSpan| interval.start == cut.start;
            elements.retain(|element| !element.interval.as_ref().is_some_and(is_of_it));
        }
    }
    elements.truncate(MOST);
    let omitted = all - elements.len();
    (elements.into_iter().map(told).collect(), omitted)
}

/// Returns what an assistant is told of an element: with what follows from its figures, and without what is not known.
fn told(mut element: Element) -> Value {
    const OF_BEFORE: [&str; 7] = [
        "start",
        "end",
        "displays",
        "responses",
        "nps",
        "npsLow",
        "npsHigh",
    ];
    const PARTS: [&str; 3] = ["contribution", "fromScore", "fromShare"];
    let value = element
        .group
        .as_mut()
        .and_then(|group| group.value.as_mut());
    if let Some(GroupName::String(text)) = value {
        *text = harmless(text).into();
    }
    let mut told = serde_json::to_value(&element).unwrap_or_default();
    let figures = &element.figures;
    let interval = figures.score_range();
    if let Value::Object(told) = &mut told {
        told.insert("few".to_owned(), figures.are_few().into());
        told.insert("nps".to_owned(), figures.score().into());
        let words = interval.map(|(low, high)| range(low, high));
        told.insert("npsInterval".to_owned(), words.into());
    }
    let before = element.compared.map(|compared| compared.before.figures);
    if let Some(Value::Object(told)) = told.get_mut("before") {
        told.retain(|name, _| OF_BEFORE.contains(&&**name));
        told.insert("nps".to_owned(), before.and_then(|it| it.score()).into());
    }
    if let Some(Value::Object(change)) = told.get_mut("change") {
        change.retain(|name, value| !(PARTS.contains(&&**name) && value.is_null()));
    }
    told
}

/// Returns a text from a record without what controls a display or is invisible, and cut.
pub(super) fn harmless(text: &str) -> String {
    cut(&visible(text), MOST_OF_TEXT)
}

/// Returns a text without what controls a display or is invisible.
pub(super) fn visible(text: &str) -> String {
    let visible = |c| if is_invisible(c) { '\u{FFFD}' } else { c };
    printable(text).chars().map(visible).collect()
}

/// Returns at most so many characters of a text.
pub(super) fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some(_) => text.chars().take(characters - 1).chain(['…']).collect(),
    }
}
