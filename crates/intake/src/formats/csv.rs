//! Reads CSV.

use anyhow::{Context, bail, ensure};
use csv_core::Reader;

use crate::formats::input::Input;
use crate::formats::quotes;
use crate::formats::rows::{CsvRow, CsvRows};
use crate::raw::cells;
use crate::raw::columns::Columns;
use crate::raw::origin::{Form, IdColumn};
use crate::raw::{RawContent, RawRecord};
use crate::reading::Records;
use crate::reading::beginning::Beginning;
use crate::rules::ImportRules;
use crate::rules::reason::{Reason, quoted};

/// Reads all rows after the header.
pub(crate) fn read(
    input: &mut Input,
    rules: &ImportRules,
    records: &mut Records,
) -> anyhow::Result<()> {
    let head = input.ahead();
    ensure!(
        head.contains(&b'\n') || !head.contains(&b'\r'),
        "its lines end with carriage returns alone: save it with the line ends of Windows or Unix"
    );
    let mut rows = CsvRows::new(input);
    let Some(header) = rows.next()? else {
        return Ok(());
    };
    ensure!(
        !header.is_open,
        "a quoted cell that begins on line 1 is not closed before the end of the file"
    );
    let names = header.cells.context("the header is not UTF-8")?;
    let (columns, unused) = Columns::from_header(&names, rules)?;
    let mut beginning = Beginning::new(rules);
    beginning.find(|member| columns.position(member).is_some());
    if !beginning.is_complete() {
        bail!(without_columns(beginning, &names, &mut rows, rules)?);
    }
    let missing = rules.id_from.iter().filter(|name| !names.contains(name));
    let missing: Vec<_> = missing.map(String::as_str).collect();
    ensure!(
        missing.is_empty(),
        "there is no column {} for --id-from",
        missing.join(", ")
    );
    let header_line = header.raw.strip_suffix(b"\n").unwrap_or(&header.raw);
    let header_line = header_line.strip_suffix(b"\r").unwrap_or(header_line);
    let form = Form::Table {
        header: header_line.to_owned(),
        delimiter: rows.delimiter,
        ids: IdColumn::of(&columns),
    };
    records.begin_table(form, &unused)?;
    let mut reader = cells::reader(rows.delimiter);
    while let Some(row) = rows.next()? {
        let cells = cells_of(&row, rows.delimiter, &mut reader, &columns, rules);
        records.add(RawRecord {
            line: row.line,
            text: row.raw.strip_suffix(b"\n").unwrap_or(&row.raw),
            content: cells.map(|cells| RawContent::Row {
                columns: &columns,
                cells,
            }),
        })?;
    }
    Ok(())
}

/// Says which columns are missing, and which may be they.
fn without_columns(
    mut beginning: Beginning,
    names: &[String],
    rows: &mut CsvRows<'_>,
    rules: &ImportRules,
) -> anyhow::Result<String> {
    while let Some(row) = rows.next()? {
        for (name, cell) in names.iter().zip(row.cells.iter().flatten()) {
            beginning.add(name, cell.trim(), rules);
        }
        if beginning.ends_with(&row.raw) {
            break;
        }
    }
    let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    Ok(beginning.of_table(&names.join(", "), rules))
}

/// Returns the cells of a row. `Err` is the reason why it may have others.
fn cells_of<'a>(
    row: &'a CsvRow,
    delimiter: u8,
    reader: &mut Reader,
    columns: &Columns<'_>,
    rules: &ImportRules,
) -> Result<&'a [String], Reason> {
    if row.is_open {
        return Err("a quoted cell is not closed before the end of the file".to_owned());
    }
    if !rules.multiline
        && let Some(suspicion) = quotes::suspicion(&row.raw, delimiter, reader, columns)
    {
        let [opened, line] = [suspicion.opened, suspicion.line].map(|line| row.line + line);
        return Err(format!(
            "the quoted cell that begins on line {opened} contains line {line}, which {}: a quote may be \
             missing (--multiline accepts such cells)",
            suspicion.what
        ));
    }
    row.cells
        .as_deref()
        .ok_or_else(|| "it is not UTF-8".to_owned())
}
