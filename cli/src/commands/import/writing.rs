//! Writes the records that arrive.

use anyhow::Context;
use records::Kind;
use tables::{AdminStore, Imported};
use tokio::sync::mpsc;

use super::chunk::Chunk;
use super::counts::Counts;
use super::rejects::{Rejectable, Rejects};
use super::users::PendingUsers;

/// How an import writes, and what it has written.
pub(super) struct Writing<'a> {
    pub(super) kind: Kind,
    /// `None` if nothing is to be written.
    pub(super) store: Option<&'a AdminStore>,
    pub(super) counts: &'a Counts,
    pub(super) rejects: &'a Rejects,
    pub(super) users: PendingUsers,
    /// What became of the records of this kind.
    pub(super) imported: Imported,
}

impl Writing<'_> {
    /// Writes the chunks one after the other, so that later records of a file are merged with earlier ones, and users once there
    /// are many. Counts the records of this kind, and rejects those that have become too large. Returns what became of them.
    pub(super) async fn write(
        mut self,
        mut arriving: mpsc::Receiver<Chunk>,
    ) -> anyhow::Result<Imported> {
        while let Some(chunk) = arriving.recv().await {
            match self.store {
                Some(store) => self.write_chunk(store, chunk).await.context(INCOMPLETE)?,
                None => self.counts.advance(chunk.records.len() as u64),
            }
        }
        if let Some(store) = self.store {
            self.write_users(store).await.context(INCOMPLETE)?;
        }
        Ok(self.imported)
    }

    async fn write_chunk(&mut self, store: &AdminStore, chunk: Chunk) -> anyhow::Result<()> {
        let Chunk {
            records,
            responses,
            users,
            ..
        } = chunk;
        let imported = store.import_responses(responses).await?;
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
        if self.kind == Kind::Responses {
            self.count(records.len(), &imported);
        }
        if self.users.are_many() {
            self.write_users(store).await?;
        }
        Ok(())
    }

    async fn write_users(&mut self, store: &AdminStore) -> anyhow::Result<()> {
        let mut sorted = self.users.take()?;
        loop {
            let (users, sources) = sorted.next()?;
            if users.is_empty() {
                return Ok(());
            }
            let imported = store.import_users(users).await?;
            let too_large = imported.too_large.iter();
            let too_large = too_large.filter_map(|user| sources.get(*user)?.as_ref());
            for record in too_large.filter_map(|source| sorted.rejectable(source)) {
                reject(self.rejects, &record, "the user")?;
            }
            if self.kind == Kind::Users {
                self.count(sources.len(), &imported);
            }
        }
    }

    fn count(&mut self, records: usize, imported: &Imported) {
        self.imported.written += imported.written;
        self.imported.unchanged += imported.unchanged;
        self.counts.advance(records as u64);
    }
}

const INCOMPLETE: &str = "the import is incomplete; run it again to continue";

/// Rejects a record that has become too large by merging.
fn reject(rejects: &Rejects, record: &Rejectable<'_>, what: &str) -> anyhow::Result<()> {
    let reason =
        format!("{what} must not be larger than DynamoDB's 400 KB together with what is stored");
    rejects.add(record, &reason)
}
