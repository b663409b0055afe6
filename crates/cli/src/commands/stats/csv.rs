//! `--csv`: the elements of a response as a table for spreadsheets and loaders.

use anyhow::Context;
use serde_json::Value;

use crate::client::UNEXPECTED;
use crate::figures::{Figures, StatisticsRequest};
use crate::text::printable;

/// The array of the counts of the ratings, each of which has a column.
const FREQUENCY: &str = "frequency";
const FIGURES: [&str; 8] = [
    "responses",
    "displays",
    "dismissed",
    "promoters",
    "passives",
    "detractors",
    "nps",
    FREQUENCY,
];

/// Returns a header and a row for each element. Texts are in quotes, numbers and booleans are not, and a
/// null is an empty cell without quotes.
///
/// For a terminal, texts are made harmless; otherwise they are exact.
pub(super) fn table(
    query: &StatisticsRequest,
    elements: &[Figures],
    for_terminal: bool,
) -> anyhow::Result<String> {
    let attributes = [
        (&["start", "end"][..], query.interval.is_some()),
        (&["group", "other"], query.group_by.is_some()),
        (&FIGURES, true),
        (&["superseded"], query.is_latest()),
        (&["npsLow", "npsHigh"], query.confidence.is_some()),
    ];
    let requested = attributes.into_iter().filter(|(_, requested)| *requested);
    let names: Vec<_> = requested.flat_map(|(names, _)| names).copied().collect();
    let columns = names.iter().map(|name| columns(name));
    let mut text = columns.collect::<Vec<_>>().join(",") + "\n";
    for figures in elements {
        let attributes = serde_json::to_value(figures)?;
        let cells = names.iter().map(|name| {
            let value = attributes.get(name).context(UNEXPECTED)?;
            anyhow::Ok(cells(value, for_terminal))
        });
        text += &cells.collect::<anyhow::Result<Vec<_>>>()?.join(",");
        text.push('\n');
    }
    Ok(text)
}

/// Returns the names of the columns of an attribute.
fn columns(attribute: &str) -> String {
    match attribute {
        FREQUENCY => {
            std::array::from_fn::<_, 11, _>(|rating| format!("{FREQUENCY}{rating}")).join(",")
        }
        _ => attribute.to_owned(),
    }
}

/// Returns the cells of an attribute.
fn cells(value: &Value, for_terminal: bool) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if for_terminal => quoted(&printable(text)),
        Value::String(text) => quoted(text),
        Value::Array(counts) => {
            let cells: Vec<_> = counts.iter().map(Value::to_string).collect();
            cells.join(",")
        }
        number_or_boolean => number_or_boolean.to_string(),
    }
}

/// Returns a text as a cell. Spreadsheets would compute a text that begins like a formula, so it gets an
/// apostrophe before it. A text that begins with an apostrophe gets one, too: no two texts become equal.
fn quoted(text: &str) -> String {
    const MARKED: [char; 13] = [
        '=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠', '\'',
    ];
    let mark = if text.starts_with(MARKED) { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::cells;

    #[test]
    fn texts_are_exact_except_for_a_terminal() {
        for (for_terminal, expected) in [
            (false, "\"a\u{9b}2J\nb\""),
            (true, "\"a\u{FFFD}2J\u{FFFD}b\""),
        ] {
            let cell = cells(&"a\u{9b}2J\nb".into(), for_terminal);
            assert_eq!(cell, expected);
        }
    }
}
