//! Sends the records that are read to the writer, in chunks.

use std::sync::Arc;

use anyhow::anyhow;
use intake::{Origin, Reason, Receiver, Record};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::chunk::{Chunk, ChunkLimits};
use super::rejects::Rejects;

/// Receives records, and sends them in chunks.
pub(super) struct Sender {
    pub(super) rejects: Arc<Rejects>,
    pub(super) chunks: mpsc::Sender<Chunk>,
    pub(super) chunk: Chunk,
    pub(super) limits: ChunkLimits,
}

impl Sender {
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

impl Receiver for Sender {
    fn record(&mut self, mut origin: Origin, record: Record) -> anyhow::Result<()> {
        let bytes = origin.raw.len();
        if !self.rejects.have_file {
            // Nothing writes it.
            origin.raw = Vec::new();
        }
        self.chunk.add(origin, bytes, record);
        let Chunk { records, bytes, .. } = &self.chunk;
        if self.limits.are_reached(records.len(), *bytes) {
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
