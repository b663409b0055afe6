//! `feedback stats`: draws the statistics of a project, of an API, a data folder or files.

mod breakdown;
mod nothing_found;
mod period_summary;
mod screen;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use clap::ArgGroup;
use console::Term;
use intake::{Undecided, argument};
use model::{PrivateTraits, TraitName};

use super::command_store::open_statistics;
use super::record_files::{LoadedFiles, ResponseOptions, refused};
use crate::client::{ApiAddress, Refused};
use crate::figures::{MissingTrait, Statistics, StatisticsRequest, warning_of_skipped};
use crate::lifecycle::{Usage, done, interruptible};
use crate::nearest::nearest;
use crate::text::{csv_for_output, json_for_output, print, printable};
use nothing_found::matching_nothing;
use period_summary::PeriodSummary;

/// Show the figures of a project
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
        "interval", "week_start", "group_by", "group_limit", "respondents", "confidence", "compare",
    ])]
    traits: bool,
    /// Print what the API answers, unchanged
    #[arg(long)]
    json: bool,
    /// Print what the API answers as CSV, a row for each interval, group or trait
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Show the figures of this data folder, without a server or a key
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// With files and --data: the traits that name people, by which statistics are not grouped; an empty
    /// list is none [default: those of `feedback serve`]
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
    interruptible(show(options)).await
}

async fn show(mut options: Options) -> anyhow::Result<ExitCode> {
    let mut not_imported = Vec::new();
    let shown = async {
        let (statistics, share) = open(&mut options, &mut not_imported).await?;
        let output = output(&options, &statistics, share.as_deref()).await?;
        anyhow::Ok((output, share))
    };
    let mut error = match shown.await {
        Ok(((text, skipped), share)) => {
            if let Some(warning) = warning_of_skipped(skipped) {
                eprintln!("{warning}");
            }
            let text = match text {
                json if options.json => json_for_output(json + "\n"),
                csv if options.csv => csv_for_output(csv),
                drawing => drawing,
            };
            print(&text)?;
            return Ok(done(share.is_none()));
        }
        Err(error) => error,
    };
    if error.is::<Undecided>() {
        return refused(error, &options.files);
    }
    Refused::rename(&mut error, &OPTIONS);
    let refused = error.downcast_ref::<Refused>();
    let is_private = refused.is_some_and(|refused| refused.has_code("private_trait"));
    if is_private && (options.data.is_some() || !options.files.is_empty()) {
        let problem = format!("{error} (--private-traits says which traits name people)");
        bail!(Usage(problem));
    }
    let missing: MissingTrait = error.downcast()?;
    let is_json = |file: &PathBuf| file.display().to_string().contains("json");
    let are_tables = !options.files.is_empty() && !options.files.iter().any(is_json);
    let hint = match (&missing.nearest, nearest_path(&missing.name, &not_imported)) {
        _ if are_tables && missing.is_group_of("number") => {
            let option = argument(&format!("--string-traits={}", missing.name));
            format!(", or group by its texts: {option}")
        }
        _ if missing.found.is_some() => LIST.to_owned(),
        (Some(name), _) => format!("; did you mean {name}?"),
        (None, Some(path)) => format!("; {}", mapping(&missing.name, path)),
        (None, None) => LIST.to_owned(),
    };
    Err(Usage(format!("{missing}{}", printable(&hint))).into())
}

const LIST: &str = " (--traits lists what there is)";

/// Opens what answers the request; returns how many rows of files it has, if not all could be used. Files
/// complete the request: by their project, and by the period of their records. What of them is not imported is added to
/// a list.
async fn open(
    options: &mut Options,
    not_imported: &mut Vec<String>,
) -> anyhow::Result<(Statistics, Option<String>)> {
    if options.files.is_empty() && options.query.project.is_none() {
        let missing = "which project? Name a FILE of responses, or give --project PROJECT, or set FEEDBACK_PROJECT";
        bail!(Usage(missing.to_owned()));
    }
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
    let traits = query.traits().map(|name| name.as_str().to_owned());
    let traits = traits.filter(|_| guesses).collect();
    let loaded = LoadedFiles::new(
        &options.files,
        project,
        &options.reading,
        zone,
        guesses,
        traits,
    )
    .await?;
    if query.is_latest() && !loaded.report.has_people {
        eprintln!(
            "no record says whose it is, so --respondents counts all; --map userId=… names the column of people"
        );
    }
    if !loaded.is_whole() {
        eprintln!("{}", loaded.counts());
    }
    query.project = Some(loaded.project.clone());
    let (first, last) = (loaded.report.period).context("the files have no record to count")?;
    query.is_undated = loaded.report.is_undated;
    let divides = query.is_series()
        || query.period.is_some()
        || query.start.is_some()
        || query.end.is_some()
        || query.compared_with().is_some();
    ensure!(
        !query.is_undated || !divides,
        "the files have no dates, so nothing tells what belongs to a period; --created DATE dates all records"
    );
    query.fill_period(first, last);
    let share = loaded.share();
    not_imported.extend(loaded.report.not_imported().map(str::to_owned));
    let statistics = Statistics::of_store(loaded.store, private_traits);
    refuse_not_imported(not_imported, query, &statistics).await?;
    Ok((statistics, share))
}

/// Refuses a request about a column of files that is not imported, also where a condition holds without it.
async fn refuse_not_imported(
    not_imported: &[String],
    query: &StatisticsRequest,
    statistics: &Statistics,
) -> anyhow::Result<()> {
    let of_column = |name: &TraitName| {
        let path = nearest_path(name.as_str(), not_imported)?;
        is_it(name.as_str(), path).then(|| (name.as_str().to_owned(), path))
    };
    let columns: Vec<_> = query.traits().filter_map(of_column).collect();
    if columns.is_empty() {
        return Ok(());
    }
    // Another file may have it as a trait.
    let traits = statistics.traits(&query.of_all_records()).await?;
    let is_trait = |name: &str| traits.elements.iter().any(|found| found.name == name);
    let mut missing = columns.into_iter().filter(|(name, _)| !is_trait(name));
    match missing.next() {
        None => Ok(()),
        Some((name, path)) => {
            let words = format!("no record has `{name}`; {}", mapping(&name, path));
            bail!(Usage(printable(&words).into_owned()))
        }
    }
}

fn nearest_path<'a>(name: &str, not_imported: &'a [String]) -> Option<&'a str> {
    nearest(name, not_imported.iter().map(String::as_str))
}

/// Returns whether a column or member has this name, in any case.
fn is_it(name: &str, path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or_default();
    [path, last].iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// Says how what is at a path becomes the trait that is probably meant by a name.
fn mapping(name: &str, path: &str) -> String {
    let own = path.rsplit('.').next().unwrap_or_default();
    let name = if is_it(name, path) { name } else { own };
    let mapping = if name == path {
        format!("traits.{path}")
    } else {
        format!("traits.{name}={path}")
    };
    format!("`{path}` is not imported: --map {}", argument(&mapping))
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
    if options.json || options.csv {
        // A table of a trait that no record has, or only with another type, would look like one of a trait that nobody
        // has.
        if options.csv && query.traits().next().is_some() {
            let (asked, _) = statistics.ask_by_type(&query).await?;
            if let Some(by) = asked
                .group_by
                .filter(|by| query.group_by.as_ref() != Some(by))
            {
                let problem = format!(
                    "no record of this period has it as a string: --group-by {}.{}",
                    by.kind,
                    by.name.as_str()
                );
                return Err(Usage(problem).into());
            }
        }
        let mut parameters = if options.traits {
            query.describing()
        } else {
            query.parameters()
        };
        parameters.extend(options.csv.then(|| ("format", "csv".to_owned())));
        let document = statistics.request(&parameters).await?;
        return Ok((document.text, document.skipped));
    }
    if options.traits {
        let described = statistics.describe(&query).await?;
        let text = match described.elements.as_slice() {
            [] if query.filter.is_empty() => "No record of this period has a trait.\n".to_owned(),
            [] => lines(&matching_nothing(statistics, &query).await),
            traits => screen::draw_traits(traits, width()),
        };
        return Ok((text, described.skipped));
    }
    let in_full = query.in_full();
    let summary = PeriodSummary::request(statistics, &in_full).await?;
    let mut text = screen::draw(&in_full, &summary, share, now.into(), width());
    if summary.figures.displays == 0 {
        let sentences = nothing_found::sentences(statistics, &in_full, &summary.period).await;
        text = format!("{text}\n{}", lines(&sentences));
    }
    Ok((text, summary.skipped))
}

fn lines(sentences: &[String]) -> String {
    let lines = sentences.iter().map(|line| screen::wrapped(line, width()));
    lines.collect()
}

/// Returns the width of a drawing: that of the terminal, from 24 to 120 columns, or 80 elsewhere.
fn width() -> usize {
    let size = Term::stdout().size_checked();
    size.map_or(80, |(_, columns)| usize::from(columns).clamp(24, 120))
}
