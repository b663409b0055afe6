//! `feedback import`: imports records that another service exported. A thread reads and checks them,
//! and the command writes them in chunks meanwhile.

mod chunk;
mod counts;
mod options;
mod rejects;
mod sender;
mod summary;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use records::{Kind, Origin, Records, Report, Rules, check, read_all};
use tables::{AdminStore, Imported};
use tokio::sync::mpsc;

use chunk::{Chunk, Limits};
use counts::Counts;
use options::Options;
use rejects::Rejects;
use sender::Sender;

use crate::commands::target::{Access, upgrade};

pub use options::Command;

/// What an import did.
pub struct Outcome {
    /// The records that were not rejected.
    pub accepted: u64,
    /// The records that were rejected.
    pub rejected: u64,
    /// Whether all files were read to their end.
    pub read: anyhow::Result<()>,
    report: Report,
    imported: Imported,
}

/// Runs the command. The exit code is 2 if records were rejected, or something is known to be missing.
pub async fn run(command: Command) -> anyhow::Result<ExitCode> {
    let import = Import::new(command)?;
    let outcome = import.run().await?;
    // A reader may close the pipe early.
    let _ = write!(std::io::stdout(), "{}", import.summary(&outcome));
    outcome.read?;
    Ok(if outcome.rejected == 0 && outcome.report.is_complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    })
}

/// An import with checked options.
pub struct Import {
    options: Options,
    rules: Arc<Rules>,
}

impl Import {
    /// Checks the options, and that the files can be opened.
    pub fn new(command: Command) -> anyhow::Result<Self> {
        let (options, rules) = command.into_rules();
        rules.check()?;
        check(&options.files)?;
        Ok(Self {
            options,
            rules: Arc::new(rules),
        })
    }

    /// Says what became of the records, and what those that were read amount to.
    fn summary(&self, outcome: &Outcome) -> String {
        let Outcome {
            accepted,
            rejected,
            report,
            imported: Imported {
                written, unchanged, ..
            },
            ..
        } = outcome;
        let kind = self.rules.kind;
        let skipped = match self.rules.campaign {
            Some(_) => format!(", {} skipped", report.skipped),
            None => String::new(),
        };
        let mut summary = if self.options.dry_run {
            format!(
                "{}: {accepted} could be imported, {rejected} rejected{skipped}; nothing was written\n",
                kind.name()
            )
        } else {
            format!(
                "{}: {written} written, {unchanged} unchanged, {rejected} rejected{skipped}\n",
                kind.name()
            )
        };
        // Records that are refused at once are not even counted.
        if kind == Kind::Responses && (outcome.read.is_ok() || *accepted > 0) {
            summary.push('\n');
            summary.push_str(&summary::table(&report.summary));
        }
        summary
    }

    /// Imports the files, and reports progress and rejected records on standard error. Fails if a
    /// record could not be written.
    pub async fn run(&self) -> anyhow::Result<Outcome> {
        let counts = Counts::new(&self.options.files);
        let outcome = if self.options.dry_run {
            self.read_and_write(None, &counts).await
        } else {
            let write = async |store: &AdminStore| {
                upgrade(store).await;
                self.read_and_write(Some(store), &counts).await
            };
            self.options.target.open(Access::Create, write).await
        };
        counts.progress().finish();
        let (imported, (report, read)) = outcome?;
        Ok(Outcome {
            accepted: counts.accepted(),
            rejected: counts.rejected(),
            read,
            report,
            imported,
        })
    }

    /// Reads the files on a thread of their own, and writes the records as they arrive. Returns what
    /// was written, what was read, and whether all files were read to their end.
    async fn read_and_write(
        &self,
        store: Option<&AdminStore>,
        counts: &Counts,
    ) -> anyhow::Result<(Imported, (Report, anyhow::Result<()>))> {
        let rejects = self.options.rejects.as_deref();
        // A new data folder exists by now.
        rejects.map_or(Ok(()), |path| self.options.target.refuse_inside(path))?;
        let rejects = Arc::new(Rejects::create(counts.clone(), rejects)?);
        let (chunks, arriving) = mpsc::channel(1);
        let sender = Sender {
            counts: counts.clone(),
            rejects: rejects.clone(),
            chunks,
            project: self.rules.project.clone(),
            chunk: Chunk::default(),
            limits: if self.options.target.is_folder() {
                Limits::OF_A_TRANSACTION
            } else {
                Limits::OF_REQUESTS
            },
        };
        let (files, rules) = (self.options.files.clone(), self.rules.clone());
        let reading = tokio::task::spawn_blocking(move || {
            read_all(&files, Records::new(rules, Box::new(sender)))
        });
        let read = async {
            let imported = self.write(store, arriving, counts, &rejects).await;
            // If this failed, the reader may still be waiting for standard input.
            let imported = imported?;
            Ok((imported, reading.await.context("the reader failed")?))
        };
        let read = read.await;
        rejects.close();
        read
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
                let imported =
                    tokio::try_join!(store.import_responses(responses), store.import_users(users),);
                let (responses, users) =
                    imported.context("the import is incomplete; run it again to continue")?;
                reject(&records, &responses.too_large, "the record", rejects)?;
                let mut users_alone = users.too_large.clone();
                users_alone.retain(|record| !responses.too_large.contains(record));
                reject(&records, &users_alone, "the user", rejects)?;
                let imported = match self.rules.kind {
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
