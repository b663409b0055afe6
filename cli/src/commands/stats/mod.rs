//! `feedback stats`: requests the statistics of a project and draws them.

mod bar;
pub(super) mod change;
pub(super) mod claims;
mod csv;
pub(super) mod figures;
mod filter;
pub(super) mod group_by;
mod query;
mod scale;
mod screen;
mod table;
pub(super) mod traits;
pub(super) mod unknown;

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use console::Term;

use super::client::{ApiAddress, Client, SecretHeader, UNEXPECTED, read_document, required_env};
use crate::text::{JsonWriter, printable};

pub(super) use query::Query;

/// Request the statistics of a project, and draw them
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    query: Query,
    /// Print the response unchanged
    #[arg(long)]
    json: bool,
    /// Print a table as CSV, a row for each interval and group
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    api: ApiAddress,
}

/// Runs the command.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let key = required_env("FEEDBACK_READ_KEY", "the project's Read Key")?;
    let client = options.api.client(SecretHeader::read_key(&key)?)?;
    let query = &options.query;
    let body = request(&client, &query.parameters()).await?;
    if !options.json {
        let shown = |found: &traits::Trait| Some(printable(&found.name).into_owned());
        let where_to_look = "--traits lists what there is";
        if let Some(error) = unknown::error(query, &client, &body, where_to_look, shown).await? {
            eprintln!("feedback: {error}");
            return Ok(ExitCode::from(2));
        }
    }
    let mut stdout = std::io::stdout();
    // A reader may close the pipe early.
    let _ = if options.json {
        writeln!(JsonWriter::stdout(), "{body}")
    } else if query.traits {
        write!(stdout, "{}", traits::draw(query, &body, width())?)
    } else if options.csv {
        let table = csv::table(query, &body, stdout.is_terminal())?;
        write!(stdout, "{table}")
    } else {
        let elements = figures::parse(&body, query.is_divided())?;
        write!(stdout, "{}", screen::draw(query, &elements, width()))
    };
    Ok(ExitCode::SUCCESS)
}

/// Requests the statistics with these parameters, and returns the document.
pub(super) async fn request(
    client: &Client,
    parameters: &[(&str, String)],
) -> anyhow::Result<String> {
    let url = client.url(response_statistics::PATH, parameters)?;
    let document = read_document(client.get(url).await?).await?;
    String::from_utf8(document).context(UNEXPECTED)
}

/// Returns the width of a drawing: that of the terminal, from 50 to 120 columns, or 80 elsewhere.
fn width() -> usize {
    let size = Term::stdout().size_checked();
    size.map_or(80, |(_, columns)| usize::from(columns).clamp(50, 120))
}
