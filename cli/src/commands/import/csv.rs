//! Reads CSV.

use std::io::BufRead;

use anyhow::{Context, ensure};

use super::columns::{CellOptions, Columns};
use super::entry::Entry;
use super::kind::Kind;
use super::quotes;
use super::records::Records;
use super::rows::{Row, Rows};
use super::source::Source;

/// Reads all rows after the header. `head` is the beginning of the input.
pub(super) fn read(
    input: impl BufRead,
    head: &[u8],
    kind: Kind,
    options: &CellOptions,
    records: &mut Records,
) -> anyhow::Result<()> {
    const UNREADABLE: &str = "cannot read it";
    ensure!(
        head.contains(&b'\n') || !head.contains(&b'\r'),
        "its lines end with carriage returns alone: save it with the line ends of Windows or Unix"
    );
    let mut rows = Rows::new(input, head);
    let Some(header) = rows.next().context(UNREADABLE)? else {
        return Ok(());
    };
    ensure!(
        !header.is_open,
        "a quoted cell that begins on line 1 is not closed before the end of the file"
    );
    let names = header.cells.context("the header is not UTF-8")?;
    let (columns, unused) = Columns::from_header(kind, &names, options)?;
    let missing = records.identities.missing_in(&names);
    ensure!(
        missing.is_empty(),
        "there is no column {} for --id-from",
        missing.join(", ")
    );
    let header_line = header.raw.strip_suffix(b"\n").unwrap_or(&header.raw);
    let header_line = header_line.strip_suffix(b"\r").unwrap_or(header_line);
    records.begin_table(header_line, &unused);
    while let Some(row) = rows.next().context(UNREADABLE)? {
        let json = check(&row, rows.delimiter(), &columns, options);
        let cells = row.cells.as_deref().unwrap_or_default();
        records.add(Entry {
            line: row.line,
            raw: row.raw.strip_suffix(b"\n").unwrap_or(&row.raw),
            record: json.as_deref().map_err(Clone::clone).map(|json| {
                let header = &names;
                (json, Source::Row { header, cells })
            }),
        })?;
    }
    Ok(())
}

/// Converts a row to the JSON of a record. `Err` is the reason why it cannot be converted.
fn check(
    row: &Row,
    delimiter: u8,
    columns: &Columns<'_>,
    options: &CellOptions,
) -> Result<String, String> {
    if row.is_open {
        let line = row.line + quotes::lines_before_last(&row.raw, delimiter);
        return Err(format!(
            "the quoted cell that begins on line {line} is not closed before the end of the file"
        ));
    }
    if !options.multiline
        && let Some(suspicion) = quotes::suspicion(&row.raw, delimiter, columns)
    {
        let [opened, line] = [suspicion.opened, suspicion.line].map(|line| row.line + line);
        return Err(format!(
            "the quoted cell that begins on line {opened} contains line {line}, which {}: a quote may be missing \
             (--multiline accepts such cells)",
            suspicion.what
        ));
    }
    match &row.cells {
        Some(cells) => columns.record(cells),
        None => Err("it is not UTF-8".to_owned()),
    }
}
