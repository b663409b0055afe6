//! Files: their content, unzipped, decoded, and up to where it can be read, with its first megabyte in memory.
//!
//! A sheet of a spreadsheet is read as the CSV that a spreadsheet program would save, with dates in ISO 8601, so that
//! there is one way to read a table.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, ErrorKind, Read, Seek, Write};
use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use calamine::{Data, DataRef, ExcelDateTime, Reader as _, Xlsx, XlsxCellReader};
use encoding_rs::Decoder;
use flate2::bufread::MultiGzDecoder;
use zip::ZipArchive;

use crate::encoding::FileEncoding;
use crate::names::is_known_name;
use crate::reason::listed;
use crate::rules::{ImportRules, RecordKind};

/// The first bytes of gzipped data.
const GZIP: [u8; 2] = [0x1f, 0x8b];

const BUFFER: usize = 64 << 10;

/// The beginning of a file, which is looked at before a record of it is read, in bytes.
const HEAD: u64 = 1 << 20;

/// The largest record in bytes. DynamoDB could not store a larger one.
pub(crate) const MAX_RECORD: usize = 16 << 20;

/// Counts the line ends: `\n`, `\r\n`, and `\r` alone.
pub(crate) fn count_lines(bytes: &[u8]) -> u64 {
    let mut count = 0;
    let mut last = 0;
    for &byte in bytes {
        count += u64::from(byte == b'\r' || (byte == b'\n' && last != b'\r'));
        last = byte;
    }
    count
}

/// Appends a line with its end, of which no more is read once it is longer than a record may be. Returns whether
/// it has an end.
pub(crate) fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    loop {
        let available = input.fill_buf()?;
        let end = available
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'));
        let length = end.map_or(available.len(), |end| end + 1);
        let (part, _) = available.split_at(length);
        line.extend_from_slice(part);
        input.consume(length);
        if end.is_some() {
            if line.ends_with(b"\r") && input.fill_buf()?.first() == Some(&b'\n') {
                input.consume(1);
                line.push(b'\n');
            }
            return Ok(true);
        }
        if length == 0 || line.len() > MAX_RECORD {
            return Ok(false);
        }
    }
}

/// The content of a file or of standard input, unzipped. An error ends it, so that what was read
/// before is imported.
pub(crate) struct Input {
    reader: Box<dyn Read>,
    /// What decodes the bytes, unless they are UTF-8.
    decoder: Option<Decoder>,
    buffer: Vec<u8>,
    /// How much of the buffer was consumed.
    consumed: usize,
    /// Whether nothing follows what is in the buffer.
    is_last: bool,
    failure: Option<io::Error>,
}

impl Input {
    /// Opens a file, and reads its beginning. `watch` sees how it is read. Of an archive, the content is that of the
    /// one table within.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened, or is an archive without one table.
    pub(crate) fn open(
        path: &Path,
        watch: impl Fn(File) -> Box<dyn Read>,
        rules: &ImportRules,
    ) -> anyhow::Result<Self> {
        let plain: Box<dyn Read> = if is_stdin(path) {
            Box::new(io::stdin())
        } else {
            watch(File::open(path).context("cannot open it")?)
        };
        let (is_archive, mut whole) = begins_with(plain, MAGIC)?;
        if is_archive {
            return Ok(Self::new(Box::new(table_of(&mut whole, rules)?))?);
        }
        Self::new(Box::new(whole)).context("cannot read it to its end")
    }

    /// Reads a content that is in memory.
    pub(crate) fn of(content: Vec<u8>) -> io::Result<Self> {
        Self::new(Box::new(Cursor::new(content)))
    }

    fn new(plain: Box<dyn Read>) -> io::Result<Self> {
        let (is_zipped, whole) = begins_with(plain, &GZIP)?;
        let mut reader: Box<dyn Read> = if is_zipped {
            Box::new(MultiGzDecoder::new(whole))
        } else {
            Box::new(whole)
        };
        let mut buffer = Vec::new();
        let mut beginning = reader.by_ref().take(HEAD);
        let failure = beginning.read_to_end(&mut buffer).err();
        if buffer.is_empty()
            && let Some(failure) = failure
        {
            return Err(failure);
        }
        let is_last = beginning.limit() > 0;
        Ok(Self {
            reader,
            decoder: None,
            buffer,
            consumed: 0,
            is_last,
            failure,
        })
    }

    /// Returns what was read but not consumed. Unless the input is shorter, that is its head at first.
    pub(crate) fn ahead(&self) -> &[u8] {
        self.buffer.get(self.consumed..).unwrap_or_default()
    }

    /// Returns whether nothing follows what was read.
    pub(crate) fn is_last(&self) -> bool {
        self.is_last
    }

    /// Decodes what was read but not consumed, and everything after it.
    pub(crate) fn decode(&mut self, encoding: FileEncoding) {
        if !encoding.is_utf_8() {
            self.buffer.drain(..self.consumed);
            self.consumed = 0;
            self.decoder = Some(encoding.decoder());
            self.decode_buffer();
        }
    }

    fn decode_buffer(&mut self) {
        let Some(decoder) = &mut self.decoder else {
            return;
        };
        let longest = decoder.max_utf8_buffer_length(self.buffer.len());
        let mut text = String::with_capacity(longest.unwrap_or_default());
        let (_, read, _) = decoder.decode_to_string(&self.buffer, &mut text, self.is_last);
        debug_assert_eq!(read, self.buffer.len());
        self.buffer = text.into_bytes();
    }

    /// Returns whether the content may be cut off where it ends.
    pub(crate) fn is_cut(&self) -> bool {
        self.failure.is_some()
    }

    /// Returns the error that ended the content, if one did.
    pub(crate) fn into_result(self) -> io::Result<()> {
        self.failure.map_or(Ok(()), Err)
    }

    /// Reads what there is, without waiting for more.
    fn fill(&mut self) {
        self.buffer.resize(BUFFER, 0);
        let read = loop {
            match self.reader.read(&mut self.buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let length = *read.as_ref().unwrap_or(&0);
        self.buffer.truncate(length);
        self.consumed = 0;
        self.is_last = length == 0;
        self.failure = read.err();
        self.decode_buffer();
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // Bytes may be less than a character of their encoding.
        while self.ahead().is_empty() && !self.is_last {
            self.fill();
        }
        Ok(self.ahead())
    }

    fn consume(&mut self, length: usize) {
        self.consumed += length;
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

/// Returns whether a content begins with these bytes, and all of it. A pipe may give fewer of them at once.
fn begins_with(content: Box<dyn Read>, bytes: &[u8]) -> io::Result<(bool, impl BufRead)> {
    let mut content = BufReader::with_capacity(BUFFER, content);
    let mut start = Vec::new();
    content
        .by_ref()
        .take(bytes.len() as u64)
        .read_to_end(&mut start)?;
    Ok((start == bytes, Cursor::new(start).chain(content)))
}

/// Returns whether the path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses what is known to be neither JSON nor a table of text.
pub(crate) fn check_text(head: &[u8]) -> anyhow::Result<()> {
    let kinds: [(&[u8], &str); 5] = [
        (
            b"PAR1",
            "it is Parquet: duckdb -csv -c \"SELECT * FROM 'FILE'\" writes it as CSV",
        ),
        (b"%PDF", "it is a PDF document: export the records as CSV"),
        (
            b"SQLite format 3\0",
            "it is a SQLite database: sqlite3 -csv -header FILE 'SELECT …' writes a table as CSV",
        ),
        (
            b"\xd0\xcf\x11\xe0",
            "it is an old spreadsheet: save it as .xlsx or CSV",
        ),
        (
            b"<",
            "it is HTML or XML, as of a page that asks to log in: export the records as CSV or JSON",
        ),
    ];
    let start = head.trim_ascii_start();
    let found = kinds.iter().find(|(magic, _)| start.starts_with(magic));
    found.map_or(Ok(()), |(_, reason)| bail!(*reason))
}

/// How many columns a table may have, each of which is looked at.
pub(crate) const MAX_COLUMNS: usize = 4_000;

/// How an archive begins.
const MAGIC: &[u8] = b"PK\x03\x04";

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
fn table_of(archive: &mut dyn Read, rules: &ImportRules) -> anyhow::Result<File> {
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
