//! Selects the store that a command acts on: a data folder, or what the AWS environment points to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};

use super::place::Place;
use super::{AdminStore, client, hint};
use crate::embedded::{DataFolder, Engine};

/// The options that select the store of a command.
#[derive(clap::Args, Debug)]
pub struct Target {
    /// Use this data folder, which no `feedback serve` may be using; by default, use what the AWS
    /// environment points to (region, credentials, `AWS_ENDPOINT_URL_DYNAMODB`)
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// What a command does with the store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    Erase,
}

impl Target {
    /// Opens the store, prints where it is, runs a command that writes, and closes the store, whatever the
    /// outcome. Creates the folder and its tables if they do not exist.
    pub(crate) async fn with_store<T>(
        &self,
        command: impl AsyncFnOnce(&AdminStore) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.open(Access::Write, command).await
    }

    /// Like [`Target::with_store`], for a command that changes existing data.
    pub(crate) async fn with_existing_store<T>(
        &self,
        command: impl AsyncFnOnce(&AdminStore) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.require_tables()?;
        self.open(Access::Write, command).await
    }

    /// Refuses to create this file inside of a data folder.
    pub(crate) fn refuse_inside(&self, file: &Path) -> anyhow::Result<()> {
        DataFolder::refuse_inside(self.data.as_deref(), file)
    }

    /// Like [`Target::with_existing_store`], for a command that erases. Nothing of what it deleted or
    /// replaced remains in the files of the folder.
    pub(crate) async fn erase_from_store<T>(
        &self,
        command: impl AsyncFnOnce(&AdminStore) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.require_tables()?;
        self.open(Access::Erase, command).await
    }

    /// Like [`Target::with_existing_store`], for a command that only reads, so where it is need not be printed.
    pub(crate) async fn read_store<T>(
        &self,
        command: impl AsyncFnOnce(&AdminStore) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.require_tables()?;
        self.open(Access::Read, command).await
    }

    fn require_tables(&self) -> anyhow::Result<()> {
        self.data
            .as_deref()
            .map_or(Ok(()), DataFolder::require_tables)
    }

    async fn open<T>(
        &self,
        access: Access,
        command: impl AsyncFnOnce(&AdminStore) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        match &self.data {
            Some(path) => in_folder(path, access, command).await,
            None => in_environment(access, command).await,
        }
    }
}

async fn in_environment<T>(
    access: Access,
    command: impl AsyncFnOnce(&AdminStore) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let (client, place) = client::from_default_chain().await?;
    let store = AdminStore::new(client);
    if access != Access::Read {
        place.announce(&store.tables);
    }
    let outcome = command(&store).await.map_err(|error| match hint(&error) {
        Some(hint) => anyhow!("{error:#}; {hint}"),
        None => error,
    })?;
    if access == Access::Erase {
        place.report_remains();
    }
    Ok(outcome)
}

async fn in_folder<T>(
    path: &Path,
    access: Access,
    command: impl AsyncFnOnce(&AdminStore) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    // In use until this function returns.
    let folder = Arc::new(DataFolder::open(path)?);
    let store = Engine::open(folder.clone())?.connect().await?;
    if access != Access::Read {
        Place::Folder(path).announce(&store.tables);
    }
    let outcome = command(&store).await?;
    drop(store);
    match access {
        Access::Read => {}
        Access::Write => folder.checkpoint()?,
        Access::Erase => rewrite(folder).await?,
    }
    Ok(outcome)
}

async fn rewrite(folder: Arc<DataFolder>) -> anyhow::Result<()> {
    eprintln!("rewriting the files of the folder, so that nothing of it remains in them");
    tokio::task::spawn_blocking(move || folder.rewrite())
        .await
        .context("the thread failed")?
        .context("the files still hold what was erased; run this again to continue")
}
