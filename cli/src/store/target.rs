//! Selects the store that a command acts on: a data folder, or what the AWS environment points to.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;

use super::AdminStore;
use crate::embedded::{DataFolder, EmbeddedStore, Listener};

/// The options that select the store of a command.
#[derive(clap::Args, Debug)]
pub struct Target {
    /// Use this data folder of `feedback serve --data DIR`, which must not be running; by default,
    /// use what the AWS environment points to (region, credentials, `AWS_ENDPOINT_URL_DYNAMODB`)
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Target {
    /// Opens the store, runs the command, and closes the store, whatever the outcome.
    pub(crate) async fn with_store<T>(
        &self,
        command: impl AsyncFnOnce(&AdminStore) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let Some(path) = &self.data else {
            return command(&AdminStore::from_aws_config().await).await;
        };
        // In use until this function returns.
        let folder = DataFolder::open(path)?;
        let listener = Listener::bind("internal", "127.0.0.1:0").await?;
        let embedded = EmbeddedStore::start(listener, Some(&folder)).await?;
        let outcome = match embedded.connect().await {
            Ok(store) => command(&store).await,
            Err(error) => Err(error),
        };
        embedded.stop(Duration::from_millis(100)).await;
        outcome
    }

    /// Like [`Target::with_store`], for a command that needs existing data. Refuses a folder without
    /// tables, because a mistyped folder would look like an empty one.
    pub(crate) async fn with_existing_store<T>(
        &self,
        command: impl AsyncFnOnce(&AdminStore) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        if let Some(path) = &self.data
            && !DataFolder::holds_tables(path)
        {
            bail!("there are no tables in {}", path.display());
        }
        self.with_store(command).await
    }
}
