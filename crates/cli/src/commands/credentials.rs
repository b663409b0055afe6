//! `feedback credentials`: manages the credentials of the API. A secret is shown once, when it is
//! created, and never stored.

use std::io::{IsTerminal as _, Write};
use std::process::ExitCode;
use std::slice;

use anyhow::{Context, anyhow, bail, ensure};
use auth::{Credential, Digest, Permission, Secret, StoredCredential, Username};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use console::{Alignment, Style};
use model::{ProjectId, Timestamp};
use tables::{Added, Decoded, Tables};

use super::command_store::{Access, StoreOptions};
use super::standard_input::{confirm, read_text};
use crate::terminal_table::{TableColumn, draw};
use crate::text::{print, printable, require_standard_output};

const CREATE_EXAMPLES: &str = "\
Examples:
  feedback credentials create --project acme --may statistics --data ./data
  feedback credentials create --project acme --may users,statistics
  feedback credentials create --project acme --project zoo --may users \\
    --username reports --label 'reports of May'
  feedback credentials create --project acme --may statistics \\
    --secret-stdin < key.txt

A secret that exists is refused, and what it may read is never changed: revoke it, and create it again.";

const LIST_EXAMPLES: &str = "\
Examples:
  feedback credentials list --data ./data
  feedback credentials list --project acme";

const REVOKE_EXAMPLES: &str = "\
Examples:
  feedback credentials revoke 1a2b3c4d --data ./data
  feedback credentials revoke 1a2b3c4d --yes";

#[derive(clap::Subcommand, Debug)]
pub enum Command {
    /// Create a credential, and print its secret
    #[command(after_help = CREATE_EXAMPLES)]
    Create(New),
    /// List the credentials, without secrets: short id, what each may read, of which projects, username, time,
    /// label; tabs separate them in a pipe
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// List only those that authorize this project
        #[arg(long)]
        project: Option<ProjectId>,
        #[command(flatten)]
        store: StoreOptions,
    },
    /// Revoke a credential; the API refuses it from the next request on
    #[command(after_help = REVOKE_EXAMPLES)]
    Revoke {
        /// The short id that `list` shows
        short_id: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        store: StoreOptions,
    },
}

#[derive(clap::Args, Debug)]
pub struct New {
    /// A project that it authorizes; may be given several times
    #[arg(long, required = true)]
    project: Vec<ProjectId>,
    /// What it may read of its projects, separated by commas
    #[arg(
        long,
        required = true,
        value_name = "WHAT",
        value_delimiter = ',',
        value_parser = PossibleValuesParser::new(Permission::NAMES).try_map(|name| name.parse::<Permission>())
    )]
    may: Vec<Permission>,
    /// The username that clients must send with the secret when they read users [default: any]
    #[arg(long)]
    username: Option<Username>,
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

pub async fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Create(new) => create(new).await?,
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

async fn create(new: New) -> anyhow::Result<()> {
    let projects = new.project.into_iter().collect();
    let may = new.may.into_iter().collect();
    let credential = Credential::new(projects, may, new.username)
        .map_err(|invalid| anyhow!("the credential {invalid}"))?;
    let text = if new.secret_stdin {
        given_secret()?
    } else {
        require_standard_output().context("cannot print the secret")?;
        random_secret()?
    };
    let credential = new_credential(&text, credential, new.label, service::now())?;
    let create = async |store: &Tables| {
        add(store, &credential).await?;
        if new.secret_stdin {
            return Ok(());
        }
        let printed = writeln!(std::io::stdout(), "{text}");
        if printed.is_err() {
            let key = credential.digest.to_string();
            let revoked = store.remove_credential(&key).await;
            revoked.context("cannot print the secret; revoke the credential")?;
        }
        printed.context("cannot print the secret, and revoked the credential")
    };
    new.store.open(Access::Create, create).await
}

/// Adds a credential, whose secret must not exist.
async fn add(store: &Tables, credential: &StoredCredential) -> anyhow::Result<()> {
    let added = store.add_credentials(slice::from_ref(credential)).await;
    let id = credential.digest.short_id();
    match &added.context("cannot write the credential")?[..] {
        [Added::New] => eprintln!("{id} may read {}", description(&credential.credential)),
        [Added::Exists(stored)] => bail!(
            "this secret exists: {id} may read {}; nothing was changed; to change it, revoke {id} and create it again",
            description(&stored.credential)
        ),
        _ => bail!(
            "this secret exists: {id} is damaged and authorizes nothing; revoke {id} and create it again"
        ),
    }
    Ok(())
}

pub(super) fn new_credential(
    secret: &str,
    credential: Credential,
    label: Option<String>,
    created: Timestamp,
) -> anyhow::Result<StoredCredential> {
    let secret = Secret::new(secret).context("the secret is empty")?;
    Ok(StoredCredential {
        digest: secret.digest(),
        credential,
        label,
        created: Some(created),
    })
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

fn given_secret() -> anyhow::Result<String> {
    let text = read_text("the secret", MAX_SECRET + BYTE_ORDER_MARK.len_utf8())?;
    let secret = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    ensure!(
        secret.chars().count() >= 16,
        "the secret has fewer than 16 characters: secrets are stored as plain digests, from which a short one could be \
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

/// The number of fields of a credential in the list.
const COLUMNS: usize = 6;

const HEADER: [&str; COLUMNS] = ["ID", "MAY READ", "PROJECTS", "USERNAME", "CREATED", "LABEL"];

/// Prints the credentials: a line of fields that tabs separate for each, or columns in a terminal.
async fn list(store: &Tables, project: Option<&ProjectId>) -> anyhow::Result<()> {
    let listed = |stored: &&StoredCredential| {
        project.is_none_or(|project| stored.credential.projects().contains(project))
    };
    let found = sorted(store).await?;
    let stored = found.records.iter().filter(listed);
    let text = if std::io::stdout().is_terminal() {
        table(&stored.map(fields).collect::<Vec<_>>())
    } else {
        stored
            .map(|stored| credential_line(stored) + "\n")
            .collect()
    };
    // A damaged one has no project, so a list of one project leaves it out.
    for key in found.damaged.iter().filter(|_| project.is_none()) {
        eprintln!("left out {}", damaged_item(key));
    }
    print(&text)
}

/// Returns all credentials, by the time of their creation.
pub(super) async fn sorted(store: &Tables) -> anyhow::Result<Decoded<StoredCredential>> {
    let decoded = store.credentials().await;
    let mut found = decoded.context("cannot read the credentials")?;
    let records = &mut found.records;
    records.sort_by_cached_key(|stored| (stored.created, stored.digest.to_string()));
    Ok(found)
}

/// Returns the columns of credentials that have these fields, with a header.
fn table(rows: &[[String; COLUMNS]]) -> String {
    let columns = HEADER.iter().enumerate().map(|(n, header)| {
        let fields = rows.iter().filter_map(|fields| fields.get(n).cloned());
        TableColumn::new(header, Alignment::Left, fields.collect())
    });
    let table = draw(&columns.collect::<Vec<_>>(), 2);
    let header = Style::new().bold().apply_to(table.header).to_string();
    let lines = [header].into_iter().chain(table.rows);
    lines.map(|line| line + "\n").collect()
}

/// Describes an item that cannot be decoded, by its key.
pub(super) fn damaged_item(key: &str) -> String {
    let id = key
        .parse()
        .map_or_else(|_| format!("{key:?}"), |digest: Digest| digest.short_id());
    format!("{id}, which is damaged and authorizes nothing")
}

/// Returns the line of a credential, whose fields are separated by tabs.
pub(super) fn credential_line(stored: &StoredCredential) -> String {
    fields(stored).join("\t")
}

fn fields(stored: &StoredCredential) -> [String; COLUMNS] {
    let credential = &stored.credential;
    let username = credential.username().map_or("-", Username::as_str);
    let created = stored.created.map(|created| created.to_string());
    [
        stored.digest.short_id(),
        listed(credential.permissions(), ","),
        listed(credential.projects(), ","),
        printable(username).into_owned(),
        created.unwrap_or_else(|| "-".to_owned()),
        printable(stored.label.as_deref().unwrap_or("-")).into_owned(),
    ]
}

/// Says what a credential may read.
pub(super) fn description(credential: &Credential) -> String {
    let may = listed(credential.permissions(), " and ");
    let projects = listed(credential.projects(), ", ");
    let username = credential.username().map(Username::as_str);
    let username = username.map(|name| format!(" with the username {}", printable(name)));
    format!("{may} of {projects}{}", username.unwrap_or_default())
}

fn listed<'a, T: ToString + 'a>(of: impl IntoIterator<Item = &'a T>, separator: &str) -> String {
    let texts: Vec<_> = of.into_iter().map(ToString::to_string).collect();
    texts.join(separator)
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
    let damaged = damaged.map(|key| (key.clone(), damaged_item(key)));
    let matching: Vec<_> = credentials
        .chain(damaged)
        .filter(|(key, _)| key.starts_with(short_id))
        .collect();
    // The errors do not repeat what was passed, which may be a secret instead of its id.
    let (key, line) = match &matching[..] {
        [] => bail!("no credential has this id; `list` shows the ids"),
        [found] => found,
        _ => bail!("several credentials have this id; pass more digits of the secret's SHA-256"),
    };
    confirm(yes, &format!("{line}\nRevoke it?"), "nothing was revoked")?;
    let removed = store.remove_credential(key).await;
    removed.context("cannot revoke the credential")?;
    eprintln!("revoked; the API refuses it from the next request on");
    Ok(())
}
