//! `feedback import`: imports records that another service exported, and says what that did or could do.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use folder::DataFolder;
use indicatif::HumanCount;
use intake::{IdComparison, ImportRules, RecordKind, Report, check};
use model::{PrivateTraits, ProjectId, Zone};
use response_statistics::Figures;
use response_statistics::score::rounded;
use tables::Tables;

use super::command_store::{Access, StoreOptions};
use super::credential_files;
use super::record_files::{ReadingOptions, ResponseOptions, refused};
use crate::figures::{Statistics, StatisticsRequest, warning_of_scale};
use crate::import::{FinishedImport, Import};
use crate::lifecycle::done;
use crate::text::{counted, print, printable, program};

const EXAMPLES: &str = "\
Examples:
  feedback import responses export.csv --project acme --data ./data
  feedback import users users.json --project acme --data ./data

Files are JSON ({\"responses\":[…]}, {\"users\":[…]}, pages {\"data\":[…],\"page\":{…}}, an array, or an \
object on each line), CSV with a header, or spreadsheets (.xlsx), gzipped or zipped or not. Importing a \
file again changes nothing; after an interruption, it continues.

Exit codes: 0 all records imported, 1 failed, 2 some records rejected or missing.";

const RESPONSES_EXAMPLES: &str = "\
Examples:
  feedback import responses export.csv --project acme --data ./data
  feedback import responses *.ndjson.gz --project acme \\
    --rejects rejected.ndjson
  feedback import responses survey.csv --project acme --dry-run \\
    --map created=Date --map rating=\"Your score\" \\
    --date-format '%m/%d/%Y %H:%M:%S' --timezone America/New_York
  feedback import responses page-*.json --project acme --dry-run \\
    --map rating=answers.5f2a9c01d4b8e70012ab34c1 \\
    --where campaign=nps-2026 --keep campaign,method";

const USERS_EXAMPLES: &str = "\
Examples:
  feedback import users users.json --project acme --data ./data
  feedback import users users.csv --project acme --rejects rejected.csv";

const CREDENTIALS_EXAMPLES: &str = "\
Examples:
  feedback import credentials credentials.ndjson --data ./data

If a line is wrong, nothing is imported. A credential is not changed if its secret may read something else already.

Exit codes: 0 all credentials are there, 1 failed, 2 some rejected.";

#[derive(clap::Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum Command {
    /// Import records
    #[command(flatten)]
    Records(Box<RecordCommand>),
    /// Import credentials that `feedback export credentials` wrote
    #[command(after_help = CREDENTIALS_EXAMPLES)]
    Credentials(credential_files::ImportOptions),
}

#[derive(clap::Subcommand, Debug)]
pub enum RecordCommand {
    /// Import response records, and create or update their users
    #[command(after_help = RESPONSES_EXAMPLES)]
    Responses {
        #[command(flatten)]
        options: Options,
        /// Do not create or update users
        #[arg(long)]
        no_users: bool,
        #[command(flatten)]
        reading: ResponseOptions,
    },
    /// Import users
    #[command(after_help = USERS_EXAMPLES)]
    Users {
        #[command(flatten)]
        options: Options,
        #[command(flatten)]
        reading: ReadingOptions,
    },
}

#[derive(clap::Args, Debug)]
pub struct Options {
    /// The files to import; - is standard input
    #[arg(required = true, value_name = "FILE", group = "read_files")]
    files: Vec<PathBuf>,
    /// The project that the records belong to
    #[arg(long)]
    project: ProjectId,
    /// The time zone of dates without an offset, such as Europe/Prague [default: UTC]
    #[arg(long, value_name = "ZONE")]
    timezone: Option<Zone>,
    /// Read and check all records without writing them
    #[arg(long)]
    dry_run: bool,
    /// Write the rejected records to this new file, and those with another header or format to FILE-2, …
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    #[command(flatten)]
    store: StoreOptions,
}

impl RecordCommand {
    fn options(&self) -> &Options {
        let (Self::Responses { options, .. } | Self::Users { options, .. }) = self;
        options
    }

    pub fn rules(&self) -> ImportRules {
        let project = &self.options().project;
        let zone = self.options().timezone.as_ref();
        match self {
            Self::Responses {
                reading, no_users, ..
            } => ImportRules {
                no_users: *no_users,
                ..reading.rules(project, zone)
            },
            Self::Users { reading, .. } => reading.rules(RecordKind::Users, project, zone),
        }
    }
}

/// Runs the command. The exit code is 2 if records were rejected, or something is known to be missing.
pub async fn run(command: Command) -> anyhow::Result<ExitCode> {
    let command = match command {
        Command::Records(command) => command,
        Command::Credentials(options) => return credential_files::import(options).await,
    };
    let options = command.options();
    let data = &options.store.data;
    let rules = command.rules();
    rules.check()?;
    if let Err(error) = check(&options.files, &rules) {
        return refused(error, &options.files);
    }
    let import = Import {
        files: options.files.clone(),
        rules,
        rejects: options.rejects.clone(),
        comparison: if options.dry_run {
            IdComparison::All
        } else {
            IdComparison::None
        },
        // A folder has room for what memory cannot hold.
        temporary: data.clone().unwrap_or_else(std::env::temp_dir),
    };
    let import_into = async |store: Option<&Tables>| {
        // A new data folder exists by now.
        if let Some(rejects) = &options.rejects {
            DataFolder::refuse_inside(data.as_deref(), rejects)?;
        }
        let finished = import.run(store).await?;
        let has_figures = import.rules.kind == RecordKind::Responses && finished.is_any();
        let figures = match store {
            // On AWS, figures cost money, so they are not requested unasked.
            Some(store) if has_figures && data.is_some() => {
                Some(figures(store, &options.project).await)
            }
            _ => None,
        };
        anyhow::Ok((finished, figures))
    };
    let (finished, figures) = if options.dry_run {
        import_into(None).await?
    } else {
        let write = async |store: &Tables| import_into(Some(store)).await;
        let new_folder = data.as_ref().filter(|folder| !folder.exists());
        let imported = options.store.open(Access::Create, write).await?;
        let (finished, _) = &imported;
        if let Some(folder) = new_folder
            && finished.read.is_err()
            && !finished.is_any()
        {
            // Nothing is in the folder but what this command created.
            std::fs::remove_dir_all(folder)?;
        }
        imported
    };
    let summary = summary_of_import(&command, &import.rules, &finished, figures.as_ref());
    let printed = print(&summary);
    if let Err(error) = finished.read {
        return refused(error, &options.files);
    }
    figures.transpose()?;
    printed?;
    let is_whole = finished.rejected == 0 && finished.written.users_left.is_empty();
    Ok(done(is_whole && finished.report.is_complete))
}

/// Asks for the figures of everything that is stored of a project.
async fn figures(store: &Tables, project: &ProjectId) -> anyhow::Result<Figures> {
    let longest = StatisticsRequest {
        project: Some(project.clone()),
        start: Some("0001-01-01".to_owned()),
        end: Some("9999-12-31T23:59:59.999Z".to_owned()),
        ..StatisticsRequest::default()
    };
    let statistics = Statistics::of_store(store.clone(), PrivateTraits::default());
    let (figures, ..) = statistics
        .whole(&longest)
        .await
        .context("the project's figures cannot be read")?;
    Ok(figures)
}

/// Says what became of the records, and what they or all of the project amount to.
fn summary_of_import(
    command: &RecordCommand,
    rules: &ImportRules,
    finished: &FinishedImport,
    figures: Option<&anyhow::Result<Figures>>,
) -> String {
    let options = command.options();
    let rejected = finished.rejected;
    let written = &finished.written;
    let kind = rules.kind.name();
    let project = &options.project;
    let skipped = if rules.selection.is_empty() {
        String::new()
    } else {
        format!(", {} skipped", finished.report.skipped)
    };
    let counts = if options.dry_run {
        let accepted = finished.accepted;
        format!(
            "{kind}: {accepted} could be imported, {rejected} rejected{skipped}; nothing was written\n"
        )
    } else {
        let (changed, unchanged) = (written.changed, written.unchanged);
        format!("{kind}: {changed} written, {unchanged} unchanged, {rejected} rejected{skipped}\n")
            + &read_and_stored(finished.accepted, written.merged)
    };
    if rules.kind == RecordKind::Users || !finished.is_any() {
        return counts;
    }
    counts
        + &match figures {
            _ if options.dry_run => records_in_words(&finished.report),
            Some(Err(_)) => String::new(),
            Some(Ok(figures)) => {
                let figures = figures_in_words(figures);
                format!("\nproject {project}, all that is stored\n{figures}")
            }
            None => format!(
                "the project's figures: {} stats --project {project} --start 0001-01-01 \
                 --end 9999-12-31T23:59:59.999Z\n",
                program()
            ),
        }
}

/// Says how many of the records that were read are stored, if some were merged.
fn read_and_stored(accepted: u64, merged: u64) -> String {
    if merged == 0 {
        return String::new();
    }
    let [read, stored] = [accepted, accepted.saturating_sub(merged)].map(HumanCount);
    let have = if merged == 1 { "has" } else { "have" };
    format!(
        "{read} read, {stored} stored: {} {have} the id and date of another (--dry-run says more)\n",
        HumanCount(merged)
    )
}

/// Returns what was seen of the records that were read.
fn records_in_words(report: &Report) -> String {
    let mut text = String::new();
    if let Some((first, last)) = report.period {
        text += &lines([("first", first.to_string()), ("last", last.to_string())]);
    }
    text += &lines(report.surveys().map(|list| ("surveys", list)));
    for (count, what) in [
        (
            report.recreated,
            "the id of an earlier one and another created: an import keeps both",
        ),
        (
            report.repeated,
            "the id and created of an earlier one: an import merges them",
        ),
    ] {
        if count > 0 {
            let have = if count == 1 { "has" } else { "have" };
            let _ = writeln!(text, "{} {have} {what}", counted(count, "record"));
        }
    }
    text
}

/// Returns the figures of everything that is stored.
fn figures_in_words(figures: &Figures) -> String {
    let unanswered = figures.displays.saturating_sub(figures.responses);
    let pending = unanswered.saturating_sub(figures.dismissed);
    let score = figures
        .score()
        .map_or_else(|| "-".to_owned(), |nps| format!("{:.1}", rounded(nps)));
    let table = lines([
        ("records", figures.displays.to_string()),
        ("rated", figures.responses.to_string()),
        ("dismissed", figures.dismissed.to_string()),
        ("pending", pending.to_string()),
        ("promoters", figures.promoters.to_string()),
        ("detractors", figures.detractors.to_string()),
        ("score", score),
    ]);
    let scale = warning_of_scale([figures]);
    table + &scale.map_or_else(String::new, |warning| warning + "\n")
}

fn lines(figures: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let mut text = String::new();
    for (name, figure) in figures {
        let _ = writeln!(text, "{name:<11} {}", printable(&figure));
    }
    text
}
