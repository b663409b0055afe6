//! `feedback stats`: requests the statistics of a project and draws them.

mod bar;
mod csv;
mod figures;
mod filter;
mod group_by;
mod scale;
mod screen;
mod table;

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use console::Term;
use reqwest::header::HeaderName;
use shared::model::{Confidence, GroupBy, Invalid, ProjectId, TraitFilter, Unit, WeekStart};

use super::client::{ApiAddress, SecretHeader, read_body, required_env};
use crate::text::JsonWriter;

/// Request the statistics of a project, and draw them
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long)]
    project: ProjectId,
    /// The start of the period, inclusive [default: 30 days before the end]
    #[arg(long, value_name = "DATE")]
    start: Option<String>,
    /// The end of the period, exclusive [default: now]
    #[arg(long, value_name = "DATE")]
    end: Option<String>,
    /// Count only records whose trait matches: a string by eq, ne, contains or ncontains, a number by
    /// number.eq, .ne, .gt, .gte, .lt or .lte, a boolean by boolean.eq or .ne; may be given several
    /// times
    #[arg(long, value_name = "NAME=OPERATOR:VALUE")]
    filter: Vec<TraitFilter>,
    /// Divide the period into the intervals of the calendar; `all` is the period, with its start and end
    #[arg(long, value_parser = named::<Unit>(Unit::NAMES))]
    interval: Option<Unit>,
    /// The first day of a week [default: monday]
    #[arg(long, requires = "interval", value_parser = named::<WeekStart>(WeekStart::NAMES))]
    week_start: Option<WeekStart>,
    /// The time zone of the calendar, and of dates without an offset, such as Europe/Prague
    /// [default: UTC]
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Divide the records by a trait: NAME is a string, boolean.NAME a boolean
    #[arg(long, value_name = "NAME", value_parser = group_by::parse)]
    group_by: Option<GroupBy>,
    /// Show this many groups, the largest, and all others as one: 1 to 100 [default: 20]
    #[arg(long, value_name = "N", requires = "group_by")]
    group_limit: Option<u64>,
    /// Add the interval in which the score of all customers plausibly lies, in percent
    #[arg(long, value_parser = named::<Confidence>(Confidence::NAMES))]
    confidence: Option<Confidence>,
    /// Print the response unchanged
    #[arg(long)]
    json: bool,
    /// Print a table as CSV, a row for each interval and group
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    service: ApiAddress,
}

/// Parses a value by its name; the help lists the names.
fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = Invalid> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

fn text(value: &impl ToString) -> String {
    value.to_string()
}

/// Runs the command.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let key = required_env("FEEDBACK_READ_KEY", "the project's Read Key")?;
    let header = SecretHeader::new(HeaderName::from_static("authkey"), &key)?;
    let parameters = options.parameters();
    let parameters: Vec<_> = parameters
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let client = options.service.client(header)?;
    let url = client.url(response_statistics::PATH, &parameters)?;
    let body = read_body(client.get(url).await?).await?;
    let mut stdout = std::io::stdout();
    // A reader may close the pipe early.
    let _ = if options.json {
        writeln!(JsonWriter::stdout(), "{body}")
    } else if options.csv {
        let table = csv::table(&options, &body, stdout.is_terminal())?;
        write!(stdout, "{table}")
    } else {
        let elements = figures::parse(&body, options.is_divided())?;
        write!(stdout, "{}", screen::draw(&options, &elements, width()))
    };
    Ok(ExitCode::SUCCESS)
}

/// Returns the width of a table: at most 80 columns, fewer in a narrow terminal.
fn width() -> usize {
    let size = Term::stdout().size_checked();
    size.map_or(80, |(_, columns)| usize::from(columns).clamp(50, 80))
}

impl Options {
    /// Returns whether the response has several elements.
    fn is_divided(&self) -> bool {
        self.interval.is_some() || self.group_by.is_some()
    }

    /// Returns the parameters of the request.
    fn parameters(&self) -> Vec<(String, String)> {
        let project = ("project", Some(self.project.as_str().to_owned()));
        let optional = [
            ("startDate", self.start.clone()),
            ("endDate", self.end.clone()),
            ("interval", self.interval.as_ref().map(text)),
            ("weekStart", self.week_start.as_ref().map(text)),
            ("timezone", self.timezone.clone()),
            ("groupBy", self.group_by.as_ref().map(text)),
            ("groupLimit", self.group_limit.as_ref().map(text)),
            ("confidence", self.confidence.as_ref().map(text)),
        ];
        let filters = self.filter.iter();
        let filters = filters.map(|filter| ("filter".to_owned(), filter.to_string()));
        let parameters = std::iter::once(project).chain(optional);
        parameters
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .chain(filters)
            .collect()
    }
}
