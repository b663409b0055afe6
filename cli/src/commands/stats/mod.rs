//! `feedback stats`: requests the statistics of a project and draws them.

mod bar;
mod change;
mod claims;
mod csv;
mod figures;
mod filter;
mod group_by;
mod options;
mod scale;
mod screen;
mod table;
mod traits;

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use console::Term;
use reqwest::header::HeaderName;

use super::client::{SecretHeader, read_body, required_env};
use crate::text::JsonWriter;

pub use options::Options;

/// Runs the command.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let key = required_env("FEEDBACK_READ_KEY", "the project's Read Key")?;
    let header = SecretHeader::new(HeaderName::from_static("authkey"), &key)?;
    let parameters = options.parameters();
    let parameters: Vec<_> = parameters
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let client = options.api.client(header)?;
    let url = client.url(response_statistics::PATH, &parameters)?;
    let body = read_body(client.get(url).await?).await?;
    let mut stdout = std::io::stdout();
    // A reader may close the pipe early.
    let _ = if options.json {
        writeln!(JsonWriter::stdout(), "{body}")
    } else if options.traits {
        write!(stdout, "{}", traits::draw(&options, &body)?)
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
