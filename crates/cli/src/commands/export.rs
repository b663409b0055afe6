//! `feedback export`: writes the records of a project in a format that `feedback import` reads; credentials are
//! in `credential_files`.

use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use folder::DataFolder;
use indicatif::HumanCount;
use items::{RecordId, ResponseRecord, Shard, Traits};
use model::{Outcome, ProjectId, Rating, Timestamp, UserId, Zone};
use response_statistics::PeriodWord;
use serde::Serialize;
use store::KeyRange;
use tables::{ExportPages, Tables};

use super::command_store::{Access, StoreOptions};
use super::credential_files;
use super::output_file::OutputFile;
use crate::lifecycle::{Usage, done, interruptible};
use crate::progress::Progress;
use crate::text::{escaped, require_standard_output};

const RESPONSES_EXAMPLES: &str = "\
Examples:
  feedback export responses --project acme --data ./data --output acme.ndjson
  feedback export responses --project acme --data ./data --period last-month
  feedback export responses --project acme --data ./data | \\
    feedback import responses - --project acme";

const USERS_EXAMPLES: &str = "\
Examples:
  feedback export users --project acme --data ./data --output users.ndjson
  feedback export users --project acme --data ./data | gzip > users.ndjson.gz";

const CREDENTIALS_EXAMPLES: &str = "\
Examples:
  feedback export credentials --data ./data --output credentials.ndjson

The file has the digests of the secrets, from which a secret that a person chose can be guessed.";

#[derive(clap::Subcommand, Debug)]
pub enum Command {
    /// Write records of a project
    #[command(flatten)]
    Records(RecordCommand),
    /// Write the credentials of all projects, one JSON object a line, without secrets
    #[command(after_help = CREDENTIALS_EXAMPLES)]
    Credentials(credential_files::ExportOptions),
}

#[derive(clap::Subcommand, Debug)]
pub enum RecordCommand {
    /// Write the response records, one JSON object a line
    #[command(after_help = RESPONSES_EXAMPLES)]
    Responses(ResponseOptions),
    /// Write the users, one JSON object a line
    #[command(after_help = USERS_EXAMPLES)]
    Users(Options),
}

#[derive(clap::Args, Debug)]
pub struct ResponseOptions {
    /// Write only the records that were created at this time or later: a date, which begins at midnight UTC, or a time in
    /// ISO 8601
    #[arg(long, value_name = "TIME")]
    start: Option<Timestamp>,
    /// Write only the records that were created before this time
    #[arg(long, value_name = "TIME")]
    end: Option<Timestamp>,
    /// Write only the records of a period in UTC, such as 2026-09, 2026-W41, last-month or 7d, as `feedback stats` names
    /// it
    #[arg(long, conflicts_with_all = ["start", "end"])]
    period: Option<PeriodWord>,
    #[command(flatten)]
    of_records: Options,
}

#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long)]
    project: ProjectId,
    /// Write to this new file, which only its owner can read and which appears when it is complete
    /// [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file of --output if it exists
    #[arg(long, requires = "output")]
    overwrite: bool,
    #[command(flatten)]
    store: StoreOptions,
}

/// The stored part of a response record, as `SatisMeter` exports it.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a RecordId,
    created: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<u8>,
    dismissed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<LineUser<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LineUser<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<&'a UserId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traits: Option<&'a Traits>,
}

impl<'a> From<&'a ResponseRecord> for Line<'a> {
    fn from(record: &'a ResponseRecord) -> Self {
        let user_id = record.user_id.as_ref();
        let traits = record.traits.as_ref();
        let known = user_id.is_some() || traits.is_some();
        Self {
            id: &record.id,
            created: record.created,
            rating: record.outcome.rating().map(Rating::value),
            dismissed: record.outcome == Outcome::Dismissed,
            user: known.then_some(LineUser { user_id, traits }),
        }
    }
}

/// Runs the command. A file that is not complete is deleted; standard output may block, so that a signal has to end
/// the process itself.
pub async fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Credentials(options) => {
            interruptible(Box::pin(credential_files::export(options))).await
        }
        Command::Records(command) if command.options().output.is_some() => {
            interruptible(Box::pin(export(&command))).await
        }
        Command::Records(command) => export(&command).await,
    }
}

async fn export(command: &RecordCommand) -> anyhow::Result<ExitCode> {
    let range = command.range()?;
    let options = command.options();
    let mut output = Output::new(options.output.as_deref(), options.overwrite, &options.store)?;
    let export = async |store: &Tables| {
        let exported = output.export(store, command, range).await;
        exported.context("the export is incomplete")
    };
    options.store.open(Access::Read, export).await?;
    output.finish()
}

impl RecordCommand {
    /// Returns the options of all exports.
    fn options(&self) -> &Options {
        match self {
            Self::Users(options) => options,
            Self::Responses(responses) => &responses.of_records,
        }
    }

    /// Returns where the responses lie in their shards. Fails if their options contradict each other.
    fn range(&self) -> anyhow::Result<KeyRange> {
        let Self::Responses(options) = self else {
            return Ok(KeyRange::All);
        };
        let (mut start, mut end) = (options.start, options.end);
        if let Some(word) = options.period {
            let period = word.period(service::now(), &Zone::default());
            let period = period
                .ok_or_else(|| Usage("--period must be of the years 0001 to 9999".to_owned()))?;
            (start, end) = (Some(period.start), Some(period.end));
        }
        if start.zip(end).is_some_and(|(start, end)| start >= end) {
            bail!(Usage("--start must be before --end".to_owned()));
        }
        Ok(KeyRange::of_responses(start, end))
    }
}

const UNWRITABLE: &str = "cannot write the export";

/// Where the lines of an export go, and how many records are written and left out.
pub(super) struct Output {
    /// The file that they are written to; `None` is standard output.
    file: Option<OutputFile>,
    lines: BufWriter<Box<dyn Write>>,
    on_terminal: bool,
    written: usize,
    pub(super) damaged: usize,
}

impl Output {
    /// Begins a new file, which must not be inside of a data folder, or writes to standard output.
    pub(super) fn new(
        path: Option<&Path>,
        overwrite: bool,
        store: &StoreOptions,
    ) -> anyhow::Result<Self> {
        let create = |path| {
            DataFolder::refuse_inside(store.data.as_deref(), path)?;
            OutputFile::create(path, overwrite)
        };
        let file = path.map(create).transpose()?;
        if file.is_none() {
            require_standard_output().context(UNWRITABLE)?;
        }
        let lines: Box<dyn Write> = match &file {
            Some(file) => Box::new(file.as_file().try_clone().context(UNWRITABLE)?),
            None => Box::new(std::io::stdout()),
        };
        Ok(Self {
            on_terminal: file.is_none() && std::io::stdout().is_terminal(),
            file,
            lines: BufWriter::new(lines),
            written: 0,
            damaged: 0,
        })
    }

    /// Writes a record, which is a line of JSON.
    pub(super) fn add(&mut self, mut json: String) -> anyhow::Result<()> {
        if self.on_terminal {
            json = escaped(&json);
        }
        self.written += 1;
        writeln!(self.lines, "{json}").context(UNWRITABLE)
    }

    /// Completes the file, and says what it has. The exit code is 2 if stored records could not be decoded.
    pub(super) fn finish(mut self) -> anyhow::Result<ExitCode> {
        self.lines.flush().context(UNWRITABLE)?;
        if let Some(file) = self.file {
            file.publish()?;
        }
        eprintln!("{} exported, {} damaged", self.written, self.damaged);
        Ok(done(self.damaged == 0))
    }

    async fn export(
        &mut self,
        store: &Tables,
        command: &RecordCommand,
        range: KeyRange,
    ) -> anyhow::Result<()> {
        let project = &command.options().project;
        let shards = matches!(command, RecordCommand::Responses(_)).then(|| Shard::COUNT.into());
        let progress = Progress::new(shards);
        match command {
            RecordCommand::Responses(_) => {
                for shard in Shard::all() {
                    let line = |record: &_| serde_json::to_string(&Line::from(record));
                    let pages = store.export_responses(project, shard, range.clone());
                    self.write(pages, line, &progress).await?;
                    progress.advance(1);
                }
            }
            RecordCommand::Users(_) => {
                let pages = store.export_users(project);
                let written = self.write(pages, serde_json::to_string, &progress);
                written.await?;
            }
        }
        progress.finish();
        Ok(())
    }

    /// Writes the records of these pages as lines.
    async fn write<T>(
        &mut self,
        mut pages: ExportPages<T>,
        line: impl Fn(&T) -> serde_json::Result<String>,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        while let Some(page) = pages.next().await? {
            for record in &page.records {
                self.add(line(record)?)?;
            }
            for key in &page.damaged {
                progress.print(&format!("left out {key:?}, which cannot be decoded"));
            }
            self.damaged += page.damaged.len();
            if !self.on_terminal {
                progress.show(&format!("{} records", HumanCount(self.written as u64)));
            }
        }
        Ok(())
    }
}
