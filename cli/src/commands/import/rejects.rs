//! The file of rejected records.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// A file with the text of each rejected record, which can be imported once it is corrected.
pub(super) struct Rejects {
    path: PathBuf,
    file: File,
    /// The header of the current table.
    header: Vec<u8>,
    /// The header that was last written.
    written_header: Vec<u8>,
    is_empty: bool,
}

impl Rejects {
    /// Creates the file. Fails if it exists, because it may be the file that is imported.
    pub(super) fn create(path: &Path) -> anyhow::Result<Self> {
        let file =
            File::create_new(path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            header: Vec::new(),
            written_header: Vec::new(),
            is_empty: true,
        })
    }

    /// Begins a table with this header, which precedes its first rejected row.
    pub(super) fn begin_table(&mut self, header: &[u8]) {
        self.header = header.to_vec();
    }

    pub(super) fn write(&mut self, raw: &[u8]) -> anyhow::Result<()> {
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
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Closes the file, and removes it if nothing was rejected.
    pub(super) fn close(self) {
        drop(self.file);
        if self.is_empty {
            let _ = std::fs::remove_file(self.path);
        }
    }
}
