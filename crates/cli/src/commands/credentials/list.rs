//! `feedback credentials list`: lines of fields that tabs separate, or columns with a header in a terminal.

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use admin::{AdminStore, Decoded};
use anyhow::Context;
use console::{Alignment, Style, measure_text_width, pad_str};
use encoding::StoredCredential;
use model::{Credential, ProjectId};

use crate::text::{self, printable};

const HEADER: [&str; 5] = ["ID", "KIND", "PROJECT OR ACCOUNT", "CREATED", "LABEL"];

/// The kind of a credential that cannot be decoded, and what it authorizes.
const DAMAGED: [&str; 2] = [
    "unknown",
    "damaged or of an unknown kind, authorizes nothing",
];

pub(super) async fn print(store: &AdminStore, project: Option<&ProjectId>) -> anyhow::Result<()> {
    let listed =
        |stored: &&StoredCredential| project.is_none_or(|project| stored.authorizes(project));
    let found = sorted(store).await?;
    let stored = found.records.iter().filter(listed);
    let text = if std::io::stdout().is_terminal() {
        table(stored.map(fields).collect())
    } else {
        stored.map(|stored| line(stored) + "\n").collect()
    };
    // A damaged one names no project, so a list of one project leaves it out.
    for key in found.damaged.iter().filter(|_| project.is_none()) {
        eprintln!("left out {}", no_digest(key));
    }
    text::print(&text)
}

pub(super) async fn sorted(store: &AdminStore) -> anyhow::Result<Decoded<StoredCredential>> {
    let found = store.credentials().await;
    let mut found = found.context("cannot read the credentials")?;
    let records = &mut found.records;
    records.sort_by_cached_key(|stored| (stored.created, stored.digest.to_string()));
    Ok(found)
}

fn table(mut lines: Vec<[String; 5]>) -> String {
    lines.insert(0, HEADER.map(str::to_owned));
    let mut widths = [0; 5];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = measure_text_width(cell).max(*width);
        }
    }
    let mut text = String::new();
    let mut style = Style::new().bold();
    for line in &lines {
        let cells = line.iter().zip(widths);
        let cells = cells.map(|(cell, width)| pad_str(cell, width, Alignment::Left, None));
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", style.apply_to(line.trim_end()));
        style = Style::new();
    }
    text
}

/// Describes an item whose key is no digest: no secret can match it.
pub(crate) fn no_digest(key: &str) -> String {
    format!("{key:?}, which is no SHA-256 of a secret and authorizes nothing")
}

/// Returns the line of a credential, whose fields are separated by tabs.
pub(crate) fn line(stored: &StoredCredential) -> String {
    fields(stored).join("\t")
}

fn fields(stored: &StoredCredential) -> [String; 5] {
    let credential = stored.credential.as_ref();
    let [kind, what] = credential.map_or_else(|| DAMAGED.map(str::to_owned), description);
    let created = stored
        .created
        .map_or_else(|| "-".to_owned(), |created| created.to_string());
    let label = printable(stored.label.as_deref().unwrap_or("-")).into_owned();
    [stored.digest.short_id(), kind, what, created, label]
}

/// Returns the kind of a credential, and what it authorizes.
pub(super) fn description(credential: &Credential) -> [String; 2] {
    let what = match credential {
        Credential::ReadKey(project) => project.to_string(),
        Credential::Account(account) => {
            let mut projects: Vec<_> = account.projects.iter().map(ProjectId::as_str).collect();
            // DynamoDB keeps no order of a set.
            projects.sort_unstable();
            let username = printable(&account.username);
            let also = if account.statistics {
                ", also statistics"
            } else {
                ""
            };
            format!("{username} ({}){also}", projects.join(", "))
        }
    };
    [credential.kind().to_string(), what]
}
