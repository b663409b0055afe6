//! The content of a file, up to where it can be read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use anyhow::Context as _;
use encoding_rs::Decoder;
use flate2::bufread::MultiGzDecoder;

use crate::archive::{self, MAGIC};
use crate::encoding::FileEncoding;
use crate::rules::ImportRules;

/// The first bytes of gzipped data.
const GZIP: [u8; 2] = [0x1f, 0x8b];

const BUFFER: usize = 64 << 10;

/// The beginning of a file, which is looked at before a record of it is read, in bytes.
pub(crate) const HEAD: u64 = 1 << 20;

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
pub(crate) fn read_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
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
            return Ok(Self::new(Box::new(archive::table_of(&mut whole, rules)?))?);
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
