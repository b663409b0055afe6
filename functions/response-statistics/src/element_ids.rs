//! The ids of elements (contract, section 4).

use serde::Serialize;
use shared::model::{TraitFilter, content_id};

use crate::query::StatisticsQuery;

/// The JSON array from which an id is derived, without its end: the question, and what distinguishes
/// the element, so that equal questions get equal ids.
#[derive(Clone)]
pub(crate) struct IdSource(Vec<u8>);

impl IdSource {
    /// Makes the array of the records that are asked about.
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

    /// Returns the id.
    pub(crate) fn id(mut self) -> String {
        self.0.push(b']');
        content_id(&self.0)
    }
}

/// Returns name, operator and value.
fn texts(filter: &TraitFilter) -> [String; 3] {
    let (operator, value) = filter.condition.words();
    [filter.name.as_str().to_owned(), operator, value]
}
