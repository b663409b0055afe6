//! The answers of the API: the figures of displays, and the traits that records have, as the operation encodes them.

use anyhow::Context;
use response_statistics::{Attributes, Description, GroupLabel, GroupName, Meta};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::client::{StatisticsDocument, UNEXPECTED};
use crate::text::{counted, printable};

/// The figures of a period or interval, or of a group in it.
pub(crate) type Element = Attributes<'static>;

/// A trait as one type (contract, section 4, Traits).
pub(crate) type Trait = Description<'static>;

/// The attributes of the elements of an answer.
pub(crate) struct Answer<A> {
    pub(crate) elements: Vec<A>,
    /// `None` without a comparison.
    pub(crate) meta: Option<Meta>,
    /// How many records of the period could not be read, and are not counted.
    pub(crate) skipped: u64,
}

#[derive(Deserialize)]
struct AnswerDocument<A> {
    data: Vec<AnswerElement<A>>,
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct AnswerElement<A> {
    attributes: A,
}

/// Parses the attributes of the elements of a document.
pub(super) fn attributes<A: DeserializeOwned>(
    document: &StatisticsDocument,
) -> anyhow::Result<Answer<A>> {
    let AnswerDocument { data, meta } = serde_json::from_str(&document.text).context(UNEXPECTED)?;
    Ok(Answer {
        elements: data.into_iter().map(|element| element.attributes).collect(),
        meta,
        skipped: document.skipped,
    })
}

/// Says that records could not be read, if there are any.
pub(crate) fn warning_of_skipped(skipped: u64) -> Option<String> {
    let are = if skipped == 1 { "is" } else { "are" };
    let records = counted(skipped, "record");
    (skipped > 0).then(|| {
        format!("{records} could not be read and {are} not counted; `feedback check` says why")
    })
}

/// Returns the name of a group. A value that would be empty, or read as one of the words for what has no value, or that
/// blanks alone tell from another, has quotes.
pub(crate) fn name_of_group(group: &GroupLabel<'_>) -> String {
    const OTHER: &str = "all others";
    const NO_VALUE: &str = "no value";
    match &group.value {
        Some(GroupName::Boolean(flag)) => flag.to_string(),
        Some(GroupName::String(text)) => match (text.trim(), printable(text)) {
            (OTHER | NO_VALUE | "", name) => format!("\"{name}\""),
            (trimmed, name) if trimmed != text => format!("\"{name}\""),
            (_, name) => name.into_owned(),
        },
        None if group.other => OTHER.to_owned(),
        None => NO_VALUE.to_owned(),
    }
}
