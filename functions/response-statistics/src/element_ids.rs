//! The ids of elements (contract, section 4).

use shared::model::{TraitFilter, content_id};

use crate::groups::Group;
use crate::query::Query;

/// Derives ids from the question and, if it divides the figures, from the element's own interval and
/// group, so that equal questions get equal ids.
pub(crate) struct ElementIds {
    /// The question as a JSON array.
    question: Vec<u8>,
    is_divided: bool,
}

impl ElementIds {
    pub(crate) fn new(query: &Query) -> Self {
        let filters: Vec<_> = query.filters.iter().map(texts).collect();
        let (project, start, end) = (&query.project, query.start_date, query.end_date);
        let breakdown = query.breakdown.question();
        let question = match &breakdown {
            None => serde_json::to_vec(&(project, start, end, filters)),
            Some(breakdown) => serde_json::to_vec(&(project, start, end, filters, breakdown)),
        };
        Self {
            // Strings and numbers always serialize.
            question: question.unwrap_or_default(),
            is_divided: breakdown.is_some(),
        }
    }

    /// Returns the id of the element of this group in the calendar interval that begins at `start`.
    pub(crate) fn id(&self, start: Option<String>, group: Option<Group<'_>>) -> String {
        let mut text = self.question.clone();
        if self.is_divided {
            let (group, other) = group.map(|group| (group.value, group.other)).unzip();
            let element = serde_json::to_vec(&(start, group, other)).unwrap_or_default();
            // The last element of the array.
            text.pop();
            text.push(b',');
            text.extend_from_slice(&element);
            text.push(b']');
        }
        content_id(&text)
    }
}

/// Returns name, operator and value.
fn texts(filter: &TraitFilter) -> [String; 3] {
    let (operator, value) = filter.condition.words();
    [filter.name.as_str().to_owned(), operator, value]
}
