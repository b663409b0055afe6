//! `feedback users`: the users of a project, as a table.

use std::io::Write as _;

use console::{Alignment, Style, pad_str, truncate_str};
use indicatif::HumanCount;
use reqwest::header::LINK;
use reqwest::{Response, Url};
use serde::Deserialize;
use shared::model::{ProjectId, UserId};

use crate::client::{Client, Secret, Service, broken, variable};

/// Ask the API for the users of a project, and show them as a table
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long)]
    project: ProjectId,
    /// Only the user with this `userId`
    #[arg(long)]
    user_id: Option<UserId>,
    /// Print the answer as it is
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

/// The document of the contract, section 3.
#[derive(Deserialize)]
struct Answer {
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

/// Runs the command. `Err` is one line for people.
pub async fn run(options: Options) -> Result<(), String> {
    let username = variable("FEEDBACK_USERNAME", "the account's username")?;
    let password = variable("FEEDBACK_PASSWORD", "the account's password")?;
    let secret = Secret::basic(&username, &password)?;
    let project = ("project", options.project.as_str());
    let mut parameters = vec![project];
    match &options.user_id {
        Some(user_id) => parameters.push(("userId", user_id.as_str())),
        // A table is drawn page by page.
        None if !options.json => parameters.push(("limit", "1000")),
        None => {}
    }
    let client = options.service.client(secret)?;
    let target = client.target(users::PATH, &parameters)?;
    if options.json {
        copy(client.get(target).await?).await
    } else {
        table(&client, target).await
    }
}

async fn copy(mut answer: Response) -> Result<(), String> {
    let mut stdout = std::io::stdout();
    while let Some(chunk) = answer.chunk().await.map_err(|error| broken(&error))? {
        if stdout.write_all(&chunk).is_err() {
            // Whoever reads may have seen enough.
            return Ok(());
        }
    }
    let _ = stdout.write_all(b"\n");
    Ok(())
}

async fn table(client: &Client, mut target: Url) -> Result<(), String> {
    let mut stdout = std::io::stdout();
    let bold = Style::new().bold();
    let heading = row(["USER ID", "NAME", "EMAIL", "LAST SEEN"]);
    let _ = writeln!(stdout, "{}", bold.apply_to(heading));
    let mut count = 0;
    loop {
        let answer = client.get(target).await?;
        let next = answer
            .headers()
            .get(LINK)
            .and_then(|link| link.to_str().ok());
        let next =
            next.and_then(|link| Some(link.strip_prefix('<')?.split_once('>')?.0.to_owned()));
        let body = answer.text().await.map_err(|error| broken(&error))?;
        let Answer { users } = serde_json::from_str(&body)
            .map_err(|error| format!("the answer is not one of this API: {error}"))?;
        for user in &users {
            if writeln!(stdout, "{}", line(user)).is_err() {
                return Ok(());
            }
        }
        count += users.len() as u64;
        match next {
            Some(link) => target = client.follow(&link)?,
            None => break,
        }
    }
    let _ = writeln!(stdout, "\n{} users", HumanCount(count));
    Ok(())
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

/// Four columns in 80. What users call themselves must not steer the terminal.
fn row(cells: [&str; 4]) -> String {
    let cells: Vec<_> = cells
        .into_iter()
        .zip([24, 18, 24, 10])
        .map(|(cell, width)| {
            let harmless: String = cell
                .chars()
                .map(|c| if c.is_control() { '\u{FFFD}' } else { c })
                .collect();
            let cut = truncate_str(&harmless, width, "…").into_owned();
            pad_str(&cut, width, Alignment::Left, None).into_owned()
        })
        .collect();
    cells.join(" ").trim_end().to_owned()
}
