//! `feedback credentials`: who may ask. A secret is shown once, when it is made, and never stored.

use std::io::{Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::model::{Account, Credential, ProjectId, ReadKey, Secret, Timestamp};
use shared::store::{Store, StoredCredential};

use crate::confirm::confirmed;
use crate::target::{Target, reason};

const EXAMPLES: &str = "\
Examples:
  KEY=$(feedback credentials create-read-key --project acme --label website)
  PASSWORD=$(feedback credentials create-account --username reports --project acme)
  feedback credentials create-read-key --project acme --secret-stdin < legacy-key.txt
  feedback credentials list --project acme
  feedback credentials revoke 1a2b3c4d";

/// What can be done with credentials.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum Command {
    /// Make a Read Key, which opens the statistics of one project, and print it
    #[command(after_help = EXAMPLES)]
    CreateReadKey {
        /// The project that it opens
        #[arg(long)]
        project: ProjectId,
        /// How it is made
        #[command(flatten)]
        new: New,
    },
    /// Make an account, which opens the users of some projects, and print its password
    #[command(after_help = EXAMPLES)]
    CreateAccount {
        /// The username that clients send with the password
        #[arg(long, value_parser = username)]
        username: String,
        /// A project that it opens; may be given several times
        #[arg(long, required = true)]
        project: Vec<ProjectId>,
        /// How it is made
        #[command(flatten)]
        new: New,
    },
    /// List what there is, but no secrets: short id, kind, project or username, time, label
    #[command(after_help = EXAMPLES)]
    List {
        /// Only those that open this project
        #[arg(long)]
        project: Option<ProjectId>,
        /// Where it is
        #[command(flatten)]
        target: Target,
    },
    /// Revoke a credential; it is refused after a minute at most
    #[command(after_help = EXAMPLES)]
    Revoke {
        /// As `list` shows it
        short_id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// Where it is
        #[command(flatten)]
        target: Target,
    },
}

/// How a new credential is made.
#[derive(clap::Args, Debug)]
pub struct New {
    /// What to call it in the list
    #[arg(long)]
    label: Option<String>,
    /// Take the secret from standard input instead of making one: a legacy key of at least 16
    /// characters
    #[arg(long)]
    secret_stdin: bool,
    #[command(flatten)]
    target: Target,
}

/// Runs the command. `Err` is one line for people.
pub async fn run(command: Command) -> Result<(), String> {
    match command {
        Command::CreateReadKey { project, new } => {
            create(&Credential::ReadKey(ReadKey { project }), &new).await
        }
        Command::CreateAccount {
            username,
            project,
            new,
        } => {
            create(
                &Credential::Account(Account {
                    username,
                    projects: project,
                }),
                &new,
            )
            .await
        }
        Command::List { project, target } => {
            let opened = target.open_existing().await?;
            let outcome = list(&opened.store, project.as_ref()).await;
            opened.close().await;
            outcome
        }
        Command::Revoke {
            short_id,
            yes,
            target,
        } => {
            let opened = target.open_existing().await?;
            let outcome = revoke(&opened.store, &short_id, yes).await;
            opened.close().await;
            outcome
        }
    }
}

async fn create(credential: &Credential, new: &New) -> Result<(), String> {
    let text = if new.secret_stdin {
        given_secret()?
    } else {
        random_secret()?
    };
    let secret = Secret::new(text.clone()).ok_or("the secret is empty")?;
    let opened = new.target.open().await?;
    let label = new.label.as_deref();
    let added = opened
        .store
        .add_credential(&secret, credential, label, Timestamp::now())
        .await;
    opened.close().await;
    if !added.map_err(|error| format!("the credential cannot be written: {}", reason(&error)))? {
        return Err("this secret is in the table already; nothing is changed".to_owned());
    }
    eprintln!(
        "{} {}",
        short(&secret.digest().to_string()),
        description(credential)
    );
    if !new.secret_stdin {
        let shown = writeln!(std::io::stdout(), "{text}");
        shown.map_err(|error| format!("the secret cannot be shown, so revoke it: {error}"))?;
    }
    Ok(())
}

/// 256 random bits, in characters that need no encoding anywhere.
fn random_secret() -> Result<String, String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("there is no randomness: {error}"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// In bytes: more would not fit into a request's headers on AWS.
const LONGEST_SECRET: u64 = 4096;

/// Standard input, less one newline at its end.
fn given_secret() -> Result<String, String> {
    let mut text = String::new();
    // With room for a newline of two characters; what is longer than the longest stays so.
    let read = std::io::stdin()
        .take(LONGEST_SECRET + 2)
        .read_to_string(&mut text);
    read.map_err(|error| format!("the secret cannot be read: {error}"))?;
    let secret = text.strip_suffix('\n').unwrap_or(&text);
    let secret = secret.strip_suffix('\r').unwrap_or(secret);
    if secret.chars().count() < 16 {
        return Err("the secret has fewer than 16 characters".to_owned());
    }
    if secret.len() as u64 > LONGEST_SECRET {
        return Err(format!("the secret is longer than {LONGEST_SECRET} bytes"));
    }
    if secret.trim() != secret || secret.contains(char::is_control) {
        return Err(
            "the secret has spaces at its ends or control characters, which a header cannot carry"
                .to_owned(),
        );
    }
    Ok(secret.to_owned())
}

fn username(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains(':') || text.contains(char::is_control) {
        return Err("must not be empty, nor hold colons or control characters".to_owned());
    }
    Ok(text.to_owned())
}

async fn all(store: &Store) -> Result<Vec<StoredCredential>, String> {
    let mut found = store
        .credentials()
        .await
        .map_err(|error| format!("the credentials cannot be read: {}", reason(&error)))?;
    found.sort_by(|one, other| (one.created, &one.digest).cmp(&(other.created, &other.digest)));
    Ok(found)
}

async fn list(store: &Store, project: Option<&ProjectId>) -> Result<(), String> {
    let opens = |stored: &StoredCredential| match (project, &stored.credential) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(project), Some(Credential::ReadKey(key))) => key.authorise(project).is_ok(),
        (Some(project), Some(Credential::Account(account))) => account.authorise(project).is_ok(),
    };
    for stored in all(store).await?.iter().filter(|stored| opens(stored)) {
        // Whoever reads may have seen enough.
        let _ = writeln!(std::io::stdout(), "{}", line(stored));
    }
    Ok(())
}

async fn revoke(store: &Store, short_id: &str, yes: bool) -> Result<(), String> {
    let matching: Vec<_> = all(store)
        .await?
        .into_iter()
        .filter(|stored| stored.digest.starts_with(short_id))
        .collect();
    let stored = match &matching[..] {
        _ if short_id.len() < SHORT => Err(format!("a short id has {SHORT} digits")),
        [] => Err(format!("there is no credential {short_id}")),
        [stored] => Ok(stored),
        _ => Err(format!(
            "there are several credentials {short_id}…; give more digits of the digest"
        )),
    }?;
    if !yes && !confirmed(&format!("{}\nRevoke it?", line(stored)))? {
        return Err("nothing is revoked".to_owned());
    }
    store
        .remove_credential(&stored.digest)
        .await
        .map_err(|error| format!("the credential cannot be revoked: {}", reason(&error)))?;
    eprintln!("revoked; it is refused after a minute at most");
    Ok(())
}

/// How many digits of a digest stand for it.
const SHORT: usize = 8;

fn short(digest: &str) -> &str {
    digest.get(..SHORT).unwrap_or(digest)
}

fn line(stored: &StoredCredential) -> String {
    let what = stored
        .credential
        .as_ref()
        .map_or_else(|| "damaged, opens nothing".to_owned(), description);
    let created = stored
        .created
        .map_or_else(|| "-".to_owned(), |created| created.to_string());
    let label = stored.label.as_deref().unwrap_or("-");
    format!("{}\t{what}\t{created}\t{label}", short(&stored.digest))
}

fn description(credential: &Credential) -> String {
    match credential {
        Credential::ReadKey(key) => format!("read-key\t{}", key.project),
        Credential::Account(account) => {
            let projects: Vec<_> = account.projects.iter().map(ProjectId::as_str).collect();
            format!("account\t{} ({})", account.username, projects.join(", "))
        }
    }
}
