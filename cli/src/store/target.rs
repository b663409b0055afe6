//! Where commands act: a data folder, or whatever the standard AWS environment points to.

use std::path::PathBuf;

use shared::config::Tables;
use shared::error::Error;
use shared::store::Store;

use crate::embedded::{DataFolder, EmbeddedStore, Listener};

/// The options that choose the store of a command.
#[derive(clap::Args, Debug)]
pub struct Target {
    /// Act on this folder of `feedback serve --data DIR`, which must not be running; without it, on
    /// what the AWS environment points to (region, credentials, `AWS_ENDPOINT_URL_DYNAMODB`)
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// An open store; a folder is in use as long as this lives.
pub(crate) struct Opened {
    pub(crate) store: Store,
    embedded: Option<(EmbeddedStore, DataFolder)>,
}

/// What an operator is told of a fault, beside the log's line that names what the store said.
pub(crate) fn reason(error: &Error) -> &'static str {
    match error {
        Error::Unavailable => {
            "the store cannot be reached or asked; is the AWS environment set (region, credentials, \
             AWS_ENDPOINT_URL_DYNAMODB), or --data DIR meant?"
        }
        _ => {
            "the store refuses it; are the tables there (feedback tables create), and is it allowed?"
        }
    }
}

impl Target {
    /// As [`Target::open`], of a folder that holds something already: a mistyped one would look like
    /// an empty one.
    pub(crate) async fn open_existing(&self) -> Result<Opened, String> {
        match &self.data {
            Some(folder) if !DataFolder::holds_tables(folder) => {
                Err(format!("there are no tables in {}", folder.display()))
            }
            _ => self.open().await,
        }
    }

    pub(crate) async fn open(&self) -> Result<Opened, String> {
        let Some(folder) = &self.data else {
            let store = Store::of_environment(Tables::from_env()).await;
            return Ok(Opened {
                store,
                embedded: None,
            });
        };
        let folder = DataFolder::open(folder)?;
        let listener = Listener::bind("internal", "127.0.0.1:0").await?;
        let embedded = EmbeddedStore::start(listener, Some(&folder)).await?;
        let store = embedded.connect().await?;
        Ok(Opened {
            store,
            embedded: Some((embedded, folder)),
        })
    }
}

impl Opened {
    /// Ends the embedded store, if it is one.
    pub(crate) async fn close(self) {
        if let Some((embedded, folder)) = self.embedded {
            embedded.stop(std::time::Duration::from_millis(100)).await;
            drop(folder);
        }
    }
}
