//! Writes the records that arrive.

use std::collections::BTreeSet;

use anyhow::Context;
use intake::RecordKind;
use items::{ItemKey, Table};
use tables::Tables;
use tokio::sync::mpsc;

use super::chunks::Chunk;
use super::pending_users::{Mention, PendingUsers};
use super::rejects::{Rejectable, Rejects};
use crate::text::counted;

/// How an import writes, and what it has written.
pub(super) struct ImportWriter<'a> {
    pub(super) kind: RecordKind,
    pub(super) store: &'a Tables,
    pub(super) rejects: &'a Rejects,
    pub(super) users: PendingUsers,
    pub(super) written: Written,
}

#[derive(Default)]
pub(crate) struct Written {
    /// The records of the import's kind that changed a table.
    pub(crate) changed: u64,
    /// The records of the import's kind that added nothing.
    pub(crate) unchanged: u64,
    /// The response records that were merged with another one of their display.
    pub(crate) merged: u64,
    /// The users who are left as they were stored, because they would be too large with what responses say.
    pub(crate) users_left: BTreeSet<ItemKey>,
}

impl ImportWriter<'_> {
    /// Writes the chunks one after the other, so that later records of a file are merged with earlier ones,
    /// and users once there are many. Counts the records of this kind, and rejects those with which an item
    /// would be too large.
    pub(super) async fn write(
        mut self,
        mut arriving: mpsc::Receiver<Chunk>,
    ) -> anyhow::Result<Written> {
        while let Some(chunk) = arriving.recv().await {
            self.write_chunk(chunk).await.context(INCOMPLETE)?;
        }
        self.rejects.counts.progress.end_bar();
        self.write_users().await.context(INCOMPLETE)?;
        let left = self.written.users_left.len();
        if left > 0 {
            let left = counted(left as u64, "user");
            let line =
                format!("{left} left as stored: larger than 399 KB with what the records say");
            self.rejects.counts.progress.print(&line);
        }
        Ok(self.written)
    }

    async fn write_chunk(&mut self, chunk: Chunk) -> anyhow::Result<()> {
        let rejectable = |record: usize| Some(self.rejects.rejectable(chunk.records.get(record)?));
        let imported = self.store.import(Table::Responses, chunk.responses).await?;
        let too_large = imported.too_large.values().flatten();
        for record in too_large.filter_map(|record| rejectable(*record)) {
            reject(self.rejects, &record, "the record")?;
        }
        for (record, user) in chunk.users {
            // A response is imported even if its user cannot be.
            let is_rejectable = self.kind == RecordKind::Users;
            let record = is_rejectable.then(|| rejectable(record)).flatten();
            self.users.add(&user, record.as_ref())?;
        }
        if self.kind == RecordKind::Responses {
            self.written.changed += imported.written;
            self.written.unchanged += imported.unchanged;
            self.written.merged += imported.merged;
        }
        self.rejects.counts.advance(chunk.records.len());
        if self.users.are_many() {
            self.write_users().await?;
        }
        Ok(())
    }

    async fn write_users(&mut self) -> anyhow::Result<()> {
        let of = self.users.count();
        let mut shown = 0;
        let write = async |mentions: Vec<Mention>| {
            shown += mentions.len();
            let parts = mentions
                .into_iter()
                .map(|mention| (mention.user, mention.record));
            let (users, records): (Vec<_>, Vec<_>) = parts.unzip();
            let users = users.into_iter().enumerate().collect();
            let imported = self.store.import(Table::Users, users).await?;
            match self.kind {
                RecordKind::Users => {
                    let too_large = imported.too_large.values().flatten();
                    for record in too_large.filter_map(|at| records.get(*at)?.as_ref()) {
                        reject(self.rejects, record, "the user")?;
                    }
                    self.written.changed += imported.written;
                    self.written.unchanged += imported.unchanged + imported.merged;
                }
                RecordKind::Responses => {
                    let left = imported.too_large.into_keys();
                    self.written.users_left.extend(left);
                }
            }
            self.rejects.counts.show_users(shown, of);
            Ok(())
        };
        self.users.write(write).await
    }
}

const INCOMPLETE: &str = "the import is incomplete; run it again to continue";

/// Rejects a record with which an item would be too large.
fn reject(rejects: &Rejects, record: &Rejectable<'_>, what: &str) -> anyhow::Result<()> {
    let reason = format!("{what} must not be larger than 399 KB together with what is stored");
    rejects.add(record, &reason)
}
