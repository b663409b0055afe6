//! `feedback mcp`: answers an assistant's questions about the statistics of an API or a data folder, over the
//! Model Context Protocol.

mod arguments;
mod results;
mod server;
mod tool_error;
mod tools;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use folder::DataFolder;
use model::{PrivateTraits, ProjectId};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::sync::Mutex;

use crate::client::{ApiAddress, first_cause};
use server::{Backend, ToolServer};

/// Answer an assistant's questions about the statistics, over the Model Context Protocol
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Answer questions about this project alone; without it, the assistant names the project of the Read Key
    #[arg(long, env = "FEEDBACK_PROJECT", hide_env_values = true)]
    project: Option<ProjectId>,
    /// The traits that name people, besides those that the API says: nothing is filtered or grouped by them
    #[arg(long, value_name = "NAMES", default_value = PrivateTraits::DEFAULT)]
    private_traits: PrivateTraits,
    /// Answer from this data folder, without a server or a key; it is opened for each answer, and not while
    /// `feedback serve` uses it
    #[arg(long, value_name = "DIR", requires = "project", conflicts_with = "url")]
    data: Option<PathBuf>,
    #[command(flatten)]
    api: ApiAddress,
}

/// Runs the command until standard input ends. Standard output is for the protocol alone.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let backend = if let Some(folder) = options.data {
        DataFolder::require_tables(&folder)?;
        Backend::Folder(Mutex::new(folder))
    } else {
        let what = "the project's Read Key, in the configuration of the assistant's program";
        Backend::Api(options.api.client_with_key(what)?)
    };
    if std::io::stdin().is_terminal() {
        eprintln!(
            "Waiting for messages of an assistant's program, which starts this command itself (Ctrl-D ends it)."
        );
    }
    let server = ToolServer {
        backend,
        project: options.project,
        private_traits: options.private_traits,
        known: Arc::default(),
    };
    match server.serve(rmcp::transport::stdio()).await {
        Ok(running) => {
            running.waiting().await.context("the server failed")?;
        }
        // The input ended before a session began.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        // The cause would show what was received.
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            anyhow::bail!("the first message begins no session of the Model Context Protocol")
        }
        Err(ServerInitializeError::TransportError { error, .. }) => {
            anyhow::bail!(
                "cannot write to standard output: {}",
                first_cause(&*error.error)
            )
        }
        Err(error) => return Err(error).context("cannot begin a session"),
    }
    Ok(ExitCode::SUCCESS)
}
