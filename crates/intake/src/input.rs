//! The content of a file, up to where it can be read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

/// The first bytes of gzipped data.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

const BUFFER: usize = 64 << 10;

/// The largest record in bytes. DynamoDB could not store a larger one.
pub(crate) const MAX_RECORD: usize = 16 << 20;

pub(crate) fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

/// The content of a file or of standard input, unzipped. An error ends it, so that what was read
/// before is imported.
pub(crate) struct Input {
    reader: Box<dyn Read>,
    buffer: Vec<u8>,
    /// How much of the buffer was consumed.
    consumed: usize,
    /// Whether nothing follows what is in the buffer.
    is_last: bool,
    failure: Option<io::Error>,
}

impl Input {
    /// Opens a file, and reads its beginning. `watch` sees how it is read.
    pub(crate) fn open(path: &Path, watch: impl Fn(File) -> Box<dyn Read>) -> io::Result<Self> {
        Self::new(if is_stdin(path) {
            Box::new(io::stdin())
        } else {
            watch(File::open(path)?)
        })
    }

    fn new(plain: Box<dyn Read>) -> io::Result<Self> {
        let mut plain = BufReader::with_capacity(BUFFER, plain);
        let mut start = Vec::new();
        plain.by_ref().take(2).read_to_end(&mut start)?;
        let is_zipped = start == MAGIC;
        let whole = Cursor::new(start).chain(plain);
        let mut reader: Box<dyn Read> = if is_zipped {
            Box::new(MultiGzDecoder::new(whole))
        } else {
            Box::new(whole)
        };
        let mut buffer = Vec::new();
        let mut beginning = reader.by_ref().take(1 << 20);
        let failure = beginning.read_to_end(&mut buffer).err();
        let is_last = beginning.limit() > 0;
        Ok(Self {
            reader,
            buffer,
            consumed: 0,
            is_last,
            failure,
        })
    }

    /// Returns what was read but not consumed. Unless the input is shorter, that is a megabyte at first.
    pub(crate) fn ahead(&self) -> &[u8] {
        self.buffer.get(self.consumed..).unwrap_or_default()
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
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.ahead().is_empty() && !self.is_last {
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

/// Returns whether the path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

#[cfg(test)]
impl Input {
    pub(crate) fn of(content: Vec<u8>) -> Self {
        Self::new(Box::new(Cursor::new(content))).unwrap()
    }
}
