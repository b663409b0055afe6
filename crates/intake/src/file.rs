//! Files: their content, unzipped, decoded, and up to where it can be read, with its first megabyte in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Seek as _};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use encoding_rs::Decoder;
use flate2::bufread::MultiGzDecoder;
use zip::ZipArchive;

use crate::encoding::FileEncoding;
use crate::reason::listed;
use crate::rules::ImportRules;
use crate::workbook::table_of_sheets;

/// The first bytes of gzipped data.
const GZIP: [u8; 2] = [0x1f, 0x8b];

const BUFFER: usize = 64 << 10;

const CUT: &str = "cannot read it to its end";

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
        let unzipped = gunzipped(plain)?;
        let (is_archive, mut whole) = begins_with(unzipped, MAGIC).context(CUT)?;
        if is_archive {
            let table = table_of(spooled(&mut whole)?, rules)?;
            return Ok(Self::new(gunzipped(Box::new(table))?)?);
        }
        Self::new(Box::new(whole)).context(CUT)
    }

    /// Reads a content that is in memory.
    pub(crate) fn of(content: Vec<u8>) -> io::Result<Self> {
        Self::new(Box::new(Cursor::new(content)))
    }

    fn new(mut reader: Box<dyn Read>) -> io::Result<Self> {
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

/// Returns a content as it was before it was gzipped, if it was.
fn gunzipped(content: Box<dyn Read>) -> io::Result<Box<dyn Read>> {
    let (is_zipped, whole) = begins_with(content, &GZIP)?;
    Ok(if is_zipped {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    })
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

/// Refuses what is known to be neither JSON nor a table of text. `file` is its name, as an argument of a shell.
pub(crate) fn check_text(head: &[u8], file: &str) -> anyhow::Result<()> {
    const OF_STATISTICS: &str = "save it there as CSV, or convert it with pandas";
    const PACKED: &str = "unpack it, or gzip it instead";
    let kinds: [(&[u8], &str, &str); 13] = [
        (
            b"PAR1",
            "Parquet",
            "duckdb -csv -c \"SELECT * FROM 'FILE'\" writes it as CSV",
        ),
        (b"FEA1", "Feather", OF_STATISTICS),
        (b"ARROW1", "Feather", OF_STATISTICS),
        (b"%PDF", "a PDF document", "export the records as CSV"),
        (
            b"SQLite format 3\0",
            "a SQLite database",
            "sqlite3 -csv -header FILE 'SELECT …' writes a table as CSV",
        ),
        (
            b"\xd0\xcf\x11\xe0",
            "an old spreadsheet",
            "save it as .xlsx or CSV",
        ),
        (b"$FL2", "a file of SPSS", OF_STATISTICS),
        (b"$FL3", "a file of SPSS", OF_STATISTICS),
        (b"<stata_dta>", "a file of Stata", OF_STATISTICS),
        (b"BZh", "packed with bzip2", PACKED),
        (b"\xfd7zXZ", "packed with xz", PACKED),
        (b"\x28\xb5\x2f\xfd", "packed with zstd", PACKED),
        (b"7z\xbc\xaf", "packed with 7-Zip", PACKED),
    ];
    let start = head.trim_ascii_start();
    let found = kinds.iter().find(|(magic, ..)| start.starts_with(magic));
    if let Some((_, kind, advice)) = found {
        bail!("it is {kind}: {}", advice.replace("FILE", file));
    }
    if start.starts_with(b"<") {
        let text = start.to_ascii_lowercase();
        let has = |tag: &[u8]| text.windows(tag.len()).any(|part| part == tag);
        ensure!(
            !has(b"<table") && !has(b"<workbook"),
            "it is a table in HTML or XML, which some services name .xls: open it in a spreadsheet program, and save it \
             as .xlsx or CSV"
        );
        bail!(
            "it is HTML or XML, as of a page that asks to log in: export the records as CSV or JSON"
        );
    }
    Ok(())
}

/// How an archive begins.
const MAGIC: &[u8] = b"PK\x03\x04";

/// What a spreadsheet has among its files.
const WORKBOOK: &str = "xl/workbook.xml";

/// The size of a table in an archive, which is written to a temporary file, in bytes.
const MAX_TABLE: u64 = 4 << 30;

/// Keeps an archive in a temporary file, because it lists its files at its end.
fn spooled(archive: &mut dyn Read) -> anyhow::Result<File> {
    let mut spooled = tempfile::tempfile()?;
    io::copy(archive, &mut spooled).context("cannot keep it in a temporary file")?;
    Ok(spooled)
}

/// Returns the content of the one table in an archive: a sheet, or a file, which may be a spreadsheet.
///
/// # Errors
///
/// Fails if there are several, if it is too large, or if it is damaged.
fn table_of(file: File, rules: &ImportRules) -> anyhow::Result<File> {
    let names = names_in(&file)?;
    let has = |file: &str| names.iter().any(|name| name == file);
    if has(WORKBOOK) {
        return table_of_sheets(file, rules);
    }
    ensure!(
        !has("content.xml"),
        "it is a spreadsheet of another kind (.ods): save it as .xlsx or CSV"
    );
    let mut table = only_file_of(&file, &names)?;
    let mut magic = Vec::new();
    table.by_ref().take(4).read_to_end(&mut magic)?;
    table.rewind()?;
    if magic == MAGIC {
        ensure!(
            names_in(&table)?.iter().any(|name| name == WORKBOOK),
            "it is a zip archive within another one: unzip it before"
        );
        return table_of_sheets(table, rules);
    }
    ensure!(
        rules.sheets.is_empty(),
        "--sheet names a sheet of a spreadsheet, but this is a zip archive"
    );
    Ok(table)
}

fn names_in(archive: &File) -> anyhow::Result<Vec<String>> {
    let archive = ZipArchive::new(archive).context("it is a damaged zip archive")?;
    let names = archive.file_names().map(|name| Ok(name?.into_owned()));
    names.collect()
}

/// Unzips the one file of an archive that is not hidden.
fn only_file_of(archive: &File, names: &[String]) -> anyhow::Result<File> {
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
    let mut archive = ZipArchive::new(archive)?;
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
