//! Reports rejected records, and writes them to the file of `--rejects`.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;

use super::progress::Progress;
use crate::files;

/// Where a record was read.
#[derive(Clone)]
pub(super) struct Place {
    /// The name of the file.
    pub(super) file: Arc<str>,
    /// The header, if the file is a table.
    pub(super) header: Arc<[u8]>,
    /// The line that the record begins on.
    pub(super) line: u64,
}

/// Receives the rejected records of an import.
pub(super) struct Rejects {
    progress: Progress,
    /// `None` without `--rejects`, and once closed.
    file: Mutex<Option<RejectsFile>>,
}

impl Rejects {
    /// Creates the file. Fails if it exists, because it may be the file that is imported.
    pub(super) fn create(progress: Progress, path: Option<&Path>) -> anyhow::Result<Self> {
        let file = path.map(RejectsFile::create).transpose()?;
        Ok(Self {
            progress,
            file: Mutex::new(file),
        })
    }

    /// Rejects a record for this reason. `raw` is its text in the file.
    pub(super) fn add(&self, place: &Place, raw: &[u8], reason: &str) -> anyhow::Result<()> {
        let line = format!("{}:{}: {reason}", place.file, place.line);
        self.progress.reject(&line);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *file {
            Some(file) => file.write(&place.header, raw),
            None => Ok(()),
        }
    }

    /// Closes the file, and removes it if nothing was rejected.
    pub(super) fn close(&self) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = file.take() {
            file.close();
        }
    }
}

/// A file with the text of each rejected record, which can be imported once it is corrected.
struct RejectsFile {
    path: PathBuf,
    file: File,
    /// The header that was last written.
    header: Arc<[u8]>,
    is_empty: bool,
}

impl RejectsFile {
    fn create(path: &Path) -> anyhow::Result<Self> {
        let file =
            files::create_new(path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            header: Arc::default(),
            is_empty: true,
        })
    }

    fn write(&mut self, header: &Arc<[u8]>, raw: &[u8]) -> anyhow::Result<()> {
        let mut text = Vec::new();
        if *header != self.header {
            self.header = header.clone();
            text.extend_from_slice(header);
            text.push(b'\n');
        }
        text.extend_from_slice(raw);
        text.push(b'\n');
        self.is_empty = false;
        self.file
            .write_all(&text)
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn close(self) {
        drop(self.file);
        if self.is_empty {
            let _ = std::fs::remove_file(self.path);
        }
    }
}
