//! How an import runs: a thread reads and checks records, and they are written in chunks meanwhile. It
//! stands above `intake`, which knows no store, and `tables`, which prints nothing.

mod chunks;
mod counts;
mod pending_users;
mod rejects;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use intake::{IdComparison, ImportRules, Records, Report, read_all};
use tables::Tables;
use tokio::sync::mpsc;

use chunks::{Chunk, ChunkLimits, ChunkSender};
use counts::ImportCounts;
use pending_users::PendingUsers;
use rejects::Rejects;
use writer::{ImportWriter, Written};

/// What an import reads, and where it writes beside the store.
pub(crate) struct Import {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) rules: ImportRules,
    pub(crate) rejects: Option<PathBuf>,
    pub(crate) comparison: IdComparison,
    /// A folder with room for what memory cannot hold.
    pub(crate) temporary: PathBuf,
}

/// An import that has ended, and what it did.
pub(crate) struct FinishedImport {
    pub(crate) accepted: u64,
    pub(crate) rejected: u64,
    /// Whether all files were read to their end.
    pub(crate) read: anyhow::Result<()>,
    pub(crate) report: Report,
    pub(crate) written: Written,
}

impl FinishedImport {
    /// Returns whether anything was imported. A file that is refused at once is not even counted.
    pub(crate) fn is_any(&self) -> bool {
        self.read.is_ok() || self.accepted > 0
    }
}

impl Import {
    /// Imports the files, and reports progress and rejected records on standard error; without a store,
    /// checks and counts the records. Fails if one could not be written.
    pub(crate) async fn run(&self, store: Option<&Tables>) -> anyhow::Result<FinishedImport> {
        let counts = ImportCounts::new(&self.files);
        let rejects = Arc::new(Rejects::create(counts, self.rejects.as_deref())?);
        let finished = self.read_and_write(store, &rejects).await;
        rejects.counts.progress.finish();
        finished
    }

    async fn read_and_write(
        &self,
        store: Option<&Tables>,
        rejects: &Arc<Rejects>,
    ) -> anyhow::Result<FinishedImport> {
        let counts = &rejects.counts;
        let (chunks, mut arriving) = mpsc::channel::<Chunk>(1);
        let sender = ChunkSender {
            rejects: rejects.clone(),
            chunks,
            chunk: Chunk::default(),
        };
        let files = self.files.clone();
        let rules = self.rules.clone();
        let progress = counts.progress.clone();
        let comparison = self.comparison;
        let reading = tokio::task::spawn_blocking(move || {
            let records = Records::new(rules, Box::new(sender), comparison);
            read_all(&files, |file| Box::new(progress.track(file)), records)
        });
        let written = match store {
            None => {
                while let Some(chunk) = arriving.recv().await {
                    counts.advance(chunk.records.len());
                }
                Ok(Written::default())
            }
            Some(store) => {
                let writer = ImportWriter {
                    kind: self.rules.kind,
                    store,
                    rejects,
                    users: PendingUsers::new(self.temporary.clone(), ChunkLimits::OF_A_TRANSACTION),
                    written: Written::default(),
                };
                writer.write(arriving).await
            }
        };
        let finished = match written {
            Ok(written) => reading
                .await
                .context("the reader failed")
                .map(|(report, read)| (written, report, read)),
            // Nobody waits for the reader, which may be waiting for standard input.
            Err(error) => Err(error),
        };
        rejects.close();
        let (written, report, read) = finished?;
        for note in &report.notes {
            counts.progress.print(note);
        }
        Ok(FinishedImport {
            accepted: counts.accepted(),
            rejected: counts.rejected(),
            read,
            report,
            written,
        })
    }
}
