//! `feedback export`: what a project holds, as `feedback import` takes it.

use std::io::{BufWriter, Write};

use serde::Serialize;
use shared::model::{
    Outcome, ProjectId, Rating, RecordId, ResponseRecord, SHARDS, Timestamp, Traits, UserId,
};
use shared::store::Store;

use crate::target::{Target, reason};

const EXAMPLES: &str = "\
Examples:
  feedback export responses --project acme --data ./data > responses.ndjson
  feedback export users --project acme --data ./data | gzip > users.ndjson.gz
  feedback export responses --project acme --data ./data | feedback import responses - --project acme";

/// What can be exported.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum Command {
    /// Write the response records to standard output, one JSON object a line
    #[command(after_help = EXAMPLES)]
    Responses(Options),
    /// Write the users to standard output, one JSON object a line
    #[command(after_help = EXAMPLES)]
    Users(Options),
}

/// What is exported, and from where.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long)]
    project: ProjectId,
    #[command(flatten)]
    target: Target,
}

/// A response record as `SatisMeter` exports it, as far as we keep it.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a RecordId,
    created: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<Rating>,
    dismissed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<LineUser<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LineUser<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<&'a UserId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traits: Option<&'a Traits>,
}

impl<'a> From<&'a ResponseRecord> for Line<'a> {
    fn from(record: &'a ResponseRecord) -> Self {
        let (user_id, traits) = (record.user_id.as_ref(), record.traits.as_ref());
        let known = user_id.is_some() || traits.is_some();
        Self {
            id: &record.id,
            created: record.created,
            rating: record.outcome.rating(),
            dismissed: record.outcome == Outcome::Dismissed,
            user: known.then_some(LineUser { user_id, traits }),
        }
    }
}

/// Runs the command. `Ok(false)` when stored records could not be decoded; `Err` is one line for
/// people.
pub async fn run(command: Command) -> Result<bool, String> {
    let (Command::Responses(options) | Command::Users(options)) = &command;
    let opened = options.target.open_existing().await?;
    let mut output = Output {
        file: BufWriter::new(std::io::stdout()),
        written: 0,
        damaged: 0,
    };
    let exported = match &command {
        Command::Responses(_) => responses(&opened.store, &options.project, &mut output).await,
        Command::Users(_) => users(&opened.store, &options.project, &mut output).await,
    };
    opened.close().await;
    exported.and_then(|()| output.file.flush().map_err(unwritable))?;
    eprintln!("{} exported, {} damaged", output.written, output.damaged);
    Ok(output.damaged == 0)
}

async fn responses(store: &Store, project: &ProjectId, output: &mut Output) -> Result<(), String> {
    for shard in 0..SHARDS {
        let mut pages = store.whole_responses(project, shard);
        while let Some(page) = pages
            .next_responses()
            .await
            .map_err(|error| unreadable(&error))?
        {
            for record in &page {
                output.line(record.as_ref().map(Line::from))?;
            }
        }
    }
    Ok(())
}

async fn users(store: &Store, project: &ProjectId, output: &mut Output) -> Result<(), String> {
    let mut pages = store.whole_users(project);
    while let Some(page) = pages
        .next_users()
        .await
        .map_err(|error| unreadable(&error))?
    {
        for user in &page {
            output.line(user.as_ref())?;
        }
    }
    Ok(())
}

fn unreadable(error: &shared::error::Error) -> String {
    format!("the export broke off: {}", reason(error))
}

#[allow(clippy::needless_pass_by_value)] // what `map_err` asks for
fn unwritable(error: std::io::Error) -> String {
    format!("the export broke off: standard output cannot be written: {error}")
}

/// Standard output, and what became of the records.
struct Output {
    file: BufWriter<std::io::Stdout>,
    written: u64,
    damaged: u64,
}

impl Output {
    fn line(&mut self, record: Result<impl Serialize, &String>) -> Result<(), String> {
        match record {
            Ok(record) => {
                serde_json::to_writer(&mut self.file, &record)
                    .map_err(|error| unwritable(error.into()))?;
                self.file.write_all(b"\n").map_err(unwritable)?;
                self.written += 1;
            }
            Err(key) => {
                eprintln!("{key:?} cannot be decoded and is left out");
                self.damaged += 1;
            }
        }
        Ok(())
    }
}
