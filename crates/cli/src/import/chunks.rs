//! The records that are read go to the writer in chunks, which are written together.

use std::sync::Arc;

use anyhow::anyhow;
use intake::{Origin, Reason, Receiver, Record};
use items::EncodedItem;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::rejects::Rejects;

/// Receives records, and sends them in chunks.
pub(super) struct ChunkSender {
    pub(super) rejects: Arc<Rejects>,
    pub(super) chunks: mpsc::Sender<Chunk>,
    pub(super) chunk: Chunk,
}

impl ChunkSender {
    fn send(&mut self) -> anyhow::Result<()> {
        let chunk = std::mem::take(&mut self.chunk);
        // The writer reports why it ended.
        let sent = self.chunks.blocking_send(chunk);
        sent.map_err(|_| anyhow!("the import ended"))?;
        // Waits until the writer takes it. So there are only two chunks: one is written, and one is read.
        let taken = Handle::current().block_on(self.chunks.reserve());
        taken.map(drop).map_err(|_| anyhow!("the import ended"))
    }
}

impl Receiver for ChunkSender {
    fn record(&mut self, mut origin: Origin, record: Record) -> anyhow::Result<()> {
        let chunk = &mut self.chunk;
        let position = chunk.records.len();
        let with_position = |item| (position, item);
        chunk.responses.extend(record.response.map(with_position));
        chunk.users.extend(record.user.map(with_position));
        chunk.bytes += origin.raw.len();
        if !self.rejects.have_file {
            // Nothing writes it.
            origin.raw = Vec::new();
        }
        chunk.records.push(origin);
        if ChunkLimits::OF_A_TRANSACTION.are_reached(chunk.records.len(), chunk.bytes) {
            self.send()?;
        }
        Ok(())
    }

    fn rejected(&mut self, origin: &Origin, reason: &Reason) -> anyhow::Result<()> {
        self.rejects.add(&self.rejects.rejectable(origin), reason)
    }

    fn note(&mut self, line: &str) {
        self.rejects.counts.progress.print(line);
    }

    fn end_of_file(&mut self) -> anyhow::Result<()> {
        self.send()
    }
}

/// The records of a chunk, and what they say.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) records: Vec<Origin>,
    /// With the positions of their records.
    pub(super) responses: Vec<(usize, EncodedItem)>,
    /// With the positions of their records.
    pub(super) users: Vec<(usize, EncodedItem)>,
    /// The bytes of the records in their files.
    pub(super) bytes: usize,
}

/// How much is written together. A chunk takes little memory, however large its records are.
#[derive(Clone, Copy)]
pub(super) struct ChunkLimits {
    records: usize,
    bytes: usize,
}

impl ChunkLimits {
    /// For a transaction of a data folder, which writes a page of the database once, however many of its items change.
    pub(super) const OF_A_TRANSACTION: Self = Self::of(4_000, 4 << 20);

    pub(super) const fn of(records: usize, bytes: usize) -> Self {
        Self { records, bytes }
    }

    /// Returns whether so many records of so many bytes are enough.
    pub(super) fn are_reached(&self, records: usize, bytes: usize) -> bool {
        records >= self.records || bytes >= self.bytes
    }
}
