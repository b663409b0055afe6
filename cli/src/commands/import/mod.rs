//! `feedback import`: records that another service exported. A thread reads and checks them; what it
//! finds is written in chunks while it reads on.

mod columns;
mod dates;
mod format;
mod occurrences;
mod progress;
mod reader;
mod record;
mod table;

use std::io::Write as _;
use std::path::PathBuf;

use chrono_tz::Tz;
use shared::model::ProjectId;
use shared::store::{Imported, Store};
use tokio::sync::mpsc;

use crate::target::{Target, reason};
use columns::{CellOptions, Kind, Mapping};
use dates::Dates;
use progress::Progress;
use reader::{Chunk, Reader, Rejects};

pub(crate) use occurrences::Occurrences;
pub(crate) use record::Record;

const EXAMPLES: &str = "\
Examples:
  feedback import users users.json --project acme
  feedback import responses responses-*.ndjson.gz --project acme --rejects rejected.ndjson
  feedback import responses survey.csv --project acme --map created=Date --map rating=\"Your score\" \\
    --date-format '%m/%d/%Y %H:%M:%S' --timezone America/New_York --dry-run
  feedback export responses --project acme --data ./data | feedback import responses - --project acme

Files may be JSON ({\"responses\":[…]}, {\"users\":[…]}, an array, or an object a line) or CSV with a header,
and gzipped. Importing a file again, or after an interruption, changes nothing that is there already.
Exit codes: 0 all imported, 1 broken off, 2 some records rejected.";

/// What can be imported.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum Command {
    /// Import response records; they create or refresh their users too
    #[command(after_help = EXAMPLES)]
    Responses {
        /// What is read, and how
        #[command(flatten)]
        options: Options,
        /// Leave the users as they are
        #[arg(long)]
        no_users: bool,
    },
    /// Import users
    #[command(after_help = EXAMPLES)]
    Users(Options),
}

/// What is read, and how.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The project that the records belong to
    #[arg(long)]
    project: ProjectId,
    /// Read a field of CSV from a column of another name; may be given several times
    #[arg(long, value_name = "FIELD=COLUMN")]
    map: Vec<Mapping>,
    /// How CSV writes dates, as strftime has it, where that is not ISO 8601
    #[arg(long, value_parser = dates::format)]
    date_format: Option<String>,
    /// Where the clock of such dates stood, such as Europe/Prague [default: UTC]
    #[arg(long, requires = "date_format")]
    timezone: Option<Tz>,
    /// Keep every trait of CSV as a string, numbers and booleans too
    #[arg(long)]
    string_traits: bool,
    /// Read and check everything, write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write the rejected records to this new file, as they were
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    #[command(flatten)]
    target: Target,
}

/// Runs the command. `Ok(false)` when records were rejected; `Err` is one line for people.
pub async fn run(command: Command) -> Result<bool, String> {
    let (kind, options, with_users) = match command {
        Command::Responses { options, no_users } => (Kind::Responses, options, !no_users),
        Command::Users(options) => (Kind::Users, options, true),
    };
    let cells = CellOptions {
        map: options.map,
        dates: options
            .date_format
            .map(|format| Dates::new(&format, options.timezone.unwrap_or(Tz::UTC))),
        string_traits: options.string_traits,
    };
    cells.check(kind)?;
    reader::check(&options.files)?;
    let rejects = options.rejects.map(Rejects::create).transpose()?;
    let opened = if options.dry_run {
        None
    } else {
        Some(options.target.open().await?)
    };
    let progress = Progress::new(&options.files);
    let (chunks, arriving) = mpsc::channel(1);
    let reader = Reader {
        kind,
        project: options.project.clone(),
        cells,
        with_users,
        progress: progress.clone(),
        rejects,
        chunks,
    };
    let reading = tokio::task::spawn_blocking(move || reader.read_all(&options.files));
    let store = opened.as_ref().map(|opened| &opened.store);
    let outcome = async {
        // When it fails, the reading may still wait for standard input.
        let written = write(store, kind, &options.project, arriving, &progress).await?;
        let read = reading.await;
        let read = read.map_err(|error| format!("the reading broke off: {error}"))?;
        Ok::<_, String>((written, read))
    }
    .await;
    if let Some(opened) = opened {
        opened.close().await;
    }
    progress.finish();
    let (written, read) = outcome?;
    let rejected = progress.rejected();
    let summary = if options.dry_run {
        let good = progress.good();
        format!("{good} could be imported, {rejected} rejected; nothing is written")
    } else {
        let Imported { written, unchanged } = written;
        format!("{written} written, {unchanged} unchanged, {rejected} rejected")
    };
    // Whoever reads may have seen enough.
    let _ = writeln!(std::io::stdout(), "{}: {summary}", kind.name());
    read?;
    Ok(rejected == 0)
}

/// Writes the chunks as they arrive, and counts the records of this kind: one chunk after the
/// other, so that later records of a file meet what earlier ones left.
async fn write(
    store: Option<&Store>,
    kind: Kind,
    project: &ProjectId,
    mut arriving: mpsc::Receiver<Chunk>,
    progress: &Progress,
) -> Result<Imported, String> {
    let mut imported = Imported::default();
    while let Some(chunk) = arriving.recv().await {
        let read = chunk.records;
        if let Some(store) = store {
            let (responses, users) = tokio::try_join!(
                store.import_responses(chunk.responses),
                store.import_users(project, chunk.users)
            )
            .map_err(|error| {
                format!(
                    "the import broke off: {}; import again to go on, what is written stays",
                    reason(&error)
                )
            })?;
            imported += match kind {
                Kind::Responses => responses,
                Kind::Users => users,
            };
        }
        progress.advance(read);
    }
    Ok(imported)
}
