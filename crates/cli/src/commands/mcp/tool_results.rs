//! What the tools return: results of a limited size, or why a call is refused.

use model::is_invisible;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, ErrorData};
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;

use crate::figures::{
    Figures, GroupName, StatisticsRequest, TimeSpan, Trait, WholeChange, warning_of_skipped,
    without_formats,
};
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
}

#[derive(Serialize, JsonSchema)]
#[schemars(transform = without_formats)]
pub(super) struct StatisticsResult {
    /// With `compare`: what to tell of the change. It is all that is known; values of traits in it are in quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<String>,
    #[serde(flatten)]
    pub(super) asked: Asked,
    pub(super) period: TimeSpan,
    /// With `compare` and `groupBy`: the change of the whole score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) change: Option<WholeChange>,
    /// One element for each interval and group.
    pub(super) elements: Vec<Figures>,
    /// How many elements are left out because there are too many: the earliest intervals, or the last groups.
    pub(super) omitted: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(transform = without_formats)]
pub(super) struct TraitsResult {
    #[serde(flatten)]
    pub(super) asked: Asked,
    pub(super) period: TimeSpan,
    /// How often the survey was shown in the period.
    pub(super) displays: u64,
    pub(super) traits: Vec<Trait>,
    /// How many traits are left out because there are too many.
    pub(super) omitted: usize,
    /// How many traits are left out because they name people.
    pub(super) private: usize,
}

impl Asked {
    /// Repeats a request, in whose answer so many records could not be read.
    pub(super) fn of(query: &StatisticsRequest, skipped: u64) -> Self {
        Self {
            project: query.project.iter().map(ToString::to_string).collect(),
            timezone: query.timezone.clone().unwrap_or_default().to_string(),
            filters: query.filter.iter().map(ToString::to_string).collect(),
            warning: warning_of_skipped(skipped),
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
pub(super) fn kept(query: &StatisticsRequest, mut elements: Vec<Figures>) -> (Vec<Figures>, usize) {
    let all = elements.len();
    if query.is_series() {
        let omitted = elements.drain(..all.saturating_sub(MOST)).next_back();
        // Without its first groups, an interval would look like one of others alone.
        if let Some(cut) = omitted.and_then(|figures| figures.interval) {
            let is_of_it = |interval: &TimeSpan| interval.start == cut.start;
            elements.retain(|figures| !figures.interval.as_ref().is_some_and(is_of_it));
        }
    }
    elements.truncate(MOST);
    let omitted = all - elements.len();
    for figures in &mut elements {
        let value = figures
            .group
            .as_mut()
            .and_then(|group| group.value.as_mut());
        if let Some(GroupName::String(text)) = value {
            *text = harmless(text);
        }
    }
    (elements, omitted)
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
