//! Reads tables: the header, and the rows after it.

use anyhow::{Context, bail, ensure};

use crate::columns::{Columns, quoted_names};
use crate::csv::{CsvRow, CsvRows, MissingQuotes};
use crate::field_search::FieldSearch;
use crate::input::Input;
use crate::raw_record::{Form, IdColumn, RawContent, RawRecord};
use crate::reason::Reason;
use crate::records::Records;
use crate::rules::ImportRules;

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
    let written = header.text();
    let header_line = written.strip_suffix(b"\r").unwrap_or(written).to_owned();
    let names = header.cells.context("the header is not UTF-8")?;
    let (columns, unused) = Columns::from_header(&names, rules)?;
    let mut search = FieldSearch::new(rules);
    search.find(|member| columns.position(member).is_some());
    if !search.is_complete() {
        bail!(without_columns(search, &names, &mut rows, rules)?);
    }
    let absent: Vec<_> = rules
        .id_from
        .iter()
        .filter(|name| !names.contains(name))
        .map(String::as_str)
        .collect();
    ensure!(
        absent.is_empty(),
        "there is no column {} for --id-from",
        absent.join(", ")
    );
    let form = Form::Table {
        header: header_line,
        delimiter: rows.delimiter,
        ids: IdColumn::of(&columns),
    };
    records.begin_table(form, &unused)?;
    let mut quotes = MissingQuotes::new(rows.delimiter, &columns);
    while let Some(row) = rows.next()? {
        records.add(RawRecord {
            line: row.line,
            text: row.text(),
            content: cells_of(&row, &mut quotes, rules).map(|cells| RawContent::Row {
                columns: &columns,
                cells,
            }),
        })?;
    }
    Ok(())
}

/// Says which columns are missing, and which may be they.
fn without_columns(
    mut search: FieldSearch,
    names: &[String],
    rows: &mut CsvRows<'_>,
    rules: &ImportRules,
) -> anyhow::Result<String> {
    while let Some(row) = rows.next()? {
        for (name, cell) in names.iter().zip(row.cells.iter().flatten()) {
            search.add(name, cell.trim(), rules);
        }
        if search.ends_with(&row.raw) {
            break;
        }
    }
    Ok(search.refusal_of_table(&quoted_names(names), rules))
}

/// Returns the cells of a row. `Err` is the reason why it may have others.
fn cells_of<'a>(
    row: &'a CsvRow,
    quotes: &mut MissingQuotes<'_>,
    rules: &ImportRules,
) -> Result<&'a [String], Reason> {
    if row.is_open {
        return Err("a quoted cell is not closed before the end of the file".to_owned());
    }
    if !rules.multiline
        && let Some(suspicion) = quotes.suspicion(&row.raw)
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
