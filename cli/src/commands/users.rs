//! `feedback users`: requests the users of a project and shows them as a table.

use std::collections::HashSet;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use console::{Alignment, Style, pad_str, truncate_str};
use indicatif::HumanCount;
use reqwest::header::LINK;
use reqwest::{Response, Url};
use serde::Deserialize;
use shared::model::{ProjectId, UserId};

use crate::client::{
    ApiAddress, Client, SecretHeader, UNEXPECTED, next_piece, read_document, required_env,
};
use crate::text::{JsonWriter, UNPRINTABLE, printable, unless_closed};

/// Request the users of a project, and show them as a table
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long, env = "FEEDBACK_PROJECT", hide_env_values = true)]
    project: ProjectId,
    /// Request only the user with this `userId`
    #[arg(long)]
    user_id: Option<UserId>,
    /// Print the response unchanged
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: ApiAddress,
}

/// The document of the contract, section 3.
#[derive(Deserialize)]
struct UserPage {
    users: Vec<User>,
}

#[derive(Deserialize)]
struct User {
    #[serde(rename = "userId")]
    id: String,
    #[serde(rename = "lastSeen")]
    last_seen: Option<String>,
    email: Option<String>,
    name: Option<String>,
    unsubscribed: bool,
}

/// Runs the command.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let username = required_env("FEEDBACK_USERNAME", "the account's username")?;
    let password = required_env("FEEDBACK_PASSWORD", "the account's password")?;
    let header = SecretHeader::basic(&username, &password)?;
    let project = ("project", options.project.to_string());
    let mut parameters = vec![project];
    match &options.user_id {
        Some(user_id) => parameters.push(("userId", user_id.as_str().to_owned())),
        // The table is printed page by page: so many users of ordinary size stay far below the 6 MB of a
        // page.
        None if !options.json => parameters.push(("limit", "100".to_owned())),
        None => {}
    }
    let client = options.service.client(header)?;
    let url = client.url(users::PATH, &parameters)?;
    unless_closed(if options.json {
        copy(client.get(url).await?).await
    } else {
        print_table(&client, url).await
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn copy(mut response: Response) -> anyhow::Result<()> {
    let mut stdout = JsonWriter::stdout();
    while let Some(chunk) = next_piece(&mut response).await? {
        stdout.write_all(&chunk).context(UNPRINTABLE)?;
    }
    stdout.write_all(b"\n").context(UNPRINTABLE)?;
    stdout.flush().context(UNPRINTABLE)
}

async fn print_table(client: &Client, mut url: Url) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout();
    let heading = row(["USER ID", "NAME", "EMAIL", "LAST SEEN"]);
    let mut heading = Some(Style::new().bold().apply_to(heading));
    let (mut count, mut requested) = (0, HashSet::new());
    loop {
        ensure!(
            requested.insert(url.clone()),
            "{UNEXPECTED}: its Link leads to a page again"
        );
        let response = client.get(url.clone()).await?;
        let next = next_page(&response);
        let body = read_document(response).await?;
        let UserPage { users } = serde_json::from_str(&body).context(UNEXPECTED)?;
        if let Some(heading) = heading.take() {
            writeln!(stdout, "{heading}").context(UNPRINTABLE)?;
        }
        for user in &users {
            writeln!(stdout, "{}", line(user)).context(UNPRINTABLE)?;
        }
        count += users.len() as u64;
        match next {
            Some(link) => url = client.resolve(&url, &link)?,
            None => break,
        }
    }
    let noun = if count == 1 { "user" } else { "users" };
    writeln!(stdout, "\n{} {noun}", HumanCount(count)).context(UNPRINTABLE)?;
    stdout.flush().context(UNPRINTABLE)
}

/// Returns the target of the `Link` to the next page (contract, section 3). What is between here and the
/// service may add others.
fn next_page(response: &Response) -> Option<String> {
    let links = response.headers().get_all(LINK).iter();
    let mut links = links.filter_map(|link| link.to_str().ok()?.strip_prefix('<'));
    let next = links.find_map(|link| link.strip_suffix(">; rel=\"next\""))?;
    Some(next.to_owned())
}

fn line(user: &User) -> String {
    let seen = user.last_seen.as_deref();
    let day = seen.map_or("never", |seen| seen.get(..10).unwrap_or(seen));
    let email = user.email.as_deref().unwrap_or("-");
    let row = row([&user.id, user.name.as_deref().unwrap_or("-"), email, day]);
    if user.unsubscribed {
        Style::new().dim().apply_to(row).to_string()
    } else {
        row
    }
}

/// Returns a row of four columns, 79 characters wide.
fn row(cells: [&str; 4]) -> String {
    let cells: Vec<_> = cells
        .into_iter()
        .zip([24, 18, 24, 10])
        .map(|(cell, width)| {
            let cell = printable(cell);
            let cut = truncate_str(&cell, width, "…");
            pad_str(&cut, width, Alignment::Left, None).into_owned()
        })
        .collect();
    cells.join(" ").trim_end().to_owned()
}
