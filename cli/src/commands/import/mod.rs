//! `feedback import`: imports records that another service exported. A thread reads and checks them,
//! and the command writes them in chunks meanwhile.

mod chunk;
mod counts;
mod figures;
mod options;
mod rejects;
mod sender;
mod sorter;
mod summary;
mod users;
mod writing;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use admin::{AdminStore, Imported};
use anyhow::Context;
use intake::{Kind, Records, Report, Rules, check, read_all};
use tokio::sync::mpsc;

use chunk::{Chunk, Limits};
use counts::Counts;
use options::Options;
use rejects::Rejects;
use sender::Sender;
use users::{PendingUsers, Sizes};
use writing::{Writing, count};

use crate::commands::target::Access;
use crate::figures::Figures;

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
    /// Those of the project, if reading them costs nothing.
    figures: Option<anyhow::Result<Figures>>,
}

impl Outcome {
    /// Returns whether anything was imported. A file that is refused at once is not even counted.
    fn is_any(&self) -> bool {
        self.read.is_ok() || self.accepted > 0
    }
}

/// Runs the command. The exit code is 2 if records were rejected, or something is known to be missing.
pub async fn run(command: Command) -> anyhow::Result<ExitCode> {
    let import = Import::new(command)?;
    let outcome = import.run().await?;
    // A reader may close the pipe early.
    let _ = write!(std::io::stdout(), "{}", import.summary(&outcome));
    outcome.read?;
    outcome.figures.transpose()?;
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

    /// Says what became of the records, and what they or all of the project amount to.
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
        let (kind, project) = (self.rules.kind.name(), &self.options.project);
        let skipped = match self.rules.campaign {
            Some(_) => format!(", {} skipped", report.skipped),
            None => String::new(),
        };
        let mut summary = if self.options.dry_run {
            format!(
                "{kind}: {accepted} could be imported, {rejected} rejected{skipped}; nothing was written\n"
            )
        } else {
            format!(
                "{kind}: {written} written, {unchanged} unchanged, {rejected} rejected{skipped}\n"
            )
        };
        if self.rules.kind == Kind::Users || !outcome.is_any() {
            return summary;
        }
        let _ = match &outcome.figures {
            _ if self.options.dry_run => {
                write!(summary, "\n{}", summary::of_records(&report.summary))
            }
            Some(Err(_)) => Ok(()),
            Some(Ok(figures)) => {
                let figures = summary::of_project(figures);
                write!(
                    summary,
                    "\nproject {project}, all that is stored\n{figures}"
                )
            }
            None => {
                let command = summary::command(project, self.options.target.folder());
                writeln!(summary, "the project's figures: {command}")
            }
        };
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
                let mut outcome = self.read_and_write(Some(store), &counts).await?;
                let has_figures = self.rules.kind == Kind::Responses && outcome.is_any();
                if has_figures && store.is_folder() {
                    let figures = figures::of_project(store, &self.options.project);
                    outcome.figures = Some(figures.await);
                }
                Ok(outcome)
            };
            self.options.target.open(Access::Create, write).await
        };
        counts.progress().finish();
        outcome
    }

    /// Reads the files on a thread of their own, and writes the records as they arrive.
    async fn read_and_write(
        &self,
        store: Option<&AdminStore>,
        counts: &Counts,
    ) -> anyhow::Result<Outcome> {
        let rejects = self.options.rejects.as_deref();
        // A new data folder exists by now.
        rejects.map_or(Ok(()), |path| self.options.target.refuse_inside(path))?;
        let rejects = Arc::new(Rejects::create(counts.clone(), rejects)?);
        let (chunks, arriving) = mpsc::channel(1);
        let limits = if store.is_some_and(AdminStore::is_folder) {
            Limits::OF_A_TRANSACTION
        } else {
            Limits::OF_REQUESTS
        };
        let sender = Sender {
            counts: counts.clone(),
            rejects: rejects.clone(),
            chunks,
            chunk: Chunk::default(),
            limits,
        };
        let (files, rules) = (self.options.files.clone(), self.rules.clone());
        let is_dry_run = self.options.dry_run;
        let reading = tokio::task::spawn_blocking(move || {
            let records = Records::new(rules, Box::new(sender));
            let records = if is_dry_run {
                records.counting_each_once()
            } else {
                records
            };
            read_all(&files, records)
        });
        let write = async {
            let Some(store) = store else {
                count(arriving, counts).await;
                return Ok(Imported::default());
            };
            let temporary = self.options.target.folder_of_temporary_files();
            let writing = Writing {
                kind: self.rules.kind,
                store,
                counts,
                rejects: &rejects,
                users: PendingUsers::new(temporary, Sizes::of_an_import(limits)),
                imported: Imported::default(),
            };
            writing.write(arriving).await
        };
        let read = async {
            // If this fails, nobody waits for the reader, which may be waiting for standard input.
            let imported = write.await?;
            anyhow::Ok((imported, reading.await.context("the reader failed")?))
        };
        let read = read.await;
        rejects.close();
        let (imported, (report, read)) = read?;
        for note in &report.notes {
            counts.progress().print(note);
        }
        Ok(Outcome {
            accepted: counts.accepted(),
            rejected: counts.rejected(),
            read,
            report,
            imported,
            figures: None,
        })
    }
}
