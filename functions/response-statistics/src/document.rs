//! The JSON:API document of the response: exactly the members of the contract, in its order.

use serde::Serialize;
use shared::model::{FilteredTrait, ProjectId, TraitConditions, content_id};

use crate::query::Query;
use crate::tally::Tally;

#[derive(Serialize)]
pub(crate) struct Document<'a> {
    data: [Statistics<'a>; 1],
}

#[derive(Serialize)]
struct Statistics<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    attributes: StatisticsAttributes,
    relationships: Relationships<'a>,
}

#[derive(Serialize)]
struct StatisticsAttributes {
    responses: u64,
    displays: u64,
    dismissed: u64,
    promoters: u64,
    passives: u64,
    detractors: u64,
    nps: f64,
    frequency: [u64; 11],
}

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
    pub(crate) fn new(query: &'a Query, tally: &Tally) -> Self {
        let attributes = StatisticsAttributes {
            responses: tally.responses(),
            displays: tally.displays(),
            dismissed: tally.dismissed(),
            promoters: tally.promoters(),
            passives: tally.passives(),
            detractors: tally.detractors(),
            nps: tally.nps(),
            frequency: tally.frequency(),
        };
        let project = Relationship {
            data: Resource {
                id: &query.project,
                kind: "project",
            },
        };
        let relationships = Relationships { project };
        Self {
            data: [Statistics {
                id: id(query),
                kind: "response-statistics",
                attributes,
                relationships,
            }],
        }
    }
}

/// Derives the id from the question, so that equal questions get equal ids.
fn id(query: &Query) -> String {
    let filters: Vec<_> = query.filters.iter().flat_map(texts).collect();
    // Strings always serialize.
    content_id(
        &serde_json::to_vec(&(&query.project, query.start_date, query.end_date, filters))
            .unwrap_or_default(),
    )
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
