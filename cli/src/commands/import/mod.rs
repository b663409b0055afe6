//! `feedback import`: imports records that another service exported. A thread reads and checks them,
//! and the command writes them in chunks meanwhile.

mod chunk;
mod counts;
mod options;
mod rejects;
mod sender;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use records::{
    CellOptions, Dates, Kind, Origin, Quoting, Records, Rules, TraitCells, Users, check, read_all,
};
use shared::items::UserFacts;
use shared::model::ProjectId;
use shared::store::Error;
use tables::{AdminStore, Imported};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use chunk::Chunk;
use counts::Counts;
use options::Options;
use rejects::Rejects;
use sender::Sender;

use crate::commands::target::Access;

pub use options::Command;

/// What an import did.
pub struct Summary {
    /// The records that were not rejected.
    pub accepted: u64,
    /// The records that were rejected.
    pub rejected: u64,
    /// Whether all files were read to their end.
    pub read: anyhow::Result<()>,
    imported: Imported,
}

/// Runs the command. The exit code is 2 if records were rejected.
pub async fn run(command: Command) -> anyhow::Result<ExitCode> {
    let import = Import::new(command)?;
    let Summary {
        accepted,
        rejected,
        read,
        imported,
    } = import.run().await?;
    let summary = if import.options.dry_run {
        format!("{accepted} could be imported, {rejected} rejected; nothing was written")
    } else {
        let Imported {
            written, unchanged, ..
        } = imported;
        format!("{written} written, {unchanged} unchanged, {rejected} rejected")
    };
    // A reader may close the pipe early.
    let _ = writeln!(std::io::stdout(), "{}: {summary}", import.kind.name());
    read?;
    Ok(if rejected == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    })
}

/// An import with checked options.
pub struct Import {
    kind: Kind,
    options: Options,
    cells: CellOptions,
    users: Users,
    id_from: Vec<String>,
}

impl Import {
    /// Checks the options, and that the files can be opened.
    pub fn new(command: Command) -> anyhow::Result<Self> {
        let (kind, options, no_users, id_from) = match command {
            Command::Responses {
                options,
                no_users,
                id_from,
            } => (Kind::Responses, options, no_users, id_from),
            Command::Users(options) => (Kind::Users, options, false, Vec::new()),
        };
        let users = if no_users {
            Users::Ignored
        } else {
            Users::Read
        };
        let zone = options.timezone.clone().unwrap_or_default();
        let dates = options.date_format.as_deref();
        let cells = CellOptions {
            map: options.map.clone(),
            dates: dates.map(|format| Dates::new(format, zone)),
            traits: if options.string_traits {
                TraitCells::Strings
            } else {
                TraitCells::Typed
            },
            quoting: if options.multiline {
                Quoting::Multiline
            } else {
                Quoting::Suspicious
            },
        };
        cells.check(kind)?;
        check(&options.files)?;
        Ok(Self {
            kind,
            options,
            cells,
            users,
            id_from,
        })
    }

    /// Imports the files, and reports progress and rejected records on standard error. Fails if a
    /// record could not be written.
    pub async fn run(&self) -> anyhow::Result<Summary> {
        let counts = Counts::new(&self.options.files);
        let outcome = if self.options.dry_run {
            self.read_and_write(None, &counts).await
        } else {
            let write = async |store: &AdminStore| self.read_and_write(Some(store), &counts).await;
            self.options.target.open(Access::Create, write).await
        };
        counts.progress().finish();
        let (imported, read) = outcome?;
        Ok(Summary {
            accepted: counts.accepted(),
            rejected: counts.rejected(),
            read,
            imported,
        })
    }

    /// Reads the files on a thread of their own, and writes the records as they arrive. Returns what
    /// was written, and whether all files were read to their end.
    async fn read_and_write(
        &self,
        store: Option<&AdminStore>,
        counts: &Counts,
    ) -> anyhow::Result<(Imported, anyhow::Result<()>)> {
        let rejects = self.options.rejects.as_deref();
        // A new data folder exists by now.
        rejects.map_or(Ok(()), |path| self.options.target.refuse_inside(path))?;
        let rejects = Arc::new(Rejects::create(counts.clone(), rejects)?);
        let (chunks, arriving) = mpsc::channel(1);
        let rules = Rules {
            kind: self.kind,
            project: self.options.project.clone(),
            users: self.users,
            dates: self.cells.dates.clone(),
            id_from: self.id_from.clone(),
        };
        let sender = Sender {
            counts: counts.clone(),
            rejects: rejects.clone(),
            chunks,
            chunk: Chunk::default(),
        };
        let (files, cells) = (self.options.files.clone(), self.cells.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let mut records = Records::new(rules, Box::new(sender));
            read_all(&files, &cells, &mut records)
        });
        // If this fails, the reader may still be waiting for standard input.
        let imported = self.write(store, arriving, counts, &rejects).await;
        let read = match imported {
            Ok(_) => reading.await.context("the reader failed"),
            Err(_) => Ok(Ok(())),
        };
        rejects.close();
        Ok((imported?, read?))
    }

    /// Writes the chunks one after the other, so that later records of a file are merged with earlier
    /// ones. Counts the records of this kind, and rejects those that have become too large.
    async fn write(
        &self,
        store: Option<&AdminStore>,
        mut arriving: mpsc::Receiver<Chunk>,
        counts: &Counts,
        rejects: &Rejects,
    ) -> anyhow::Result<Imported> {
        let mut total = Imported::default();
        while let Some(chunk) = arriving.recv().await {
            let Chunk {
                records,
                responses,
                users,
                ..
            } = chunk;
            if let Some(store) = store {
                let users = in_parallel(store, &self.options.project, users);
                let responses = store.import_responses(responses).await;
                let users = users.await.context("the import of users failed")?;
                let (responses, users) = responses
                    .and_then(|responses| Ok((responses, users?)))
                    .context("the import is incomplete; run it again to continue")?;
                reject(&records, &responses.too_large, "the record", rejects)?;
                let mut users_alone = users.too_large.clone();
                users_alone.retain(|record| !responses.too_large.contains(record));
                reject(&records, &users_alone, "the user", rejects)?;
                let imported = match self.kind {
                    Kind::Responses => responses,
                    Kind::Users => users,
                };
                total.written += imported.written;
                total.unchanged += imported.unchanged;
            }
            counts.advance(records.len() as u64);
        }
        Ok(total)
    }
}

/// Imports users on a thread of its own: merging them takes as much processor time as the responses do.
fn in_parallel(
    store: &AdminStore,
    project: &ProjectId,
    users: Vec<(usize, UserFacts)>,
) -> JoinHandle<Result<Imported, Error>> {
    let (store, project) = (store.clone(), project.clone());
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || runtime.block_on(store.import_users(&project, users)))
}

/// Rejects records that have become too large by merging.
fn reject(
    records: &[Origin],
    too_large: &[usize],
    what: &str,
    rejects: &Rejects,
) -> anyhow::Result<()> {
    for origin in too_large.iter().filter_map(|record| records.get(*record)) {
        let reason = format!(
            "{what} must not be larger than DynamoDB's 400 KB together with what is stored"
        );
        rejects.add(origin, &reason)?;
    }
    Ok(())
}
