//! Files within zip archives: a spreadsheet, or the one table of an archive.
//!
//! A sheet is read as the CSV that a spreadsheet program would save, with dates in ISO 8601, so that there is one
//! way to read a table.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write as _};

use anyhow::{Context as _, bail, ensure};
use calamine::{Data, DataRef, ExcelDateTime, Range, Reader as _, Xlsx, XlsxCellReader};
use zip::ZipArchive;

use crate::proposals::is_known_name;
use crate::reason::listed;
use crate::rules::{ImportRules, RecordKind};

/// How an archive begins.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

/// The size of a spreadsheet, whose cells are all in memory, in bytes.
const MAX_SPREADSHEET: u64 = 256 << 20;

/// The size of a table in an archive, which is written to a temporary file, in bytes.
const MAX_TABLE: u64 = 4 << 30;

/// Returns the content of the one table in an archive, which is read to its end: it lists its files there.
///
/// # Errors
///
/// Fails if there are several, if it is too large, or if it is damaged.
pub(crate) fn table_of(archive: &mut dyn Read, rules: &ImportRules) -> anyhow::Result<File> {
    let mut spooled = tempfile::tempfile()?;
    io::copy(archive, &mut spooled).context("cannot keep it in a temporary file")?;
    let mut archive = ZipArchive::new(&spooled).context("it is a damaged zip archive")?;
    let found = archive.file_names().map(|name| Ok(name?.into_owned()));
    let names = found.collect::<Result<Vec<_>, zip::result::ZipError>>()?;
    if names.iter().any(|name| name == "xl/workbook.xml") {
        check_size(&mut archive, MAX_SPREADSHEET)?;
        return sheet_of(Xlsx::new(io::BufReader::new(spooled))?, rules);
    }
    ensure!(
        rules.sheet.is_none(),
        "--sheet names a sheet of a spreadsheet, but this is a zip archive"
    );
    let is_table = |name: &&String| {
        let is_hidden = |part: &str| part.starts_with(['.', '_']);
        !name.ends_with('/') && !name.split('/').any(is_hidden)
    };
    let tables: Vec<_> = names.iter().filter(is_table).collect();
    let [table] = *tables else {
        bail!(
            "it is a zip archive of {} files ({}): unzip it, and name one",
            tables.len(),
            listed(&tables)
        )
    };
    let mut content = tempfile::tempfile()?;
    let entry = archive.by_name(table)?;
    let copied = io::copy(&mut entry.take(MAX_TABLE + 1), &mut content);
    let length = copied.with_context(|| format!("cannot unzip {table}"))?;
    ensure!(
        length <= MAX_TABLE,
        "{table} is larger than 4 GB: unzip it before"
    );
    content.rewind()?;
    Ok(content)
}

/// Checks how much an archive unpacks to. What it says of that may be wrong.
fn check_size(archive: &mut ZipArchive<&File>, most: u64) -> anyhow::Result<()> {
    let mut left = most;
    for at in 0..archive.len() {
        let entry = archive
            .by_index(at)
            .context("it is a damaged spreadsheet")?;
        let read = io::copy(&mut entry.take(left + 1), &mut io::sink());
        let length = read.context("it is a damaged spreadsheet")?;
        left = left.checked_sub(length).with_context(|| {
            format!(
                "it unpacks to more than {} MB: save its sheet as CSV",
                most >> 20
            )
        })?;
    }
    Ok(())
}

/// Returns the sheet that options name, or else the only one with a header, as CSV.
fn sheet_of(mut workbook: Xlsx<io::BufReader<File>>, rules: &ImportRules) -> anyhow::Result<File> {
    let names = workbook.sheet_names();
    let mut sheets = Vec::new();
    for name in &names {
        let is_wanted = rules.sheet.as_ref().is_none_or(|wanted| wanted == name);
        // Charts have no cells.
        if let Ok(range) = workbook.worksheet_range(name)
            && is_wanted
            && !range.is_empty()
        {
            sheets.push((name, range));
        }
    }
    if sheets.len() > 1 {
        let with_header = |(_, range): &(&String, Range<Data>)| has_header(range, rules.kind);
        let found: Vec<_> = sheets.extract_if(.., |sheet| with_header(sheet)).collect();
        if !found.is_empty() {
            sheets = found;
        }
    }
    match &*sheets {
        [(name, range)] => {
            refuse_formulas_without_values(workbook.worksheet_cells_reader(name)?, range)?;
            as_csv(range)
        }
        [] => bail!(
            "it has no such sheet with cells; its sheets are {}",
            listed(&names)
        ),
        several => {
            let candidates: Vec<_> = several.iter().map(|(name, _)| *name).collect();
            bail!(
                "several of its sheets may be the table: {}; name one with --sheet",
                listed(&candidates)
            )
        }
    }
}

/// Fails if a cell of the table is a formula without its value: a library has written it, and no spreadsheet program.
fn refuse_formulas_without_values(
    mut cells: XlsxCellReader<'_, impl Read + Seek>,
    table: &Range<Data>,
) -> anyhow::Result<()> {
    while let Some(cell) = cells.next_cell_with_formula_metadata()? {
        let (row, column) = cell.pos;
        let is_unknown = cell.formula.is_some() && cell.value == DataRef::Empty;
        ensure!(
            !is_unknown || table.get_value(cell.pos).is_none(),
            "the formula in row {}, column {} has no value: open and save it in a spreadsheet program",
            row + 1,
            column + 1
        );
    }
    Ok(())
}

/// Returns whether one of the first rows has the name of a field.
fn has_header(range: &Range<Data>, kind: RecordKind) -> bool {
    let is_known =
        |cell: &Data| matches!(cell, Data::String(name) if is_known_name(name.trim(), kind));
    range.rows().take(20).any(|row| row.iter().any(is_known))
}

fn as_csv(range: &Range<Data>) -> anyhow::Result<File> {
    let mut file = tempfile::tempfile()?;
    let mut csv = BufWriter::new(&file);
    // Rows stand on the lines of their numbers.
    let (first, _) = range.start().unwrap_or_default();
    for _ in 0..first {
        csv.write_all(b"\n")?;
    }
    for row in range.rows() {
        for (column, cell) in row.iter().enumerate() {
            let comma = if column > 0 { "," } else { "" };
            let text = text_of(cell);
            if text.contains([',', '"', '\n', '\r']) {
                write!(csv, "{comma}\"{}\"", text.replace('"', "\"\""))?;
            } else {
                write!(csv, "{comma}{text}")?;
            }
        }
        csv.write_all(b"\n")?;
    }
    csv.flush()?;
    drop(csv);
    file.rewind()?;
    Ok(file)
}

fn text_of(cell: &Data) -> String {
    match cell {
        Data::DateTime(date) if date.is_datetime() => date_of(date),
        Data::Empty => String::new(),
        cell => cell.to_string(),
    }
}

/// Writes a date in ISO 8601, or the time alone if it has no day.
fn date_of(date: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, milli) = date.to_ymd_hms_milli();
    let time = match milli {
        0 => format!("{hour:02}:{minute:02}:{second:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}.{milli:03}"),
    };
    if date.as_f64() < 1.0 {
        return time;
    }
    format!("{year:04}-{month:02}-{day:02} {time}")
}
