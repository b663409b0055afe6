//! Draws the traits of the records as a table.

use std::fmt::Write as _;

use console::{Alignment, measure_text_width, pad_str, truncate_str};
use indicatif::HumanCount;

use crate::figures::Trait;
use crate::text::printable;

/// Returns a line for each trait and type, those of the most displays first. Names that do not fit are cut.
pub(super) fn draw(traits: &[Trait], width: usize) -> String {
    let mut text = line("DISPLAYS", "TYPE", "NAME");
    for found in traits {
        let displays = HumanCount(found.displays).to_string();
        let (name, kind) = (printable(&found.name), printable(&found.kind));
        let private = if found.private {
            "  (private: filter only)"
        } else {
            ""
        };
        let others = line(&displays, &kind, private);
        let room = width.saturating_sub(measure_text_width(others.trim_end_matches('\n')));
        let name = truncate_str(&name, room, "…");
        text += &line(&displays, &kind, &format!("{name}{private}"));
    }
    text
}

fn line(displays: &str, kind: &str, name: &str) -> String {
    let mut line = String::new();
    let kind = pad_str(kind, 7, Alignment::Left, None);
    let _ = writeln!(line, "{displays:>11}  {kind}  {name}");
    line
}
