//! Spreadsheets (.xlsx): a sheet, or several below each other, as the CSV that a spreadsheet program would save, with
//! dates in ISO 8601, so that there is one way to read a table.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Seek, Write};
use std::ops::RangeInclusive;

use anyhow::{Context as _, bail, ensure};
use calamine::{
    Data, DataRef, ExcelDateTime, Reader as _, Sheet, SheetVisible, Xlsx, XlsxCellReader,
};
use zip::ZipArchive;

use crate::names::{is_date_name, is_known_name, is_of_another_scale, is_rating_name};
use crate::reason::listed;
use crate::rules::{ImportRules, RecordKind};
use crate::scores::rating;

/// How many columns a table may have, each of which is looked at.
pub(crate) const MAX_COLUMNS: usize = 4_000;

/// The size of a spreadsheet, whose texts are in memory, in bytes.
const MAX_SPREADSHEET: u64 = 256 << 20;

/// How many cells its rows may have in all.
const MAX_CELLS: u64 = 20_000_000;

const DAMAGED: &str = "it is a damaged spreadsheet";

type Workbook = Xlsx<BufReader<File>>;

/// Returns the sheets that options name, or else the only one that seems to have the records, as CSV.
///
/// # Errors
///
/// Fails if several may have them, if those that are named have different headers or scales, if they are too large, or
/// if the file is damaged.
pub(crate) fn table_of_sheets(file: File, rules: &ImportRules) -> anyhow::Result<File> {
    check_content(&mut ZipArchive::new(&file)?)?;
    let mut workbook = Xlsx::new(BufReader::new(file))?;
    let mut sheets = Vec::new();
    for name in wanted_sheets(workbook.sheets_metadata(), &rules.sheets)? {
        sheets.extend(SheetTable::of(&mut workbook, &name, rules.kind)?);
    }
    if rules.sheets.is_empty() {
        let kinds: [fn(&SheetTable) -> bool; 2] = [SheetTable::is_known, SheetTable::has_responses];
        for is_likely in kinds {
            if sheets.iter().any(is_likely) {
                sheets.retain(is_likely);
            }
        }
    }
    ensure!(
        !sheets.is_empty(),
        "it has no such sheet with cells; its sheets are {}",
        listed(&workbook.sheet_names())
    );
    let names: Vec<_> = sheets.iter().map(|sheet| &sheet.name).collect();
    ensure!(
        sheets.len() == 1 || !rules.sheets.is_empty(),
        "several of its sheets may be the table: {}; name one with --sheet, or all of them, if they have the same \
         columns, with --sheet '*'",
        listed(&names)
    );
    as_csv(&mut workbook, &sheets)
}

/// Returns the names of the sheets that are wanted, however their letters are written: `*` is each that is not hidden,
/// and so is no name at all.
fn wanted_sheets(sheets: &[Sheet], wanted: &[String]) -> anyhow::Result<Vec<String>> {
    let names = || sheets.iter().map(|sheet| &sheet.name);
    let visible = sheets
        .iter()
        .filter(|it| it.visible == SheetVisible::Visible);
    let visible = visible.map(|sheet| sheet.name.clone());
    if wanted.is_empty() {
        return Ok(visible.collect());
    }
    let mut found = Vec::new();
    for wanted in wanted {
        let is_it = |name: &&String| name.to_lowercase() == wanted.to_lowercase();
        match names().find(is_it) {
            Some(name) => found.push(name.clone()),
            None if wanted == "*" => found.extend(visible.clone()),
            None => bail!(
                "it has no sheet {wanted:?}; its sheets are {}",
                listed(&names().collect::<Vec<_>>())
            ),
        }
    }
    Ok(found)
}

/// Checks how much a spreadsheet unpacks to, of which what it says itself may be wrong, and that it has no number
/// that would be believed although no spreadsheet has it.
fn check_content(archive: &mut ZipArchive<&File>) -> anyhow::Result<()> {
    let mut left = MAX_SPREADSHEET;
    for at in 0..archive.len() {
        let entry = archive.by_index(at).context(DAMAGED)?;
        let mut content = BufReader::new(entry.take(left + 1));
        let mut tag = Vec::new();
        while content.read_until(b'>', &mut tag).context(DAMAGED)? > 0 {
            left = left.checked_sub(tag.len() as u64).with_context(|| {
                format!(
                    "it unpacks to more than {} MB: save its sheet as CSV",
                    MAX_SPREADSHEET >> 20
                )
            })?;
            ensure!(!has_impossible_number(&tag), DAMAGED);
            tag.clear();
        }
    }
    Ok(())
}

/// Returns whether a tag of XML has a count, or the position of cells, of more than three letters and seven digits (the
/// last cell is `XFD1048576`), or cells that end before they begin.
fn has_impossible_number(tag: &[u8]) -> bool {
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
        let cells: Vec<_> = value.split(|byte| *byte == b':').collect();
        is_number && (cells.iter().any(|cell| is_huge(cell)) || ends_before_it_begins(&cells))
    })
}

/// Returns whether the second of two cells stands above the first, or to its left.
fn ends_before_it_begins(cells: &[&[u8]]) -> bool {
    let [first, last] = *cells else { return false };
    let [(left, top), (right, bottom)] = [first, last].map(|cell| {
        let letters = cell.iter().take_while(|byte| byte.is_ascii_alphabetic());
        let (column, row) = cell.split_at(letters.count());
        // `B` stands before `AA`, and 9 before 10.
        ((column.len(), column), (row.len(), row))
    });
    right < left || bottom < top
}

/// A sheet that may be a table: where its texts are. Blank cells at its edges are none.
struct SheetTable {
    name: String,
    rows: RangeInclusive<u32>,
    columns: RangeInclusive<u32>,
    /// How many rows have cells.
    count: u64,
    /// The first row with the name of a field.
    known: Option<u32>,
    /// The texts of that row, or of the first one.
    header: Vec<String>,
    /// How many ratings it has, and the greatest.
    ratings: (usize, u8),
}

impl SheetTable {
    /// Returns where the texts of a sheet are; `None` if there are none, as on a chart.
    fn of(workbook: &mut Workbook, name: &str, kind: RecordKind) -> anyhow::Result<Option<Self>> {
        let Ok(mut cells) = workbook.worksheet_cells_reader(name) else {
            return Ok(None);
        };
        let mut found: Option<Self> = None;
        let mut ratings = BTreeMap::new();
        let mut last_row = None;
        let mut count = 0;
        while let Some(cell) = cells.next_cell()? {
            let (row, column) = cell.get_position();
            let text = text_of(cell.get_value());
            let text_without_blanks = text.trim();
            if !text.is_empty() && last_row.replace(row) != Some(row) {
                count += 1;
            }
            if text_without_blanks.is_empty() {
                continue;
            }
            let table = found.get_or_insert_with(|| Self {
                name: name.to_owned(),
                rows: row..=row,
                columns: column..=column,
                count: 0,
                known: None,
                header: Vec::new(),
                ratings: (0, 0),
            });
            table.rows = row.min(*table.rows.start())..=row.max(*table.rows.end());
            let columns = &table.columns;
            table.columns = column.min(*columns.start())..=column.max(*columns.end());
            table.count = count;
            if table.known.is_none() && is_known_name(text_without_blanks, kind) {
                table.known = Some(row);
            }
            if let Ok(rating) = rating(text_without_blanks, false) {
                let (count, greatest) = ratings.entry(column).or_insert((0, 0));
                *count += 1;
                *greatest = rating.value().max(*greatest);
            }
        }
        drop(cells);
        let Some(mut table) = found else {
            return Ok(None);
        };
        let cells = workbook.worksheet_cells_reader(name)?;
        let header = texts_of_row(cells, table.header_row())?;
        let mut columns = header.iter().filter(|(_, name)| is_rating_name(name));
        let found = columns.find_map(|(column, _)| ratings.get(column));
        table.ratings = found.copied().unwrap_or_default();
        table.header = header.into_iter().map(|(_, name)| name).collect();
        Ok(Some(table))
    }

    fn header_row(&self) -> u32 {
        self.known.unwrap_or(*self.rows.start())
    }

    /// Returns whether its name or many ratings say that they are of another scale than those for NPS.
    fn is_of_another_scale(&self) -> bool {
        const STARS: u8 = 5;
        const MANY: usize = 20;
        let (count, greatest) = self.ratings;
        is_of_another_scale(&self.name) || (count >= MANY && greatest <= STARS)
    }

    /// Returns whether one of the first rows has the name of a field.
    fn is_known(&self) -> bool {
        self.known.is_some_and(|row| row < self.rows.start() + 20)
    }

    /// Returns whether the header has ratings and dates, as that of a summary or a cover rarely has.
    fn has_responses(&self) -> bool {
        let has = |is_it: fn(&str) -> bool| self.header.iter().any(|name| is_it(name));
        has(is_rating_name) && has(is_date_name)
    }
}

/// Returns the texts of a row with their columns, without those that are blank.
fn texts_of_row(
    mut cells: XlsxCellReader<'_, impl Read + Seek>,
    wanted: u32,
) -> anyhow::Result<Vec<(u32, String)>> {
    let mut texts = Vec::new();
    while let Some(cell) = cells.next_cell()? {
        let (row, column) = cell.get_position();
        if row > wanted {
            break;
        }
        let text = text_of(cell.get_value());
        if row == wanted && !text.trim().is_empty() {
            texts.push((column, text.trim().to_owned()));
        }
    }
    Ok(texts)
}

/// Writes sheets as CSV, each below the other without what repeats the header.
fn as_csv(workbook: &mut Workbook, sheets: &[SheetTable]) -> anyhow::Result<File> {
    let mut file = tempfile::tempfile()?;
    let mut csv = BufWriter::new(&file);
    for (n, sheet) in sheets.iter().enumerate() {
        let first = sheets.first().filter(|_| n > 0);
        if let Some(first) = first {
            ensure!(
                first.header == sheet.header,
                "its sheets {:?} and {:?} have different columns: read one of them with --sheet",
                first.name,
                sheet.name
            );
            ensure!(
                first.is_of_another_scale() == sheet.is_of_another_scale(),
                "its sheets {:?} and {:?} seem to have ratings of different scales: read one of them with --sheet",
                first.name,
                sheet.name
            );
        }
        let from = first.map_or(0, |_| sheet.header_row() + 1);
        let cells = workbook.worksheet_cells_reader(&sheet.name)?;
        write_sheet(&mut csv, cells, sheet, from)?;
    }
    csv.flush()?;
    drop(csv);
    file.rewind()?;
    Ok(file)
}

/// Writes the cells of a sheet from a row on, as they come; those of the first sheet are on the lines of their numbers.
/// Fails if one is a formula without its value: a library has written it, and no spreadsheet program.
fn write_sheet(
    csv: &mut impl Write,
    mut cells: XlsxCellReader<'_, impl Read + Seek>,
    sheet: &SheetTable,
    from: u32,
) -> anyhow::Result<()> {
    let first = *sheet.columns.start();
    let width = sheet.columns.end() - first + 1;
    let size = u64::from(width) * sheet.count;
    ensure!(
        width as usize <= MAX_COLUMNS && size <= MAX_CELLS,
        "its cells reach from row {} to {}, and {width} columns wide: at most {MAX_COLUMNS} columns and {MAX_CELLS} \
         cells, blank ones included, are read; delete what stands apart from the table",
        sheet.rows.start() + 1,
        sheet.rows.end() + 1,
    );
    let mut line = from;
    let mut texts = BTreeMap::new();
    while let Some(cell) = cells.next_cell_with_formula_metadata()? {
        let (row, column) = cell.pos;
        let is_wanted = row >= from && sheet.rows.contains(&row);
        if !is_wanted || !sheet.columns.contains(&column) {
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
            write_row(csv, &mut texts, &sheet.columns)?;
            line += 1;
        }
        texts.insert(column, text_of(&cell.value));
    }
    write_row(csv, &mut texts, &sheet.columns)?;
    Ok(())
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
