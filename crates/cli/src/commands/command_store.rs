//! Opens the store that a command acts on: a data folder, or what the AWS environment points to.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use folder::{AccessKey, DataFolder, FOLDER_ID, FolderStore, InUse, ServedFolder};
use items::TableNames;
use model::PrivateTraits;
use service::config::tables_from_env;
use store::{Error, ErrorKind, Store};
use tables::{Place, Tables};

use crate::client::answers_as;
use crate::figures::Statistics;
use crate::text::printable;

/// The options that select the store of a command.
#[derive(clap::Args, Debug)]
pub struct StoreOptions {
    /// Use this data folder, also while `feedback serve` uses it (`erase` cannot); by default, use what
    /// the AWS environment points to (region, credentials, `AWS_ENDPOINT_URL_DYNAMODB`)
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// What a command does with the store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Writes; a folder is created with its tables if it does not exist.
    Create,
    /// Changes existing data.
    Change,
    /// Erases: nothing of what is deleted or replaced remains in the files of a folder.
    Erase,
    /// Reads.
    Read,
}

impl StoreOptions {
    /// Opens the store, prints where it is unless the command only reads, runs the command, and closes the
    /// store, however it ends.
    pub(super) async fn open<T>(
        &self,
        access: Access,
        command: impl AsyncFnOnce(&Tables) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let Some(path) = &self.data else {
            return in_environment(access, command).await;
        };
        if access != Access::Create {
            DataFolder::require_tables(path)?;
        } else if !path.exists() {
            eprintln!(
                "creating the data folder {}",
                printable(&path.display().to_string())
            );
        }
        let open = if access == Access::Read {
            DataFolder::open_to_read
        } else {
            DataFolder::open
        };
        match open_folder(path, open).await {
            Err(error) if error.is::<InUse>() => through_serve(path, error, access, command).await,
            folder => in_folder(folder?, path, access, command).await,
        }
    }

    /// Returns the data folder.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.data.as_deref()
    }

    /// Returns a folder that has room for what a command cannot hold in memory.
    pub(super) fn folder_of_temporary_files(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Refuses to create this file inside of a data folder.
    pub(super) fn refuse_inside(&self, file: &Path) -> anyhow::Result<()> {
        DataFolder::refuse_inside(self.data.as_deref(), file)
    }
}

async fn in_environment<T>(
    access: Access,
    command: impl AsyncFnOnce(&Tables) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let (store, place) = Tables::from_environment(tables_from_env()).await?;
    if access != Access::Read {
        announce(&match &place {
            Place::Endpoint(url) => url.clone(),
            Place::Region(region) => of_account(region),
        });
    }
    let result = command(&store).await.map_err(|error| match hint(&error) {
        Some(hint) => anyhow!("{error:#}; {hint}"),
        None => error,
    })?;
    if access == Access::Erase {
        eprintln!("{}", remains(&place));
    }
    Ok(result)
}

/// Works on a folder that a `feedback serve` of this machine is using, through its DynamoDB address. An
/// erasure rewrites the files, which nobody else may be using.
async fn through_serve<T>(
    path: &Path,
    in_use: anyhow::Error,
    access: Access,
    command: impl AsyncFnOnce(&Tables) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    if access == Access::Erase {
        bail!("{in_use}; stop `feedback serve`, and run this again");
    }
    let Some(served) = serving(path).await else {
        return Err(in_use);
    };
    let url = format!("http://{}", served.dynamodb);
    let place = format!("the data folder {}", path.display());
    let how = format!("which is being served: through {url}, which is slower");
    if access == Access::Read {
        eprintln!("reading {}, {how}", printable(&place));
    } else {
        announce(&format!("{place}, {how}"));
    }
    let key = AccessKey::read(path)?;
    command(&Tables::served_at(&url, served.tables, key.id())).await
}

/// Returns how the `feedback serve` that is using a folder is reached.
async fn serving(path: &Path) -> Option<ServedFolder> {
    let served = DataFolder::noted(path)?;
    let url = format!("http://{}", served.dynamodb);
    // The port may be that of another machine or container.
    let is_it = answers_as(&url, FOLDER_ID, &served.id).await;
    is_it.then_some(served)
}

/// Opens a data folder with this function. While another command is using it, such as for one answer, this
/// waits, at most ten seconds; it does not wait for a `feedback serve`.
pub(super) async fn open_folder(
    path: &Path,
    open: fn(&Path) -> anyhow::Result<DataFolder>,
) -> anyhow::Result<DataFolder> {
    const LIMIT: Duration = Duration::from_secs(10);
    const PAUSE: Duration = Duration::from_millis(50);
    let begun = Instant::now();
    loop {
        let opened = open(path);
        let is_in_use = opened.as_ref().is_err_and(anyhow::Error::is::<InUse>);
        if !is_in_use || DataFolder::noted(path).is_some() || begun.elapsed() > LIMIT {
            return opened;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Opens a data folder for one answer about its statistics.
pub(super) async fn open_statistics(
    path: &Path,
    private_traits: PrivateTraits,
) -> anyhow::Result<Statistics> {
    DataFolder::require_tables(path)?;
    let folder = match open_folder(path, DataFolder::open_to_read).await {
        Err(error) if error.is::<InUse>() => {
            let served = serving(path).await.ok_or(error)?;
            bail!(
                "the data folder {} is being served: ask http://{} with a Read Key (--url, FEEDBACK_READ_KEY)",
                path.display(),
                served.api
            )
        }
        folder => folder?,
    };
    let store = open_store(FolderStore::open(Arc::new(folder), tables_from_env())?).await?;
    Ok(Statistics::of_store(&store, private_traits))
}

async fn in_folder<T>(
    folder: DataFolder,
    path: &Path,
    access: Access,
    command: impl AsyncFnOnce(&Tables) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    // In use until this function returns.
    let folder = Arc::new(folder);
    let store = open_store(FolderStore::open(folder.clone(), tables_from_env())?).await?;
    if access != Access::Read {
        announce(&format!("the data folder {}", path.display()));
    }
    let result = command(&store).await?;
    drop(store);
    match access {
        Access::Read => {}
        Access::Create | Access::Change => folder.checkpoint()?,
        Access::Erase => rewrite(folder).await?,
    }
    Ok(result)
}

/// Makes the store of commands from that of a folder, with all tables.
pub(super) async fn open_store(folder_store: FolderStore) -> anyhow::Result<Tables> {
    let created = folder_store.create_missing_tables().await;
    created.context("cannot create the tables")?;
    let store = Arc::new(folder_store);
    Ok(Tables::new(Store::new(store.clone()), store))
}

async fn rewrite(folder: Arc<DataFolder>) -> anyhow::Result<()> {
    eprintln!("rewriting the files of the folder, so that nothing of it remains in them");
    tokio::task::spawn_blocking(move || folder.rewrite())
        .await
        .context("the thread failed")?
        .context("the files still hold what was erased; run this again to continue")
}

/// Prints where a command is about to write.
fn announce(place: &str) {
    eprintln!("writing to {}", printable(place));
}

fn of_account(region: &str) -> String {
    let TableNames {
        users,
        responses,
        credentials,
    } = tables_from_env();
    format!("an AWS account, region {region}, tables {users}, {responses}, {credentials}")
}

/// Returns where a store may still hold what was erased from its tables.
fn remains(place: &Place) -> &'static str {
    match place {
        Place::Endpoint(_) => {
            "the files of this store may still hold what was erased: if it is `feedback serve --data DIR`, stop it \
             and run this command again with --data DIR"
        }
        Place::Region(_) => {
            "point-in-time backups of the tables keep what was erased for up to 35 days"
        }
    }
}

/// Returns what an operator can check when this error of a store in the AWS environment ends a command.
fn hint(error: &anyhow::Error) -> Option<&'static str> {
    let of_store: &Error = error.chain().find_map(|cause| cause.downcast_ref())?;
    match of_store.kind() {
        ErrorKind::Unavailable => Some(
            "check the AWS environment (region, credentials, AWS_ENDPOINT_URL_DYNAMODB), or pass --data DIR",
        ),
        ErrorKind::Refused => {
            Some("check that the tables exist (feedback tables create) and that access is allowed")
        }
        ErrorKind::Damaged | ErrorKind::Internal => None,
    }
}
