//! Draws the traits of the records as a table.

use std::fmt::Write as _;

use anyhow::Context;
use console::{Alignment, measure_text_width, pad_str, truncate_str};
use indicatif::HumanCount;
use serde::Deserialize;

use super::super::client::UNEXPECTED;
use super::query::Query;
use super::screen::none;
use crate::text::printable;

#[derive(Deserialize)]
struct TraitsDocument {
    data: Vec<Element>,
}

#[derive(Deserialize)]
struct Element {
    attributes: Trait,
}

/// The members of the contract, section 4.
#[derive(Deserialize)]
pub(in crate::commands) struct Trait {
    pub(in crate::commands) name: String,
    #[serde(rename = "type")]
    pub(in crate::commands) kind: String,
    pub(in crate::commands) displays: u64,
    pub(in crate::commands) private: bool,
}

/// Parses the traits of a response.
pub(in crate::commands) fn parse(body: &str) -> anyhow::Result<Vec<Trait>> {
    let TraitsDocument { data } = serde_json::from_str(body).context(UNEXPECTED)?;
    Ok(data.into_iter().map(|element| element.attributes).collect())
}

/// Returns a row for each trait and type, those of the most displays first. Names that do not fit are cut.
pub(super) fn draw(query: &Query, body: &str, width: usize) -> anyhow::Result<String> {
    let traits = parse(body)?;
    if traits.is_empty() {
        return Ok(none("traits", query, width));
    }
    let mut text = line("DISPLAYS", "TYPE", "NAME");
    for found in &traits {
        let displays = HumanCount(found.displays).to_string();
        let name = printable(&found.name);
        let kind = printable(&found.kind);
        let private = if found.private {
            "  (private: filter only)"
        } else {
            ""
        };
        let room = width.saturating_sub(measure_text_width(
            line(&displays, &kind, private).trim_end_matches('\n'),
        ));
        let name = truncate_str(&name, room, "…");
        text += &line(&displays, &kind, &format!("{name}{private}"));
    }
    Ok(text)
}

fn line(displays: &str, kind: &str, name: &str) -> String {
    let mut line = String::new();
    let kind = pad_str(kind, 7, Alignment::Left, None);
    let _ = writeln!(line, "{displays:>11}  {kind}  {name}");
    line
}
