//! `feedback stats`: requests the statistics of a project and draws them.

mod filter;
mod screen;

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context;
use reqwest::header::HeaderName;
use serde::Deserialize;
use shared::model::ProjectId;

use self::filter::Filter;
use super::client::{SecretHeader, Service, UNEXPECTED, read_body, required_env};
use crate::text::JsonWriter;

/// Request the statistics of a project, and draw them
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long)]
    project: ProjectId,
    /// The start of the period, inclusive [default: 30 days before its end]
    #[arg(long, value_name = "DATE")]
    start: Option<String>,
    /// The end of the period, exclusive [default: now]
    #[arg(long, value_name = "DATE")]
    end: Option<String>,
    /// Count only records whose trait matches: a string by eq, ne, contains or ncontains, a number by
    /// number.eq, .ne, .gt, .gte, .lt or .lte, a boolean by boolean.eq or .ne; may be given several
    /// times
    #[arg(long, value_name = "NAME=OPERATOR:VALUE")]
    filter: Vec<Filter>,
    /// Print the response unchanged
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

#[derive(Deserialize)]
struct Document {
    data: [Data; 1],
}

#[derive(Deserialize)]
struct Data {
    attributes: Figures,
}

/// The figures of the contract, section 4.
#[derive(Deserialize)]
struct Figures {
    responses: u64,
    displays: u64,
    dismissed: u64,
    promoters: u64,
    passives: u64,
    detractors: u64,
    nps: f64,
    frequency: [u64; 11],
}

/// Runs the command.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let key = required_env("FEEDBACK_READ_KEY", "the project's Read Key")?;
    let header = SecretHeader::new(HeaderName::from_static("authkey"), &key)?;
    let filters: Vec<_> = options.filter.iter().flat_map(Filter::parameters).collect();
    let mut parameters = vec![("project", options.project.as_str())];
    parameters.extend(options.start.as_deref().map(|start| ("startDate", start)));
    parameters.extend(options.end.as_deref().map(|end| ("endDate", end)));
    parameters.extend(filters.iter().map(|(name, value)| (name.as_str(), *value)));
    let client = options.service.client(header)?;
    let url = client.url(response_statistics::PATH, &parameters)?;
    let body = read_body(client.get(url).await?).await?;
    // A reader may close the pipe early.
    let _ = if options.json {
        writeln!(JsonWriter::stdout(), "{body}")
    } else {
        let document: Document = serde_json::from_str(&body).context(UNEXPECTED)?;
        let [data] = document.data;
        write!(
            std::io::stdout(),
            "{}",
            screen::draw(&options, &data.attributes)
        )
    };
    Ok(ExitCode::SUCCESS)
}
