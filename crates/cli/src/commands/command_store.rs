//! Opens the store that a command acts on: a data folder, or what the AWS environment points to.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use folder::{DataFolder, FolderStore, InUse, ServedFolder};
use items::Table;
use model::PrivateTraits;
use service::config::tables_from_env;
use store::{Error, ErrorKind, Store, TableReader};
use tables::{DynamoDbLocation, TableWriter, Tables};

use crate::figures::Statistics;
use crate::text::printable;

/// The options that select the store of a command.
#[derive(clap::Args, Debug)]
pub struct StoreOptions {
    /// Use this data folder, also while `feedback serve` uses it; by default, use the DynamoDB that the AWS
    /// environment points to (region, credentials, `AWS_ENDPOINT_URL_DYNAMODB`)
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
}

/// What a command does with the store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Writes; a folder is created with its tables if it does not exist.
    Create,
    Change,
    /// Erases: nothing of what is deleted or replaced remains in the files of a folder.
    Erase,
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
        let opened = open_folder(path).await?;
        let store = opened.tables().await?;
        if access != Access::Read {
            let how = match opened {
                OpenedFolder::Locked(_) => "",
                OpenedFolder::Served(_) => ", which is being served",
            };
            announce(&format!("the data folder {}{how}", path.display()));
        }
        let result = command(&store).await?;
        if access == Access::Erase {
            eprintln!("rewriting the files of the folder, so that nothing of it remains in them");
            let rewritten = store.writer.rewrite().await;
            rewritten
                .context("the files still hold what was erased; run this again to continue")?;
        }
        drop(store);
        if let OpenedFolder::Locked(folder) = opened
            && access != Access::Read
        {
            folder.checkpoint()?;
        }
        Ok(result)
    }
}

async fn in_environment<T>(
    access: Access,
    command: impl AsyncFnOnce(&Tables) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let names = tables_from_env();
    let listed = Table::ALL.map(|table| names.name(table)).join(", ");
    let (store, location) = Tables::from_environment(names).await?;
    // Where it is, and where it may still hold what was erased from its tables.
    let (place, remains) = match location {
        DynamoDbLocation::Endpoint(url) => (
            url,
            "the files of this store may still hold what was erased: if it is `feedback serve --data DIR`, run this \
             command again with --data DIR",
        ),
        DynamoDbLocation::Region(region) => (
            format!("an AWS account, region {region}, tables {listed}"),
            "point-in-time backups of the tables keep what was erased for up to 35 days",
        ),
    };
    if access != Access::Read {
        announce(&place);
    }
    let result = command(&store).await.map_err(|error| match hint(&error) {
        Some(hint) => anyhow!("{error:#}; {hint}"),
        None => error,
    })?;
    if access == Access::Erase {
        eprintln!("{remains}");
    }
    Ok(result)
}

/// A data folder as a command uses it.
pub(super) enum OpenedFolder {
    /// By this process alone, until this is dropped.
    Locked(Arc<DataFolder>),
    /// Through the `feedback serve` that uses it.
    Served(ServedFolder),
}

impl OpenedFolder {
    /// Returns its tables, all of which exist.
    async fn tables(&self) -> anyhow::Result<Tables> {
        match self {
            Self::Locked(folder) => open_store(FolderStore::open(folder.clone())?).await,
            Self::Served(served) => Ok(tables_of(served.clone())),
        }
    }
}

/// Opens a data folder, or reaches the `feedback serve` that uses it. While another command is
/// using it, such as for one answer, this waits, at most ten seconds.
pub(super) async fn open_folder(path: &Path) -> anyhow::Result<OpenedFolder> {
    const LIMIT: Duration = Duration::from_secs(10);
    const PAUSE: Duration = Duration::from_millis(50);
    let begun = Instant::now();
    loop {
        let in_use = match DataFolder::open(path) {
            Err(error) if error.is::<InUse>() => error,
            folder => return Ok(OpenedFolder::Locked(Arc::new(folder?))),
        };
        if let Some(served) = ServedFolder::connect(path).await? {
            return Ok(OpenedFolder::Served(served));
        }
        if begun.elapsed() > LIMIT {
            return Err(in_use);
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
    let opened = open_folder(path).await?;
    let tables = opened.tables().await?;
    Ok(Statistics::of_store(tables, private_traits))
}

/// Makes the store of commands from that of a folder, with all tables.
pub(super) async fn open_store(folder_store: FolderStore) -> anyhow::Result<Tables> {
    let created = folder_store.create_missing_tables().await;
    created.context("cannot create the tables")?;
    Ok(tables_of(folder_store))
}

fn tables_of(store: impl TableReader + TableWriter + 'static) -> Tables {
    let store = Arc::new(store);
    Tables {
        reader: Store::new(store.clone()),
        writer: store,
    }
}

/// Prints where a command is about to write.
fn announce(place: &str) {
    eprintln!("writing to {}", printable(place));
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
