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
mod unknown;
mod way_out;

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use console::Term;

use super::client::{Client, SecretHeader, read_body, required_env};
use crate::text::{JsonWriter, printable};

pub use options::Options;

/// Runs the command.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let key = required_env("FEEDBACK_READ_KEY", "the project's Read Key")?;
    let client = options.api.client(SecretHeader::read_key(&key)?)?;
    let body = match request(&client, &options.parameters()).await {
        Ok(body) => body,
        Err(error) => return refused(error),
    };
    if !options.json
        && let Some(error) = unknown::error(&options, &client, &body).await?
    {
        eprintln!("feedback: {error}");
        return Ok(ExitCode::from(2));
    }
    let mut stdout = std::io::stdout();
    // A reader may close the pipe early.
    let _ = if options.json {
        writeln!(JsonWriter::stdout(), "{body}")
    } else if options.traits {
        write!(stdout, "{}", traits::draw(&options, &body, width())?)
    } else if options.csv {
        let table = csv::table(&options, &body, stdout.is_terminal())?;
        write!(stdout, "{table}")
    } else {
        let elements = figures::parse(&body, options.is_divided())?;
        write!(stdout, "{}", screen::draw(&options, &elements, width()))
    };
    Ok(ExitCode::SUCCESS)
}

/// Fails with this error; shows the command that would succeed, if one is known.
fn refused(error: anyhow::Error) -> anyhow::Result<ExitCode> {
    let Some(command) = way_out::command(&error) else {
        return Err(error);
    };
    let error = error.to_string();
    eprintln!("feedback: {}", printable(&error));
    eprintln!("This shows what can be read:\n{command}");
    Ok(ExitCode::FAILURE)
}

async fn request(client: &Client, parameters: &[(&str, String)]) -> anyhow::Result<String> {
    let url = client.url(response_statistics::PATH, parameters)?;
    read_body(client.get(url).await?).await
}

/// Returns the width of a drawing: that of the terminal, from 50 to 120 columns, or 80 elsewhere.
fn width() -> usize {
    let size = Term::stdout().size_checked();
    size.map_or(80, |(_, columns)| usize::from(columns).clamp(50, 120))
}
