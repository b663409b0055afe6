//! Reports rejected records, and writes them to the files of `--rejects`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use folder::private_file;
use indicatif::HumanCount;
use intake::Origin;

use super::counts::ImportCounts;

pub(super) struct Rejectable<'a> {
    pub(super) file: Cow<'a, str>,
    /// The line that the record begins on.
    pub(super) line: u64,
    /// Its text, and what precedes the records of its file, as a file of rejects has them; empty without
    /// `--rejects`.
    pub(super) text_and_header: [Cow<'a, [u8]>; 2],
}

/// Receives the rejected records of an import.
pub(super) struct Rejects {
    pub(super) counts: ImportCounts,
    /// Whether the text of records is written to a file.
    pub(super) have_file: bool,
    reported: Mutex<Reported>,
    /// None without `--rejects`, and once closed.
    files: Mutex<Vec<RejectsFile>>,
}

impl Rejects {
    /// Creates the file. Fails if it exists, because it may be the file that is imported.
    pub(super) fn create(counts: ImportCounts, path: Option<&Path>) -> anyhow::Result<Self> {
        let first = path.map(|path| RejectsFile::create(path.to_owned()));
        Ok(Self {
            counts,
            have_file: path.is_some(),
            reported: Mutex::default(),
            files: Mutex::new(first.transpose()?.into_iter().collect()),
        })
    }

    /// Returns what is kept of the record from this origin, in case it has to be rejected.
    pub(super) fn rejectable<'a>(&self, origin: &'a Origin) -> Rejectable<'a> {
        Rejectable {
            file: Cow::Borrowed(&origin.file),
            line: origin.line,
            text_and_header: if self.have_file {
                origin.text_and_header().map(Cow::Owned)
            } else {
                Default::default()
            },
        }
    }

    /// Rejects a record for this reason, and reports it unless enough like it are reported.
    pub(super) fn add(&self, record: &Rejectable<'_>, reason: &str) -> anyhow::Result<()> {
        let line = format!("{}:{}: {reason}", record.file, record.line);
        self.counts.reject();
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.adds(&line, reason) {
            self.counts.progress.print(&line);
        }
        drop(reported);
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(first) = files.first() else {
            return Ok(());
        };
        let [text, header] = &record.text_and_header;
        if !files.iter().any(|file| file.takes(header)) {
            let mut path = first.path.clone().into_os_string();
            path.push(format!("-{}", files.len() + 1));
            files.push(RejectsFile::create(path.into())?);
        }
        let file = files.iter_mut().find(|file| file.takes(header));
        file.map_or(Ok(()), |file| file.write(header, text))
    }

    /// Reports how many records were not reported singly. Closes the files, prints their names, and removes
    /// the first if nothing was rejected.
    pub(super) fn close(&self) {
        let reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        for line in reported.rest() {
            self.counts.progress.print(&line);
        }
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        for file in files.drain(..) {
            if let Some(summary) = file.close() {
                self.counts.progress.print(&summary);
            }
        }
    }
}

/// What was reported of rejected records.
#[derive(Default)]
struct Reported {
    /// The records of a page may all be on one line of its file, and have one reason.
    last: String,
    /// How often there was a reason, whatever its values. Its numbers are shown if they are always the same.
    reasons: BTreeMap<String, (String, u64)>,
}

impl Reported {
    /// How many records of one reason are reported.
    const MOST: u64 = 10;

    /// Returns whether this line has to be reported.
    fn adds(&mut self, line: &str, reason: &str) -> bool {
        if self.last == line {
            return false;
        }
        line.clone_into(&mut self.last);
        let unquoted = without_quoted(reason);
        let key = without_numbers(&unquoted);
        let (shown, count) = self
            .reasons
            .entry(key.clone())
            .or_insert((unquoted.clone(), 0));
        if *shown != unquoted {
            *shown = key;
        }
        *count += 1;
        *count <= Self::MOST
    }

    /// Says how many lines were not reported.
    fn rest(&self) -> impl Iterator<Item = String> {
        self.reasons.values().filter_map(|(reason, count)| {
            let more = count.checked_sub(Self::MOST).filter(|more| *more > 0)?;
            Some(format!("… and {} more: {reason}", HumanCount(more)))
        })
    }
}

/// Returns the reason with … for each text in quotes.
fn without_quoted(reason: &str) -> String {
    let without_escapes = reason.replace(r"\\", "").replace(r#"\""#, "");
    let others = without_escapes.split('"').step_by(2);
    others.collect::<Vec<_>>().join("…")
}

/// Returns the reason with … for each number.
fn without_numbers(reason: &str) -> String {
    let digit = |c: char| if c.is_ascii_digit() { '…' } else { c };
    let mut characters: Vec<_> = reason.chars().map(digit).collect();
    characters.dedup_by(|next, last| *next == '…' && *last == '…');
    characters.into_iter().collect()
}

/// A file with the text of rejected records, which can be imported once they are corrected.
struct RejectsFile {
    path: PathBuf,
    file: File,
    /// What precedes the records: the header of a table.
    header: Vec<u8>,
    records: u64,
    /// Whether a line end follows the last record. One that may be cut off has none.
    is_ended: bool,
}

impl RejectsFile {
    fn create(path: PathBuf) -> anyhow::Result<Self> {
        let created = private_file::create_new(&path);
        Ok(Self {
            file: created.with_context(|| format!("cannot create {}", path.display()))?,
            path,
            header: Vec::new(),
            records: 0,
            is_ended: true,
        })
    }

    /// Returns whether the records of the file have this header, or it has no records yet.
    fn takes(&self, header: &[u8]) -> bool {
        self.records == 0 || self.header == header
    }

    fn write(&mut self, header: &[u8], record: &[u8]) -> anyhow::Result<()> {
        let is_first = self.records == 0;
        if is_first {
            header.clone_into(&mut self.header);
        }
        let end: &[u8] = if self.is_ended { b"" } else { b"\n" };
        let header = if is_first { header } else { b"" };
        let text = [end, header, record].concat();
        self.is_ended = record.ends_with(b"\n") || record.ends_with(b"\0");
        self.records += 1;
        self.file
            .write_all(&text)
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Returns what the file has, or removes it if it has nothing.
    fn close(self) -> Option<String> {
        drop(self.file);
        if self.records == 0 {
            let _ = std::fs::remove_file(self.path);
            return None;
        }
        Some(format!(
            "{}: {} rejected",
            self.path.display(),
            self.records
        ))
    }
}
