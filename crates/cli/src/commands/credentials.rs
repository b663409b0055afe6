//! `feedback credentials`: manages the credentials of the API. A secret is shown once, when it is
//! created, and never stored.

use std::collections::HashSet;
use std::io::{IsTerminal as _, Write};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use console::{Alignment, Style};
use items::{NewCredential, StoredCredential};
use model::{Account, Credential, Digest, ProjectId, Secret};
use tables::{Decoded, Tables};

use super::command_store::{Access, StoreOptions};
use super::standard_input::{confirmed, read_text};
use crate::terminal_table::{TableColumn, draw};
use crate::text::{print, printable};

const READ_KEY_EXAMPLES: &str = "\
Examples:
  feedback credentials create-read-key --project acme --label website \\
    --data ./data
  feedback credentials create-read-key --project acme --secret-stdin < key.txt

With the password of an account of the project, the account also reads the statistics of all its projects.";

const ACCOUNT_EXAMPLES: &str = "\
Examples:
  feedback credentials create-account --username reports --project acme
  feedback credentials create-account --username reports \\
    --project acme --project zoo";

const LIST_EXAMPLES: &str = "\
Examples:
  feedback credentials list --data ./data
  feedback credentials list --project acme";

const REVOKE_EXAMPLES: &str = "\
Examples:
  feedback credentials revoke 1a2b3c4d --data ./data
  feedback credentials revoke 1a2b3c4d --yes";

/// The subcommands.
#[derive(clap::Subcommand, Debug)]
pub enum Command {
    /// Create a Read Key, which authorizes the statistics of one project, and print it; or let an account of the
    /// project with this secret read statistics, too
    #[command(after_help = READ_KEY_EXAMPLES)]
    CreateReadKey {
        /// The project that it authorizes
        #[arg(long)]
        project: ProjectId,
        /// The options of the credential
        #[command(flatten)]
        new: New,
    },
    /// Create an account, which authorizes the users of its projects, and print its password
    #[command(after_help = ACCOUNT_EXAMPLES)]
    CreateAccount {
        /// The username that clients send with the password
        #[arg(long, value_parser = username)]
        username: String,
        /// A project that it authorizes; may be given several times
        #[arg(long, required = true)]
        project: Vec<ProjectId>,
        /// The options of the credential
        #[command(flatten)]
        new: New,
    },
    /// List the credentials, without secrets: short id, kind, project or username, time, label; tabs separate
    /// them in a pipe
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// List only those that authorize this project
        #[arg(long)]
        project: Option<ProjectId>,
        /// The store
        #[command(flatten)]
        store: StoreOptions,
    },
    /// Revoke a credential; the API refuses it after at most a minute
    #[command(after_help = REVOKE_EXAMPLES)]
    Revoke {
        /// The short id that `list` shows
        short_id: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
        /// The store
        #[command(flatten)]
        store: StoreOptions,
    },
}

/// The options of a new credential.
#[derive(clap::Args, Debug)]
pub struct New {
    /// A label for the list
    #[arg(long)]
    label: Option<String>,
    /// Read the secret from standard input instead of generating one: a legacy key or password of at
    /// least 16 characters
    #[arg(long)]
    secret_stdin: bool,
    #[command(flatten)]
    store: StoreOptions,
}

/// Runs the command.
pub async fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::CreateReadKey { project, new } => {
            create(&Credential::ReadKey(project), &new).await?;
        }
        Command::CreateAccount {
            username,
            project: mut projects,
            new,
        } => {
            // DynamoDB refuses a set that names a member twice.
            let mut named = HashSet::new();
            projects.retain(|project| named.insert(project.clone()));
            let account = Account {
                username,
                projects,
                statistics: false,
            };
            create(&Credential::Account(account), &new).await?;
        }
        Command::List { project, store } => {
            let list = async |store: &Tables| list(store, project.as_ref()).await;
            store.open(Access::Read, list).await?;
        }
        Command::Revoke {
            short_id,
            yes,
            store,
        } => {
            let revoke = async |store: &Tables| revoke(store, &short_id, yes).await;
            store.open(Access::Change, revoke).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn create(credential: &Credential, new: &New) -> anyhow::Result<()> {
    let text = if new.secret_stdin {
        given_secret(credential)?
    } else {
        random_secret()?
    };
    let secret = Secret::new(text.clone()).context("the secret is empty")?;
    let new_credential = NewCredential {
        secret: &secret,
        credential,
        label: new.label.as_deref(),
        created: service::now(),
    };
    let add = async |store: &Tables| add(store, &new_credential).await;
    let added = new.store.open(Access::Create, add).await?;
    let [kind, what] = description(&added);
    eprintln!("{} {kind} {what}", secret.digest().short_id());
    if added != *credential {
        eprintln!(
            "this is the account's password, which now also reads the figures of these projects"
        );
        if new.label.is_some() {
            eprintln!("the account keeps its label");
        }
    }
    if !new.secret_stdin {
        writeln!(std::io::stdout(), "{text}")
            .context("cannot print the secret; revoke the credential")?;
    }
    Ok(())
}

/// Adds a credential. If it is a Read Key, and the password of an account that lists its project, lets the
/// account read statistics instead. Returns the credential with this secret.
async fn add(store: &Tables, new: &NewCredential<'_>) -> anyhow::Result<Credential> {
    const FAILED: &str = "cannot write the credential";
    if store.add_credential(new).await.context(FAILED)? {
        return Ok(new.credential.clone());
    }
    let digest = new.secret.digest();
    let stored = store.credential(&digest).await.context(FAILED)?;
    match (new.credential, stored.and_then(|stored| stored.credential)) {
        (Credential::ReadKey(project), Some(Credential::Account(account)))
            if account.projects.contains(project) && !account.statistics =>
        {
            let is_allowed = store.allow_statistics(&digest, &account).await;
            ensure!(
                is_allowed.context(FAILED)?,
                "the account was changed meanwhile"
            );
            Ok(Credential::Account(Account {
                statistics: true,
                ..account
            }))
        }
        (Credential::Account(_), Some(Credential::ReadKey(_))) => bail!(
            "this secret is a Read Key; to use it for both operations, revoke {}, create the account, and then the Read Key again",
            digest.short_id()
        ),
        _ => bail!("a credential with this secret already exists; nothing was changed"),
    }
}

/// Generates 256 random bits, in characters that need no encoding anywhere.
pub(super) fn random_secret() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("cannot generate random bits")?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// In bytes. A longer one would not fit into the headers of a request on AWS.
const MAX_SECRET: usize = 4096;

/// By which some editors and shells mark a text as UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads the secret from standard input.
fn given_secret(credential: &Credential) -> anyhow::Result<String> {
    let text = read_text("the secret", MAX_SECRET + BYTE_ORDER_MARK.len_utf8())?;
    let secret = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    let name = match credential {
        Credential::ReadKey(_) => "Read Key",
        Credential::Account(_) => "password",
    };
    ensure!(
        secret.chars().count() >= 16,
        "the {name} has fewer than 16 characters: secrets are stored as plain digests, from which a short one could be \
         guessed; omit --secret-stdin to generate one, and give it to the clients"
    );
    ensure!(
        secret.len() <= MAX_SECRET,
        "the secret is longer than {MAX_SECRET} bytes"
    );
    ensure!(
        secret.trim() == secret && !secret.contains(char::is_control),
        "the secret has spaces at its ends or control characters, which a header cannot carry"
    );
    Ok(secret.to_owned())
}

fn username(text: &str) -> Result<String, &'static str> {
    if text.is_empty() || text.contains(':') || text.contains(char::is_control) {
        return Err("must not be empty or contain colons or control characters");
    }
    Ok(text.to_owned())
}

const HEADER: [&str; 5] = ["ID", "KIND", "PROJECT OR ACCOUNT", "CREATED", "LABEL"];

/// The kind of a credential that cannot be decoded, and what it authorizes.
const DAMAGED: [&str; 2] = [
    "unknown",
    "damaged or of an unknown kind, authorizes nothing",
];

/// Prints the credentials: a line of fields that tabs separate for each, or columns in a terminal.
async fn list(store: &Tables, project: Option<&ProjectId>) -> anyhow::Result<()> {
    let listed =
        |stored: &&StoredCredential| project.is_none_or(|project| stored.authorizes(project));
    let found = sorted(store).await?;
    let stored = found.records.iter().filter(listed);
    let text = if std::io::stdout().is_terminal() {
        table(&stored.map(fields).collect::<Vec<_>>())
    } else {
        stored
            .map(|stored| credential_line(stored) + "\n")
            .collect()
    };
    // A damaged one names no project, so a list of one project leaves it out.
    for key in found.damaged.iter().filter(|_| project.is_none()) {
        eprintln!("left out {}", no_digest(key));
    }
    print(&text)
}

async fn sorted(store: &Tables) -> anyhow::Result<Decoded<StoredCredential>> {
    let decoded = store.credentials().await;
    let mut found = decoded.context("cannot read the credentials")?;
    let records = &mut found.records;
    records.sort_by_cached_key(|stored| (stored.created, stored.digest.to_string()));
    Ok(found)
}

/// Returns the columns of credentials that have these fields, with a header.
fn table(rows: &[[String; 5]]) -> String {
    let columns = HEADER.iter().enumerate().map(|(n, header)| {
        let fields = rows.iter().filter_map(|fields| fields.get(n).cloned());
        TableColumn::new(header, Alignment::Left, fields.collect())
    });
    let table = draw(&columns.collect::<Vec<_>>(), 2);
    let header = Style::new().bold().apply_to(table.header).to_string();
    let lines = [header].into_iter().chain(table.rows);
    lines.map(|line| line + "\n").collect()
}

/// Describes an item whose key is no digest: no secret can match it.
pub(super) fn no_digest(key: &str) -> String {
    format!("{key:?}, which is no SHA-256 of a secret and authorizes nothing")
}

/// Returns the line of a credential, whose fields are separated by tabs.
pub(super) fn credential_line(stored: &StoredCredential) -> String {
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
fn description(credential: &Credential) -> [String; 2] {
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

async fn revoke(store: &Tables, short_id: &str, yes: bool) -> anyhow::Result<()> {
    ensure!(
        short_id.len() >= Digest::SHORT,
        "pass at least the {} hexadecimal digits that `list` shows",
        Digest::SHORT
    );
    let found = sorted(store).await?;
    let records = found.records.iter();
    let credentials = records.map(|stored| (stored.digest.to_string(), credential_line(stored)));
    let damaged = found.damaged.iter();
    let without_digest = damaged.map(|key| (key.clone(), no_digest(key)));
    let matching: Vec<_> = credentials
        .filter(|(digest, _)| digest.starts_with(short_id))
        .chain(without_digest.filter(|(key, _)| key == short_id))
        .collect();
    let (key, line) = match &matching[..] {
        [] => bail!("there is no credential {short_id}"),
        [found] => found,
        _ => bail!(
            "several credentials match {short_id}; pass more digits of the SHA-256 of the secret"
        ),
    };
    if !yes && !confirmed(&format!("{line}\nRevoke it?"))? {
        bail!("nothing was revoked");
    }
    let removed = store.remove_credential(key).await;
    removed.context("cannot revoke the credential")?;
    eprintln!("revoked; the API refuses it after at most a minute");
    Ok(())
}
