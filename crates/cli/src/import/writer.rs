//! Writes the records that arrive.

use anyhow::Context;
use intake::RecordKind;
use items::Table;
use tables::{Imported, Tables};
use tokio::sync::mpsc;

use super::chunks::Chunk;
use super::counts::ImportCounts;
use super::pending_users::PendingUsers;
use super::rejects::{Rejectable, Rejects};

/// How an import writes, and what it has written.
pub(super) struct ImportWriter<'a> {
    pub(super) kind: RecordKind,
    pub(super) store: &'a Tables,
    pub(super) counts: &'a ImportCounts,
    pub(super) rejects: &'a Rejects,
    pub(super) users: PendingUsers,
    /// What became of the records of this kind.
    pub(super) imported: Imported,
}

impl ImportWriter<'_> {
    /// Writes the chunks one after the other, so that later records of a file are merged with earlier ones,
    /// and users once there are many. Counts the records of this kind, and rejects those that have become
    /// too large. Returns what became of them.
    pub(super) async fn write(
        mut self,
        mut arriving: mpsc::Receiver<Chunk>,
    ) -> anyhow::Result<Imported> {
        while let Some(chunk) = arriving.recv().await {
            self.write_chunk(chunk).await.context(INCOMPLETE)?;
        }
        self.counts.progress.end_bar();
        self.write_users().await.context(INCOMPLETE)?;
        Ok(self.imported)
    }

    async fn write_chunk(&mut self, chunk: Chunk) -> anyhow::Result<()> {
        let Chunk {
            records,
            responses,
            users,
            ..
        } = chunk;
        let imported = self.store.import(Table::Responses, responses).await?;
        let rejectable = |record: usize| Some(self.rejects.rejectable(records.get(record)?));
        let too_large = imported.too_large.iter();
        for record in too_large.filter_map(|record| rejectable(*record)) {
            reject(self.rejects, &record, "the record")?;
        }
        for (record, user) in users {
            // A record is rejected once.
            let is_rejected = imported.too_large.contains(&record);
            let record = (!is_rejected).then(|| rejectable(record)).flatten();
            self.users.add(user, record)?;
        }
        if self.kind == RecordKind::Responses {
            self.count(&imported);
        }
        self.counts.advance(records.len());
        self.counts.show();
        if self.users.are_many() {
            self.write_users().await?;
        }
        Ok(())
    }

    async fn write_users(&mut self) -> anyhow::Result<()> {
        let Some(mut sorted) = self.users.take()? else {
            return Ok(());
        };
        let mut written = 0;
        while let Some((users, places)) = sorted.next()? {
            written += users.len();
            let imported = self.store.import(Table::Users, users).await?;
            let too_large = imported.too_large.iter();
            for place in too_large.filter_map(|user| places.get(*user)?.as_ref()) {
                reject(self.rejects, &sorted.rejectable(place)?, "the user")?;
            }
            if self.kind == RecordKind::Users {
                self.count(&imported);
            }
            self.counts.show_users(written, sorted.count);
        }
        Ok(())
    }

    fn count(&mut self, imported: &Imported) {
        self.imported.written += imported.written;
        self.imported.unchanged += imported.unchanged;
    }
}

/// Counts the records that arrive, and writes none.
pub(super) async fn count(mut arriving: mpsc::Receiver<Chunk>, counts: &ImportCounts) {
    while let Some(chunk) = arriving.recv().await {
        counts.advance(chunk.records.len());
        counts.show();
    }
}

const INCOMPLETE: &str = "the import is incomplete; run it again to continue";

/// Rejects a record that has become too large by merging.
fn reject(rejects: &Rejects, record: &Rejectable<'_>, what: &str) -> anyhow::Result<()> {
    let reason =
        format!("{what} must not be larger than DynamoDB's 400 KB together with what is stored");
    rejects.add(record, &reason)
}
