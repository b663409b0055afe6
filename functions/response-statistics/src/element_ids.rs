//! The ids of elements (contract, section 4).

use model::{Respondents, TraitFilter, content_id};
use serde::Serialize;

use crate::breakdown::Breakdown;
use crate::groups::Group;
use crate::query::StatisticsQuery;

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
pub(crate) struct ElementIds {
    content: IdContent,
    /// Whether elements are distinguished.
    are_divided: bool,
    are_latest: bool,
}

impl ElementIds {
    pub(crate) fn new(query: &StatisticsQuery, breakdown: &Breakdown) -> Self {
        let content = IdContent::new(query);
        let requested = breakdown.requested();
        Self {
            are_divided: requested.is_some(),
            are_latest: breakdown.respondents == Respondents::Latest,
            content: match requested {
                Some(requested) => content.with(&requested),
                None => content,
            },
        }
    }

    /// Returns the id of the element of the interval whose calendar interval begins so, and of a group.
    pub(crate) fn id(&self, calendar_start: Option<&str>, group: Option<Group<'_>>) -> String {
        let mut content = self.content.clone();
        if self.are_divided {
            let (group, other) = group.map(|group| (group.value, group.other)).unzip();
            content = content.with(&(calendar_start, group, other));
        }
        if self.are_latest {
            content = content.with(&"latest");
        }
        content.id()
    }
}

/// Returns name, operator and value.
fn texts(filter: &TraitFilter) -> [String; 3] {
    let (operator, value) = filter.condition.words();
    [filter.name.as_str().to_owned(), operator, value]
}
