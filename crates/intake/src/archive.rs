//! Files within zip archives: a spreadsheet, or the one table of an archive.
//!
//! A sheet is read as the CSV that a spreadsheet program would save, with dates in ISO 8601, so that there is one
//! way to read a table.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufWriter, Read, Seek, Write};
use std::ops::RangeInclusive;

use anyhow::{Context as _, bail, ensure};
use calamine::{Data, DataRef, ExcelDateTime, Reader as _, Xlsx, XlsxCellReader};
use zip::ZipArchive;

use crate::columns::MAX_COLUMNS;
use crate::proposals::is_known_name;
use crate::reason::listed;
use crate::rules::{ImportRules, RecordKind};

/// How an archive begins.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

/// The size of a spreadsheet, whose texts are in memory, in bytes.
const MAX_SPREADSHEET: u64 = 256 << 20;

/// How many cells its rows may have in all.
const MAX_CELLS: u64 = 20_000_000;

const DAMAGED: &str = "it is a damaged spreadsheet";

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
        check_content(&mut archive)?;
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

/// Checks how much a spreadsheet unpacks to, of which what it says itself may be wrong, and that it has no number
/// that would be believed although no spreadsheet has it.
fn check_content(archive: &mut ZipArchive<&File>) -> anyhow::Result<()> {
    let mut left = MAX_SPREADSHEET;
    for at in 0..archive.len() {
        let entry = archive.by_index(at).context(DAMAGED)?;
        let mut content = io::BufReader::new(entry.take(left + 1));
        let mut tag = Vec::new();
        while content.read_until(b'>', &mut tag).context(DAMAGED)? > 0 {
            left = left.checked_sub(tag.len() as u64).with_context(|| {
                format!(
                    "it unpacks to more than {} MB: save its sheet as CSV",
                    MAX_SPREADSHEET >> 20
                )
            })?;
            ensure!(!has_huge_number(&tag), DAMAGED);
            tag.clear();
        }
    }
    Ok(())
}

/// Returns whether a tag of XML has a count, or the position of cells, of more than three letters and seven digits:
/// the last cell is `XFD1048576`.
fn has_huge_number(tag: &[u8]) -> bool {
    const NUMBERS: [&[u8]; 4] = [b"r", b"ref", b"si", b"uniqueCount"];
    let is_huge = |number: &[u8]| {
        let letters = number.iter().filter(|byte| byte.is_ascii_alphabetic());
        letters.clone().count() > 3 || number.len() - letters.count() > 7
    };
    let parts: Vec<_> = tag.split(|byte| b"\"'".contains(byte)).collect();
    parts.array_windows().any(|[before, value]| {
        let name = before.trim_ascii().strip_suffix(b"=").unwrap_or_default();
        let mut words = name.trim_ascii().rsplit(u8::is_ascii_whitespace);
        let is_number = words.next().is_some_and(|name| NUMBERS.contains(&name));
        is_number && value.split(|byte| *byte == b':').any(is_huge)
    })
}

/// Returns the sheet that options name, or else the only one with a header, as CSV.
fn sheet_of(mut workbook: Xlsx<io::BufReader<File>>, rules: &ImportRules) -> anyhow::Result<File> {
    let names = workbook.sheet_names();
    let mut sheets = Vec::new();
    for name in &names {
        let is_wanted = rules.sheet.as_ref().is_none_or(|wanted| wanted == name);
        // Charts have no cells.
        if is_wanted
            && let Ok(cells) = workbook.worksheet_cells_reader(name)
            && let Ok(Some(extent)) = Extent::of(cells, rules.kind)
        {
            sheets.push((name, extent));
        }
    }
    if sheets.len() > 1 && sheets.iter().any(|(_, extent)| extent.has_header()) {
        sheets.retain(|(_, extent)| extent.has_header());
    }
    match &*sheets {
        [(name, extent)] => as_csv(workbook.worksheet_cells_reader(name)?, extent),
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

/// Where the texts of a sheet are. Blank cells at its edges are none.
struct Extent {
    rows: RangeInclusive<u32>,
    columns: RangeInclusive<u32>,
    /// How many rows have cells.
    count: u64,
    /// The first row with the name of a field.
    known: Option<u32>,
}

impl Extent {
    fn of(
        mut cells: XlsxCellReader<'_, impl Read + Seek>,
        kind: RecordKind,
    ) -> anyhow::Result<Option<Self>> {
        let mut found: Option<Self> = None;
        let mut last_row = None;
        let mut count = 0;
        while let Some(cell) = cells.next_cell()? {
            let (row, column) = cell.get_position();
            let text = text_of(cell.get_value());
            let name = text.trim();
            if !text.is_empty() && last_row.replace(row) != Some(row) {
                count += 1;
            }
            if name.is_empty() {
                continue;
            }
            let extent = found.get_or_insert(Self {
                rows: row..=row,
                columns: column..=column,
                count: 0,
                known: None,
            });
            extent.rows = row.min(*extent.rows.start())..=row.max(*extent.rows.end());
            let columns = &extent.columns;
            extent.columns = column.min(*columns.start())..=column.max(*columns.end());
            extent.count = count;
            if extent.known.is_none() && is_known_name(name, kind) {
                extent.known = Some(row);
            }
        }
        Ok(found)
    }

    /// Returns whether one of the first rows has the name of a field.
    fn has_header(&self) -> bool {
        self.known.is_some_and(|row| row < self.rows.start() + 20)
    }
}

/// Writes the cells of a sheet as they come, its rows on the lines of their numbers. Fails if one is a formula without
/// its value: a library has written it, and no spreadsheet program.
fn as_csv(
    mut cells: XlsxCellReader<'_, impl Read + Seek>,
    extent: &Extent,
) -> anyhow::Result<File> {
    let first = *extent.columns.start();
    let width = extent.columns.end() - first + 1;
    let size = u64::from(width) * extent.count;
    ensure!(
        width as usize <= MAX_COLUMNS && size <= MAX_CELLS,
        "its cells reach from row {} to {}, and {width} columns wide: at most {MAX_COLUMNS} columns and {MAX_CELLS} \
         cells, blank ones included, are read; delete what stands apart from the table",
        extent.rows.start() + 1,
        extent.rows.end() + 1,
    );
    let mut file = tempfile::tempfile()?;
    let mut csv = BufWriter::new(&file);
    let mut line = 0;
    let mut texts = BTreeMap::new();
    while let Some(cell) = cells.next_cell_with_formula_metadata()? {
        let (row, column) = cell.pos;
        if !extent.rows.contains(&row) || !extent.columns.contains(&column) {
            continue;
        }
        let [number, place] = [row, column].map(|at| at + 1);
        ensure!(
            cell.formula.is_none() || cell.value != DataRef::Empty,
            "the formula in row {number}, column {place} has no value: open and save it in a spreadsheet program"
        );
        ensure!(
            row >= line,
            "row {number} is behind a later one: open and save it in a spreadsheet program"
        );
        while line < row {
            write_row(&mut csv, &mut texts, &extent.columns)?;
            line += 1;
        }
        texts.insert(column, text_of(&cell.value));
    }
    write_row(&mut csv, &mut texts, &extent.columns)?;
    csv.flush()?;
    drop(csv);
    file.rewind()?;
    Ok(file)
}

/// Writes a row of these texts, which it takes; one without any is an empty line.
fn write_row(
    csv: &mut impl Write,
    texts: &mut BTreeMap<u32, String>,
    columns: &RangeInclusive<u32>,
) -> io::Result<()> {
    let texts = std::mem::take(texts);
    for column in columns.clone().take_while(|_| !texts.is_empty()) {
        let comma = if column > *columns.start() { "," } else { "" };
        let text = texts.get(&column).map_or("", |text| text);
        if text.contains([',', '"', '\n', '\r']) {
            write!(csv, "{comma}\"{}\"", text.replace('"', "\"\""))?;
        } else {
            write!(csv, "{comma}{text}")?;
        }
    }
    csv.write_all(b"\n")
}

fn text_of(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::DateTime(date) if date.is_datetime() => date_of(date),
        cell => Data::from(cell.clone()).to_string(),
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
