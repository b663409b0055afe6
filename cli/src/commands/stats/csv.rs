//! `--csv`: the elements of a response as a table for spreadsheets and loaders.

use std::collections::HashMap;

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::client::UNEXPECTED;
use crate::figures::StatisticsRequest;
use crate::text::printable;

/// The values stay as the API wrote them, so that no digit of a number changes.
#[derive(Deserialize)]
struct CsvSource<'a> {
    #[serde(borrow)]
    data: Vec<CsvElement<'a>>,
}

#[derive(Deserialize)]
struct CsvElement<'a> {
    #[serde(borrow)]
    attributes: HashMap<&'a str, &'a RawValue>,
}

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
    body: &str,
    for_terminal: bool,
) -> anyhow::Result<String> {
    let CsvSource { data } = serde_json::from_str(body).context(UNEXPECTED)?;
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
    for CsvElement { attributes } in &data {
        let cells = names.iter().map(|name| {
            let value = attributes.get(name).context(UNEXPECTED)?;
            cells(name, value.get(), for_terminal)
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
fn cells(attribute: &str, json: &str, for_terminal: bool) -> anyhow::Result<String> {
    if attribute == FREQUENCY {
        let counts: [u64; 11] = serde_json::from_str(json).context(UNEXPECTED)?;
        return Ok(counts.map(|count| count.to_string()).join(","));
    }
    if json == "null" {
        return Ok(String::new());
    }
    if json.starts_with('"') {
        let text: String = serde_json::from_str(json).context(UNEXPECTED)?;
        return Ok(if for_terminal {
            quoted(&printable(&text))
        } else {
            quoted(&text)
        });
    }
    ensure!(!json.starts_with(['[', '{']), UNEXPECTED);
    Ok(json.to_owned())
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
    use super::{cells, quoted};

    #[test]
    fn texts_are_exact_except_for_a_terminal() {
        for (for_terminal, expected) in [
            (false, "\"a\u{9b}2J\nb\""),
            (true, "\"a\u{FFFD}2J\u{FFFD}b\""),
        ] {
            let cell = cells("group", "\"a\u{9b}2J\\nb\"", for_terminal);
            assert_eq!(cell.unwrap(), expected);
        }
    }

    #[test]
    fn marked_texts_stay_distinct() {
        let texts = ["=1", "'=1", "''=1", "1", ""];
        let cells = texts.map(quoted);
        assert_eq!(cells, ["\"'=1\"", "\"''=1\"", "\"'''=1\"", "\"1\"", "\"\""]);
    }
}
