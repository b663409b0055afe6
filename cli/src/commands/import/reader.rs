//! Reads files, checks their records, and gathers them in chunks.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use shared::model::{ProjectId, UserFacts};
use shared::store::NewItem;
use tokio::sync::mpsc;

use super::columns::{CellOptions, Kind};
use super::format::{self, Entry};
use super::occurrences::Occurrences;
use super::progress::Progress;
use super::record::Record;

/// Records that are written at the same time.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) records: u64,
    pub(super) responses: Vec<NewItem>,
    pub(super) users: Vec<UserFacts>,
    bytes: usize,
}

impl Chunk {
    /// Enough for the store to be busy, and little memory however large the records are.
    fn is_full(&self) -> bool {
        self.records >= 1000 || self.bytes >= 1 << 20
    }
}

/// Reads all files of an import.
pub(super) struct Reader {
    pub(super) kind: Kind,
    pub(super) project: ProjectId,
    pub(super) cells: CellOptions,
    pub(super) with_users: bool,
    pub(super) progress: Progress,
    pub(super) rejects: Option<Rejects>,
    pub(super) chunks: mpsc::Sender<Chunk>,
}

impl Reader {
    /// `Err` names the file that could not be read to its end; what stands before is imported.
    pub(super) fn read_all(mut self, files: &[PathBuf]) -> Result<(), String> {
        let outcome = files.iter().try_for_each(|path| self.read_one(path));
        if let Some(rejects) = self.rejects {
            rejects.close();
        }
        outcome
    }

    fn read_one(&mut self, path: &Path) -> Result<(), String> {
        let name = path.display().to_string();
        let in_file = |error: String| format!("{name}: {error}");
        let input = open(path, &self.progress).map_err(|error| unopened(path, &error))?;
        let (kind, cells) = (self.kind, self.cells.clone());
        let mut records = Records {
            reader: self,
            name: &name,
            chunk: Chunk::default(),
            occurrences: Occurrences::none(),
        };
        let outcome = format::read(input, kind, &cells, &mut records);
        let flushed = records.flush();
        outcome.and(flushed).map_err(in_file)
    }
}

/// Finds a mistyped name before anything is imported.
pub(super) fn check(files: &[PathBuf]) -> Result<(), String> {
    for path in files.iter().filter(|path| !is_stdin(path)) {
        File::open(path).map_err(|error| unopened(path, &error))?;
    }
    Ok(())
}

fn unopened(path: &Path, error: &std::io::Error) -> String {
    format!("{}: it cannot be opened: {error}", path.display())
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn open(path: &Path, progress: &Progress) -> std::io::Result<BufReader<Box<dyn Read>>> {
    const BUFFER: usize = 64 << 10;
    let plain: Box<dyn Read> = if is_stdin(path) {
        Box::new(std::io::stdin())
    } else {
        Box::new(progress.of_file(File::open(path)?))
    };
    let mut plain = BufReader::with_capacity(BUFFER, plain);
    let mut magic = Vec::new();
    plain.by_ref().take(2).read_to_end(&mut magic)?;
    let zipped = magic == [0x1f, 0x8b];
    let whole = std::io::Cursor::new(magic).chain(plain);
    let input: Box<dyn Read> = if zipped {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    };
    Ok(BufReader::with_capacity(BUFFER, input))
}

/// Takes the records of one file.
pub(super) struct Records<'a> {
    reader: &'a mut Reader,
    name: &'a str,
    chunk: Chunk,
    occurrences: Occurrences,
}

impl Records<'_> {
    /// The header of a table, and the names of its columns that are not imported.
    pub(super) fn header(&mut self, header: &[u8], unused: &[String]) {
        if !unused.is_empty() {
            self.reader.progress.say(&format!(
                "{}: columns that are not imported: {}",
                self.name,
                unused.join(", ")
            ));
        }
        if let Some(rejects) = &mut self.reader.rejects {
            rejects.header = header.to_vec();
        }
    }

    /// Takes a record, or says why not. `Err` ends the reading.
    pub(super) fn entry(&mut self, entry: Entry<'_>) -> Result<(), String> {
        if let Err(reason) = entry.json.and_then(|json| self.take(json)) {
            let place = format!("{}:{}", self.name, entry.line);
            self.reader.progress.reject(&format!("{place}: {reason}"));
            if let Some(rejects) = &mut self.reader.rejects {
                rejects.line(entry.raw)?;
            }
        }
        if self.chunk.is_full() {
            self.flush()?;
        }
        Ok(())
    }

    fn take(&mut self, json: &str) -> Result<(), String> {
        let project = &self.reader.project;
        let record = match self.reader.kind {
            Kind::Responses => Record::response(json, project, &mut self.occurrences)?,
            Kind::Users => Record::user(json)?,
        };
        let refused = |reason| move |invalid| format!("{reason} {invalid}");
        let item = record.response.as_ref().map(NewItem::response).transpose();
        let item = item.map_err(refused("the record"))?;
        let user = record.user.filter(|_| self.reader.with_users);
        if let Some(user) = &user {
            NewItem::user(project, user).map_err(refused("the user"))?;
        }
        self.chunk.records += 1;
        self.chunk.bytes += json.len();
        self.chunk.responses.extend(item);
        self.chunk.users.extend(user);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        let chunk = std::mem::take(&mut self.chunk);
        // The writing tells why it ended.
        self.reader
            .chunks
            .blocking_send(chunk)
            .map_err(|_| "the import broke off".to_owned())
    }
}

/// The file of rejected records.
pub(super) struct Rejects {
    path: PathBuf,
    file: File,
    /// Of the table that is read now: its rejected rows can be imported again.
    header: Vec<u8>,
    written_header: Vec<u8>,
    is_empty: bool,
}

impl Rejects {
    /// A new file: one that is there may be what is imported.
    pub(super) fn create(path: PathBuf) -> Result<Self, String> {
        let file = File::create_new(&path)
            .map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        Ok(Self {
            path,
            file,
            header: Vec::new(),
            written_header: Vec::new(),
            is_empty: true,
        })
    }

    fn line(&mut self, raw: &[u8]) -> Result<(), String> {
        let mut text = Vec::new();
        if self.header != self.written_header {
            self.written_header.clone_from(&self.header);
            text.extend_from_slice(&self.header);
            text.push(b'\n');
        }
        text.extend_from_slice(raw);
        text.push(b'\n');
        self.is_empty = false;
        self.file
            .write_all(&text)
            .map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }

    /// Removes the file when nothing was rejected.
    fn close(self) {
        drop(self.file);
        if self.is_empty {
            let _ = std::fs::remove_file(self.path);
        }
    }
}
