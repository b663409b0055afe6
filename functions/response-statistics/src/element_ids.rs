//! The ids of elements (contract, section 4).

use shared::model::{FilteredTrait, TraitConditions, content_id};

use crate::counts::Group;
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
        let filters: Vec<_> = query.filters.iter().flat_map(texts).collect();
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
