//! `feedback stats`: draws the statistics of a project, of an API, a data folder or files.

mod breakdown;
mod csv;
mod period_summary;
mod screen;

use std::fmt;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use clap::ArgGroup;
use console::Term;
use intake::{Undecided, argument};
use model::{PrivateTraits, TraitName};

use super::command_store::open_statistics;
use super::record_files::{LoadedFiles, ResponseOptions, refused};
use crate::client::{ApiAddress, Refused};
use crate::figures::{Answer, MissingTrait, Statistics, StatisticsRequest, warning_of_skipped};
use crate::lifecycle;
use crate::text::{json_for_output, print, printable, words};
use period_summary::PeriodSummary;

/// Draw the statistics of a project
#[derive(clap::Args, Debug)]
#[command(group(ArgGroup::new("here").args(["files", "data"]).conflicts_with("url")))]
pub struct Options {
    /// Show the figures of these files of responses, without a server or a key; - is standard input
    #[arg(value_name = "FILE", group = "read_files")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    query: StatisticsRequest,
    /// List the traits of the records instead: what there is to filter and group by
    #[arg(long, conflicts_with_all = [
        "interval", "week_start", "group_by", "group_limit", "respondents", "confidence", "compare", "csv",
    ])]
    traits: bool,
    /// Print what the API answers, unchanged
    #[arg(long)]
    json: bool,
    /// Print a table as CSV, a row for each interval and group
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Show the figures of this data folder, without a server or a key
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// With files and --data: the traits that name people, by which statistics are not grouped; an empty
    /// list is none [default: as of `feedback serve`]
    #[arg(long, value_name = "NAMES", requires = "here")]
    private_traits: Option<PrivateTraits>,
    #[command(flatten)]
    api: ApiAddress,
    #[command(flatten)]
    reading: ResponseOptions,
}

/// Runs the command. The exit code is 2 if rows of files were rejected, or nothing was found because no record has
/// a trait that was asked for.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let signal = lifecycle::shutdown()?;
    tokio::select! {
        shown = show(options) => shown,
        // A temporary folder is deleted.
        () = signal => Ok(ExitCode::from(130)),
    }
}

async fn show(mut options: Options) -> anyhow::Result<ExitCode> {
    let shown = async {
        let (statistics, share) = open(&mut options).await?;
        let output = output(&options, &statistics, share.as_deref()).await?;
        anyhow::Ok((output, share))
    };
    let mut error = match shown.await {
        Ok(((text, skipped), share)) => {
            if let Some(warning) = warning_of_skipped(skipped) {
                eprintln!("{warning}");
            }
            let text = if options.json {
                json_for_output(text + "\n")
            } else {
                text
            };
            print(&text)?;
            return Ok(match share {
                None => ExitCode::SUCCESS,
                Some(_) => ExitCode::from(2),
            });
        }
        Err(error) => error,
    };
    if error.is::<Undecided>() {
        return refused(error, &options.files);
    }
    if let Some(column) = error.downcast_ref::<NotImported>() {
        eprintln!("feedback: {column}");
        return Ok(ExitCode::from(2));
    }
    let refused = error.downcast_ref::<Refused>();
    let is_word =
        refused.is_some_and(|refused| refused.is_about("period") || refused.is_about("compare"));
    Refused::rename(&mut error, &OPTIONS);
    if is_word {
        eprintln!("feedback: {}", words(&error));
        return Ok(ExitCode::from(2));
    }
    let missing: MissingTrait = error.downcast()?;
    let nearest = missing.nearest.as_deref().map(printable);
    let hint = nearest.map_or(" (--traits lists what there is)".into(), |name| {
        format!("; did you mean {name}?")
    });
    eprintln!("feedback: {missing}{hint}");
    Ok(ExitCode::from(2))
}

/// Opens what answers the request; returns how many rows of files it has, if not all could be used. Files
/// complete the request: by their project, and by the period of their records.
///
/// # Errors
///
/// Fails with [`NotImported`] if the request is about a column of files that is not imported.
async fn open(options: &mut Options) -> anyhow::Result<(Statistics, Option<String>)> {
    let private_traits = options.private_traits.clone().unwrap_or_default();
    if let Some(folder) = &options.data {
        return Ok((open_statistics(folder, private_traits).await?, None));
    }
    if options.files.is_empty() {
        let client = options.api.client_with_key("the project's Read Key")?;
        return Ok((Statistics::Remote(client), None));
    }
    let query = &mut options.query;
    let project = query.project.as_ref();
    let zone = query.timezone.as_ref();
    // A program that reads the output does not see what was guessed.
    let guesses = !options.json && !options.csv;
    let loaded = LoadedFiles::new(&options.files, project, &options.reading, zone, guesses).await?;
    if !loaded.is_whole() {
        eprintln!("{}", loaded.counts());
    }
    query.project = Some(loaded.project.clone());
    let (first, last) =
        (loaded.report.summary.period).context("the files have no record to count")?;
    query.is_undated = loaded.report.is_undated;
    let divides =
        query.is_series() || query.period.is_some() || query.start.is_some() || query.end.is_some();
    ensure!(
        !query.is_undated || !divides,
        "the files have no dates, so nothing tells what belongs to a period; --created DATE dates all records"
    );
    query.fill_period(first, last);
    let statistics = Statistics::of_store(&loaded.store, private_traits);
    refuse_not_imported(&loaded, query, &statistics).await?;
    Ok((statistics, loaded.share()))
}

/// A trait that was asked for, while a column of its name is not imported.
#[derive(Debug)]
struct NotImported {
    name: String,
    /// The value of `--map` that imports it.
    mapping: String,
}

impl fmt::Display for NotImported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, mapping } = self;
        let words = format!("`{name}` is not imported; add --map {}", argument(mapping));
        f.write_str(&printable(&words))
    }
}

impl std::error::Error for NotImported {}

/// Refuses a request about a column of the files that is not imported.
async fn refuse_not_imported(
    loaded: &LoadedFiles,
    query: &StatisticsRequest,
    statistics: &Statistics,
) -> anyhow::Result<()> {
    let of_column = |name: &TraitName| {
        Some(NotImported {
            name: name.as_str().to_owned(),
            mapping: loaded.report.mapping_of_trait(name.as_str())?,
        })
    };
    let columns: Vec<_> = query.traits().filter_map(of_column).collect();
    if columns.is_empty() {
        return Ok(());
    }
    // Another file may have it as a trait.
    let traits = statistics.traits(&query.unfiltered()).await?;
    let is_trait = |name: &str| traits.elements.iter().any(|found| found.name == name);
    let mut missing = columns.into_iter().filter(|column| !is_trait(&column.name));
    missing.next().map_or(Ok(()), |column| Err(column.into()))
}

/// The options whose names differ from those of the parameters.
const OPTIONS: [(&str, &str); 6] = [
    ("startDate", "--start"),
    ("endDate", "--end"),
    ("weekStart", "--week-start"),
    ("groupBy", "--group-by"),
    ("groupLimit", "--group-limit"),
    ("compare", "--compare"),
];

/// Returns what is printed, and how many records could not be read. `share` says how many rows of files the figures
/// are of, if not of all.
async fn output(
    options: &Options,
    statistics: &Statistics,
    share: Option<&str>,
) -> anyhow::Result<(String, u64)> {
    let now = service::now();
    let query = options.query.clone().with_default_period(now.into());
    if options.json {
        let parameters = if options.traits {
            query.describing()
        } else {
            query.parameters()
        };
        let document = statistics.request(&parameters).await?;
        return Ok((document.text, document.skipped));
    }
    if options.traits {
        let Answer {
            elements, skipped, ..
        } = statistics.describe(&query).await?;
        let text = match elements.as_slice() {
            [] if query.filter.is_empty() => "No record of this period has a trait.\n".to_owned(),
            [] => screen::nothing(&query),
            traits => screen::draw_traits(traits, width()),
        };
        return Ok((text, skipped));
    }
    if options.csv {
        let Answer {
            elements, skipped, ..
        } = statistics.ask(&query).await?;
        let text = csv::table(&query, &elements, std::io::stdout().is_terminal())?;
        return Ok((text, skipped));
    }
    let in_full = query.in_full();
    let summary = PeriodSummary::request(statistics, &in_full).await?;
    let mut text = screen::draw(&in_full, &summary, share, now.into(), width());
    if summary.figures.displays == 0
        && let Some(meant) = statistics.meant_filter(&in_full).await
    {
        text = format!("{text}Did you mean {}?\n", printable(&meant));
    }
    Ok((text, summary.skipped))
}

/// Returns the width of a drawing: that of the terminal, from 24 to 120 columns, or 80 elsewhere.
fn width() -> usize {
    let size = Term::stdout().size_checked();
    size.map_or(80, |(_, columns)| usize::from(columns).clamp(24, 120))
}
