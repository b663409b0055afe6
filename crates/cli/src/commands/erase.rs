//! `feedback erase`: erases a person and keeps the figures, or erases a project.

use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use auth::StoredCredential;
use clap::builder::NonEmptyStringValueParser;
use indicatif::HumanCount;
use model::{ProjectId, UserId};
use store::Error;
use tables::{RecordCounts, ResponseOfUser, Tables};

use super::command_store::{Access, StoreOptions};
use super::standard_input::{confirm, read_text, typed};
use crate::progress::Progress;
use crate::text::{counted, printable};

/// Erase a person and keep the figures, or erase all records of a project
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long)]
    project: ProjectId,
    #[command(flatten)]
    what: What,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    store: StoreOptions,
}

#[derive(clap::Args, Debug)]
#[group(required = true, multiple = false)]
struct What {
    /// Delete the user with this `userId` and anonymize their response records; `-` reads it from standard
    /// input, because no command line can hold a NUL
    #[arg(long)]
    user_id: Option<UserId>,
    /// The same for each user whose e-mail address or `userId` this is, in any case; lists them before it asks
    #[arg(long, value_name = "ADDRESS", value_parser = NonEmptyStringValueParser::new())]
    email: Option<String>,
    /// Delete all response records and users of the project
    #[arg(long)]
    all: bool,
}

/// Runs the command.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let user_id = match options.what.user_id {
        Some(dash) if dash.as_str() == "-" => Some(given_user_id()?),
        user_id => user_id,
    };
    let project = &options.project;
    let yes = options.yes;
    let erase = async |store: &Tables| {
        match (&user_id, &options.what.email) {
            (_, Some(email)) => return erase_people(store, project, email, yes).await,
            (Some(user_id), _) => erase_person(store, project, user_id, yes).await?,
            _ => erase_project(store, project, yes).await?,
        }
        Ok(true)
    };
    let is_known = options.store.open(Access::Erase, erase).await?;
    // Only now: an erasure that is run again has to continue, although its users are gone.
    ensure!(
        is_known,
        "no user of project {project} has this e-mail address, neither as `email` nor as `userId`"
    );
    Ok(ExitCode::SUCCESS)
}

/// Reads the identifier from standard input.
fn given_user_id() -> anyhow::Result<UserId> {
    let text = read_text("the userId", UserId::MAX_BYTES)?;
    text.parse().context("the userId cannot be used")
}

/// How often to search for what other programs store meanwhile.
const MOST_SCANS: usize = 3;

/// What to do after an erasure that failed.
const INCOMPLETE: &str = "the erasure is incomplete; run it again to continue";

/// Erases each user with this e-mail address; returns whether there is one.
async fn erase_people(
    store: &Tables,
    project: &ProjectId,
    email: &str,
    yes: bool,
) -> anyhow::Result<bool> {
    let found = store.users_with_address(project, email).await?;
    if found.is_empty() {
        return Ok(false);
    }
    let users = counted(found.len() as u64, "user");
    eprintln!("project {project}: {users} with this e-mail address");
    for (user_id, name) in &found {
        eprintln!("  {:?} {}", user_id.as_str(), printable(name));
    }
    confirm(yes, "This cannot be undone. Erase?", "nothing was erased")?;
    for user_id in found.keys() {
        erase_person(store, project, user_id, true).await?;
    }
    Ok(true)
}

/// Deletes the user, and anonymizes their response records.
async fn erase_person(
    store: &Tables,
    project: &ProjectId,
    user_id: &UserId,
    yes: bool,
) -> anyhow::Result<()> {
    let (responses, total) = store.responses_of_user(project, user_id).await?;
    let known = store.has_user(project, user_id).await?;
    if !known && responses.is_empty() {
        eprintln!("nothing is stored about this user; {total} response records were searched");
        warn_of_imports(store);
        return Ok(());
    }
    let count = responses.len();
    let user = if known { "1 user" } else { "no user" };
    eprintln!(
        "project {project}: {user} to delete, {count} of {total} response records to anonymize"
    );
    report_keys(&responses, user_id);
    confirm(yes, "This cannot be undone. Erase?", "nothing was erased")?;
    let left = anonymize(store, project, user_id, responses)
        .await
        .context(INCOMPLETE)?;
    ensure!(
        left == 0,
        "other programs still store responses of this user ({left} since the last scan): stop them, then run this again"
    );
    // Last, so that whoever runs this again finds the user, by their address, too.
    store
        .remove_user(project, user_id)
        .await
        .context(INCOMPLETE)?;
    eprintln!("erased; importing an old export would restore the data");
    warn_of_imports(store);
    Ok(())
}

/// Anonymizes these records, and those that other programs store meanwhile; returns how many of these remain.
async fn anonymize(
    store: &Tables,
    project: &ProjectId,
    user_id: &UserId,
    mut responses: Vec<ResponseOfUser>,
) -> anyhow::Result<usize> {
    for _ in 0..MOST_SCANS {
        store.anonymize(responses).await?;
        if store.writer.is_exclusive() {
            return Ok(0);
        }
        (responses, _) = store.responses_of_user(project, user_id).await?;
        if responses.is_empty() {
            break;
        }
        report_keys(&responses, user_id);
    }
    Ok(responses.len())
}

/// Reports the keys that identify the user. A key cannot be changed.
fn report_keys(responses: &[ResponseOfUser], user_id: &UserId) {
    let keys = responses.iter().map(ResponseOfUser::sort_key);
    let identifying: Vec<_> = keys.filter(|key| key.contains(user_id.as_str())).collect();
    if let [first, ..] = &identifying[..] {
        eprintln!(
            "the keys of {} response records contain the userId, and stay, such as {first:?}",
            identifying.len()
        );
    }
}

/// Deletes the records of the project, and keeps its credentials.
async fn erase_project(store: &Tables, project: &ProjectId, yes: bool) -> anyhow::Result<()> {
    let RecordCounts { responses, users } = store.count_records(project).await?;
    let stored = store.credentials().await?.records;
    let of_project = |stored: &&StoredCredential| stored.credential.projects().contains(project);
    let credentials = stored.iter().filter(of_project).count() as u64;
    eprintln!(
        "project {project}: {} and {} to delete, {} to keep",
        counted(responses, "response record"),
        counted(users, "user"),
        counted(credentials, "credential"),
    );
    if responses + users > 0 && !yes && !typed("This cannot be undone.", project.as_str())? {
        bail!("nothing was erased");
    }
    let progress = Progress::new(Some(responses + users));
    let deletion = delete(store, project, &progress).await;
    progress.finish();
    let left = deletion.context(INCOMPLETE)?;
    eprintln!("{} records deleted", HumanCount(progress.position()));
    ensure!(
        left == 0,
        "other programs still store records of this project ({left} since the last scan): stop them, then run this again"
    );
    warn_of_imports(store);
    Ok(())
}

/// Deletes the records of the project, and those that other programs store meanwhile; returns how many of these
/// remain.
async fn delete(store: &Tables, project: &ProjectId, progress: &Progress) -> Result<u64, Error> {
    let report = |count| {
        progress.advance(count);
        progress.show(&format!(
            "{} records deleted",
            HumanCount(progress.position())
        ));
    };
    let mut left = 0;
    for _ in 0..MOST_SCANS {
        store.delete_records(project, report).await?;
        if store.writer.is_exclusive() {
            break;
        }
        let RecordCounts { responses, users } = store.count_records(project).await?;
        left = responses + users;
        if left == 0 {
            break;
        }
    }
    Ok(left)
}

/// Says what no search can see, unless this process alone writes.
fn warn_of_imports(store: &Tables) {
    if !store.writer.is_exclusive() {
        eprintln!(
            "an import that runs meanwhile writes its users at its end: let imports end first"
        );
    }
}
