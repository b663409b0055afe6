//! Draws the traits of the records as a table.

use std::fmt::Write as _;

use anyhow::Context;
use console::{Alignment, pad_str};
use indicatif::HumanCount;
use serde::Deserialize;

use super::super::client::UNEXPECTED;
use super::options::Options;
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
struct Trait {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    displays: u64,
    private: bool,
}

/// Returns a row for each trait and type, those of the most displays first.
pub(super) fn draw(options: &Options, body: &str) -> anyhow::Result<String> {
    let TraitsDocument { data } = serde_json::from_str(body).context(UNEXPECTED)?;
    if data.is_empty() {
        return Ok(none("traits", options));
    }
    let mut text = line("DISPLAYS", "TYPE", "NAME");
    for Element { attributes } in &data {
        let displays = HumanCount(attributes.displays).to_string();
        let name = printable(&attributes.name);
        let private = if attributes.private {
            "  (private: filter only)"
        } else {
            ""
        };
        text += &line(
            &displays,
            &printable(&attributes.kind),
            &format!("{name}{private}"),
        );
    }
    Ok(text)
}

fn line(displays: &str, kind: &str, name: &str) -> String {
    let mut line = String::new();
    let kind = pad_str(kind, 7, Alignment::Left, None);
    let _ = writeln!(line, "{displays:>11}  {kind}  {name}");
    line
}
