//! `feedback serve`: the API and the store it reads in one process.

mod api;
mod demo;
mod docs;
mod greeting;

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use shared::App;

use crate::embedded::{DataFolder, EmbeddedStore, Listener, Server};

/// What can be said on the command line.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// Where the API listens; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:3000")]
    pub listen: String,

    /// Where the DynamoDB-compatible store listens; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8000")]
    pub dynamodb_listen: String,

    /// Keep the data in this folder, created when missing; without it the data is in memory and is
    /// the demo project
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// With --data: write the demo project and its credentials into the folder too
    #[arg(long)]
    pub demo: bool,
}

impl Options {
    fn has_demo(&self) -> bool {
        self.demo || self.data.is_none()
    }
}

/// The service while it runs.
pub struct Service {
    api: Server,
    store: EmbeddedStore,
    _folder: Option<DataFolder>,
}

impl Service {
    /// Starts the store, creates what is missing in it, then starts the API. `Err` is one line for
    /// people.
    pub async fn start(options: &Options) -> Result<Self, String> {
        // Both addresses are taken before anything is written.
        let api = Listener::bind("--listen", &options.listen).await?;
        let dynamodb = Listener::bind("--dynamodb-listen", &options.dynamodb_listen).await?;
        let folder = options.data.as_deref().map(DataFolder::open).transpose()?;
        let store = EmbeddedStore::start(dynamodb, folder.as_ref()).await?;
        // The handlers go through the public address as any other client does.
        let client = store.connect().await?;
        if options.has_demo() {
            demo::load(&client).await?;
        }
        let api = api.serve(api::router(Arc::new(App::new(client))));
        Ok(Self {
            api,
            store,
            _folder: folder,
        })
    }

    /// Where the API answers.
    pub fn api_address(&self) -> SocketAddr {
        self.api.address()
    }

    /// Where the DynamoDB-compatible store answers.
    pub fn dynamodb_address(&self) -> SocketAddr {
        self.store.address()
    }

    /// Stops accepting, gives the requests under way half a second, and ends the store after them.
    pub async fn stop(self) {
        self.api.stop(Duration::from_millis(500)).await;
        self.store.stop(Duration::from_millis(50)).await;
    }
}

/// Serves until Ctrl-C or SIGTERM. `Err` is one line for people.
pub fn run(options: &Options) -> Result<(), String> {
    let runtime =
        tokio::runtime::Runtime::new().map_err(|error| format!("cannot start: {error}"))?;
    let outcome = runtime.block_on(async {
        let mut signal = std::pin::pin!(shutdown_signal()?);
        let service = tokio::select! {
            service = Service::start(options) => service?,
            () = &mut signal => return Ok(()),
        };
        greeting::print(options, &service);
        // A reader that has left does not stop the service.
        let _ = writeln!(
            std::io::stdout(),
            "listening on http://{}",
            service.api_address()
        );
        signal.await;
        service.stop().await;
        Ok(())
    });
    runtime.shutdown_timeout(Duration::from_millis(50));
    outcome
}

#[cfg(unix)]
fn shutdown_signal() -> Result<impl Future<Output = ()>, String> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).map_err(|error| format!("cannot listen for signals: {error}"));
    let (mut interrupt, mut terminate) = (
        listen(SignalKind::interrupt())?,
        listen(SignalKind::terminate())?,
    );
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn shutdown_signal() -> Result<impl Future<Output = ()>, String> {
    Ok(async { tokio::signal::ctrl_c().await.unwrap_or_default() })
}
