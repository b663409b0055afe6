//! The answer as a JSON:API document: members in the contract's order, and no others.

use serde::Serialize;
use shared::model::{ProjectId, id_of};

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
    attributes: Attributes,
    relationships: Relationships<'a>,
}

#[derive(Serialize)]
struct Attributes {
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
        let attributes = Attributes {
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

/// One question, one id.
fn id(query: &Query) -> String {
    let filters: Vec<_> = query
        .filters
        .iter()
        .map(|filter| {
            [
                filter.name.as_str(),
                filter.operator.as_str(),
                filter.value.as_str(),
            ]
        })
        .collect();
    // Strings alone: they always serialise.
    id_of(
        &serde_json::to_vec(&(&query.project, query.start_date, query.end_date, filters))
            .unwrap_or_default(),
    )
}
