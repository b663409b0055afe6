//! `feedback export credentials` and `feedback import credentials`: all credentials as a file of JSON, with
//! the digests of their secrets.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use auth::{Credential, Digest, Permission, StoredCredential, Username};
use model::{Invalid, ProjectId, Timestamp};
use serde::{Deserialize, Serialize};
use tables::{Added, Tables};

use super::command_store::{Access, StoreOptions};
use super::credentials::{damaged_item, description, sorted};
use super::export::Output;
use crate::lifecycle::done;
use crate::text::print;

#[derive(clap::Args, Debug)]
pub struct ExportOptions {
    /// Write to this new file, which only its owner can read and which appears when it is complete
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Replace the file of --output if it exists
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    store: StoreOptions,
}

#[derive(clap::Args, Debug)]
pub struct ImportOptions {
    /// The file that `feedback export credentials` wrote; - is standard input
    file: PathBuf,
    #[command(flatten)]
    store: StoreOptions,
}

/// A line of the file. Of a line with an unknown member, nothing is imported: it may be a misspelt username, without
/// which the credential would authorize more.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    digest: String,
    projects: Vec<String>,
    may: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
}

impl Line {
    fn of(stored: &StoredCredential) -> Self {
        let credential = &stored.credential;
        let projects = credential.projects().iter().map(ProjectId::to_string);
        let may = credential.permissions().iter().map(Permission::to_string);
        let username = credential.username().map(Username::as_str);
        Self {
            digest: stored.digest.to_string(),
            projects: projects.collect(),
            may: may.collect(),
            username: username.map(str::to_owned),
            label: stored.label.clone(),
            created: stored.created.map(|created| created.to_string()),
        }
    }

    /// Returns the credential, or the name of the member that is wrong, and why.
    fn credential(self) -> Result<StoredCredential, (&'static str, Invalid)> {
        let of = |name| move |invalid| (name, invalid);
        let projects = self.projects.iter().map(|text| text.parse());
        let may = self.may.iter().map(|text| text.parse());
        let username = self.username.as_deref().map(str::parse).transpose();
        let created = self.created.as_deref().map(str::parse::<Timestamp>);
        let credential = Credential::new(
            projects.collect::<Result<_, _>>().map_err(of("projects"))?,
            may.collect::<Result<_, _>>().map_err(of("may"))?,
            username.map_err(of("username"))?,
        );
        let stored = StoredCredential {
            digest: self.digest.parse().map_err(of("digest"))?,
            credential: credential.map_err(of("it"))?,
            label: self.label,
            created: created.transpose().map_err(of("created"))?,
        };
        stored.item().map_err(of("it"))?;
        Ok(stored)
    }
}

/// Writes all credentials.
pub(super) async fn export(options: ExportOptions) -> anyhow::Result<ExitCode> {
    let mut output = Output::new(Some(&options.output), options.overwrite, &options.store)?;
    let found = options.store.open(Access::Read, sorted).await?;
    for stored in &found.records {
        output.add(serde_json::to_string(&Line::of(stored))?)?;
    }
    for key in &found.damaged {
        eprintln!("left out {}", damaged_item(key));
    }
    output.damaged = found.damaged.len();
    output.finish()
}

/// Adds the credentials of a file, or none if a line is wrong. The exit code is 2 if one was not added, because its
/// secret may read something else already.
pub(super) async fn import(options: ImportOptions) -> anyhow::Result<ExitCode> {
    let name = options.file.display();
    let read = read(&options.file).and_then(|text| credentials(&text));
    let new = read.with_context(|| format!("nothing was imported: {name}"))?;
    let add = async |store: &Tables| {
        let added = store.add_credentials(&new).await;
        added.context("the import is incomplete; run it again to continue")
    };
    let all_added = options.store.open(Access::Create, add).await?;
    let (mut written, mut unchanged, mut rejected) = (0, 0, 0);
    for (new, added) in new.iter().zip(all_added) {
        let id = new.digest.short_id();
        match added {
            Added::New => written += 1,
            Added::Exists(stored) if stored.credential == new.credential => unchanged += 1,
            Added::Exists(stored) => {
                rejected += 1;
                let may = description(&stored.credential);
                eprintln!("rejected {id}, which may read {may} already; to change it, revoke it");
            }
            Added::Damaged => {
                rejected += 1;
                eprintln!("rejected {id}, which is stored, but damaged; to replace it, revoke it");
            }
        }
    }
    print(&format!(
        "credentials: {written} written, {unchanged} unchanged, {rejected} rejected\n"
    ))?;
    Ok(done(rejected == 0))
}

/// Reads the whole file, or standard input.
fn read(path: &Path) -> anyhow::Result<String> {
    /// Some 400,000 credentials.
    const MAX_MEGABYTES: u64 = 64;
    const MAX: u64 = MAX_MEGABYTES * 1024 * 1024;
    let mut text = String::new();
    let length = if path == Path::new("-") {
        std::io::stdin().take(MAX + 1).read_to_string(&mut text)
    } else {
        File::open(path)?.take(MAX + 1).read_to_string(&mut text)
    };
    ensure!(length? as u64 <= MAX, "more than {MAX_MEGABYTES} MB");
    Ok(text)
}

/// Reads the credentials of all lines. Errors repeat nothing of a line, because somebody may pass a file of secrets.
fn credentials(text: &str) -> anyhow::Result<Vec<StoredCredential>> {
    let mut digests: HashSet<Digest> = HashSet::new();
    let mut credentials = Vec::new();
    let numbered = (1..).zip(text.lines());
    for (number, line) in numbered.filter(|(_, line)| !line.trim().is_empty()) {
        let Ok(line) = serde_json::from_str::<Line>(line) else {
            bail!(
                "line {number} is no object of digest, projects, may and, if there are any, username, label and created"
            );
        };
        let credential = match line.credential() {
            Ok(credential) => credential,
            Err((member, invalid)) => bail!("line {number}: {member} {invalid}"),
        };
        let is_first = digests.insert(credential.digest);
        ensure!(is_first, "line {number} has the digest of an earlier line");
        credentials.push(credential);
    }
    Ok(credentials)
}
