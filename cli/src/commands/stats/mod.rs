//! `feedback stats`: requests the statistics of a project and draws them.

mod csv;
mod scale;
mod screen;
mod summary;
mod table;
mod traits;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use anyhow::anyhow;
use console::Term;
use shared::model::Timestamp;

use crate::client::{ApiAddress, Client, Refused, SecretHeader, required_env};
use crate::figures::{MissingTrait, StatisticsRequest, ask, describe};
use crate::text::{JsonWriter, print, printable};
use summary::PeriodSummary;

/// Request the statistics of a project, and draw them
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    query: StatisticsRequest,
    /// List the traits of the records instead: what there is to filter and group by
    #[arg(long, conflicts_with_all = [
        "interval", "week_start", "group_by", "group_limit", "respondents", "confidence", "csv",
    ])]
    traits: bool,
    /// Print what the API answers, unchanged
    #[arg(long)]
    json: bool,
    /// Print a table as CSV, a row for each interval and group
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    api: ApiAddress,
}

/// Runs the command. The exit code is 2 if nothing was found because no record has a trait that was asked
/// for.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let key = required_env("FEEDBACK_READ_KEY", "the project's Read Key")?;
    let client = options.api.client(SecretHeader::read_key(&key)?)?;
    match output(&options, &client).await {
        Ok(text) => {
            if options.json {
                print(JsonWriter::stdout(), &(text + "\n"))?;
            } else {
                print(std::io::stdout(), &text)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            let missing: MissingTrait = error.downcast().map_err(naming_options)?;
            let nearest = missing.nearest.as_deref().map(printable);
            let hint = nearest.map_or(" (--traits lists what there is)".into(), |name| {
                format!("; did you mean {name}?")
            });
            eprintln!("feedback: {missing}{hint}");
            Ok(ExitCode::from(2))
        }
    }
}

/// Adds the options at fault whose names differ from those of the parameters that the service names.
fn naming_options(error: anyhow::Error) -> anyhow::Error {
    let option = |parameter: &str| match parameter {
        "startDate" => Some("--start"),
        "endDate" => Some("--end"),
        "weekStart" => Some("--week-start"),
        "groupBy" => Some("--group-by"),
        "groupLimit" => Some("--group-limit"),
        _ => None,
    };
    let refused = error.downcast_ref::<Refused>();
    let options: Vec<_> =
        refused.map_or_else(Vec::new, |it| it.parameters().filter_map(option).collect());
    if options.is_empty() {
        return error;
    }
    anyhow!("{error} ({})", options.join(", "))
}

/// Returns what is printed.
async fn output(options: &Options, client: &Client) -> anyhow::Result<String> {
    let now = Timestamp::now();
    let query = options.query.clone().with_default_period(now.into());
    if options.json {
        let parameters = if options.traits {
            query.describing()
        } else {
            query.parameters()
        };
        return client.statistics(&parameters).await;
    }
    if options.traits {
        let traits = describe(client, &query).await?;
        return Ok(match traits.as_slice() {
            [] => screen::nothing(&query),
            traits => traits::draw(traits, width()),
        });
    }
    if options.csv {
        let elements = ask(client, &query).await?;
        return csv::table(&query, &elements, std::io::stdout().is_terminal());
    }
    let query = query.in_full();
    let divided = async {
        let is_divided = query.is_series() || query.group_by.is_some();
        anyhow::Ok(if is_divided {
            ask(client, &query).await?
        } else {
            Vec::new()
        })
    };
    let (summary, divided) = tokio::try_join!(PeriodSummary::request(client, &query), divided)?;
    Ok(screen::draw(
        &query,
        &summary,
        &divided,
        now.into(),
        width(),
    ))
}

/// Returns the width of a drawing: that of the terminal, from 50 to 120 columns, or 80 elsewhere.
fn width() -> usize {
    let size = Term::stdout().size_checked();
    size.map_or(80, |(_, columns)| usize::from(columns).clamp(50, 120))
}
