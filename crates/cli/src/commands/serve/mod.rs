//! `feedback serve`: serves the API, and the store that it reads, in one process.

mod api;
mod demo;
mod docs;
mod files;
mod greeting;
mod sample;

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use engine::{DataFolder, Engine};
use model::items::Tables;
use model::{Digest, PrivateTraits, Timestamp};
use server::Server;
use service::App;
use tokio::task::JoinHandle;

use crate::commands::bind;
use crate::commands::target::{open_folder, open_store};
use crate::page::Settings;
use crate::signals;
pub use files::FileOptions;

/// The options of the command.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// The address of the API; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:3000")]
    pub listen: String,

    /// The address of the DynamoDB-compatible store, which may be given several times, such as for
    /// containers; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8000")]
    pub dynamodb_listen: Vec<String>,

    /// Keep the data in this folder, which is created if necessary; by default, serve sample
    /// data from a temporary folder
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// With --data: also write the sample data into the folder, with credentials that everyone knows
    #[arg(long)]
    pub demo: bool,

    /// The traits that name people, by which statistics are not grouped; an empty list is none
    /// [default: email,name,firstName,lastName,fullName,username,phone]
    #[arg(long, value_name = "NAMES")]
    pub private_traits: Option<PrivateTraits>,

    /// The files to serve instead
    #[command(flatten)]
    pub files: FileOptions,
}

impl Options {
    fn has_demo(&self) -> bool {
        self.demo || self.data.is_none()
    }
}

/// A running service.
pub struct Service {
    api: Server,
    dynamodb: Vec<Server>,
    /// The first of them.
    dynamodb_address: SocketAddr,
    /// The digests of the demo's credentials, if others than this machine can use them.
    exposed: Vec<Digest>,
    /// The check of a folder that was not closed, while it goes on.
    check: Option<JoinHandle<Checked>>,
}

/// Whether a database is sound.
type Checked = anyhow::Result<()>;

impl Service {
    /// Opens the database, creates its tables if necessary, and serves all addresses.
    /// The sample data ends with the day before `now`.
    pub async fn start(options: &Options, now: Timestamp) -> anyhow::Result<Self> {
        // All addresses are bound before anything is written.
        let api = bind("--listen", &options.listen).await?;
        let mut dynamodb = Vec::new();
        for address in &options.dynamodb_listen {
            dynamodb.push(bind("--dynamodb-listen", address).await?);
        }
        let folder = Arc::new(match &options.data {
            Some(path) => open_folder(path).await?,
            None => DataFolder::temporary()?,
        });
        let tables = Tables::from_env();
        let engine = Engine::open(folder.clone(), tables.clone())?;
        let check = begin_check(engine.clone().check()).await?;
        let store = open_store(engine.clone()).await?;
        if options.has_demo() {
            demo::load(&store, now).await?;
        }
        let settings = Settings {
            project: options.has_demo().then(|| demo::PROJECT.to_owned()),
            demo: options.has_demo().then(demo::suggestion),
            documentation: Some("/docs/"),
            // Anyone may ask for the settings.
            data: options.data.is_some().then_some("DIR"),
            ..Settings::default()
        };
        let exposed = if api.address().ip().to_canonical().is_loopback() {
            Vec::new()
        } else {
            demo::published_credentials(&store).await?
        };
        let router = engine::router(engine);
        let dynamodb = dynamodb.into_iter();
        let dynamodb: Vec<_> = dynamodb
            .map(|one| one.with_half_close().serve(router.clone()))
            .collect();
        let first = dynamodb.first().context("there is no --dynamodb-listen")?;
        let dynamodb_address = first.address();
        // The loopback address is noted if there is one, because the network of another may go away.
        let mut addresses = dynamodb.iter().map(Server::address);
        let loopback = addresses.find(|address| address.ip().is_loopback());
        folder.note(api.address(), loopback.unwrap_or(dynamodb_address), tables);
        let app = App {
            private_traits: options.private_traits.clone().unwrap_or_default(),
            ..App::new(store.reader())
        };
        Ok(Self {
            api: api.serve(api::router(app, settings)),
            dynamodb,
            dynamodb_address,
            exposed,
            check,
        })
    }

    /// Returns the address of the API.
    pub fn api_address(&self) -> SocketAddr {
        self.api.address()
    }

    /// Returns the first address of the DynamoDB-compatible store.
    pub fn dynamodb_address(&self) -> SocketAddr {
        self.dynamodb_address
    }

    /// Waits until the check of the database finds damage, which may never be.
    async fn damage(&mut self) -> anyhow::Error {
        if let Some(check) = self.check.take()
            && let Ok(Err(error)) = check.await
        {
            return error;
        }
        std::future::pending().await
    }

    /// Stops accepting requests, waits at most half a second for those in flight, and stops the store.
    pub async fn stop(self) {
        self.api.stop(GRACE).await;
        for server in self.dynamodb {
            server.stop(Duration::from_millis(50)).await;
        }
    }
}

/// Checks the database if it was not closed. Returns the rest of the check if it takes longer than clients
/// should wait for the service.
async fn begin_check(
    check: impl Future<Output = Checked> + Send + 'static,
) -> anyhow::Result<Option<JoinHandle<Checked>>> {
    const PATIENCE: Duration = Duration::from_secs(5);
    let mut check = tokio::spawn(check);
    match tokio::time::timeout(PATIENCE, &mut check).await {
        Ok(checked) => checked.context("the thread failed")?.map(|()| None),
        Err(_) => Ok(Some(check)),
    }
}

/// Runs the command until Ctrl-C or SIGTERM.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let mut signal = std::pin::pin!(signals::shutdown()?);
    let now = Timestamp::now();
    if !options.files.files.is_empty() {
        let api = tokio::select! {
            api = files::start(&options, now) => api?,
            () = &mut signal => return Ok(ExitCode::SUCCESS),
        };
        announce(api.address());
        signal.await;
        api.stop(GRACE).await;
        return Ok(ExitCode::SUCCESS);
    }
    let mut service = tokio::select! {
        service = Service::start(&options, now) => service?,
        () = &mut signal => return Ok(ExitCode::SUCCESS),
    };
    greeting::print(&service, &options);
    announce(service.api_address());
    let outcome = tokio::select! {
        () = signal => Ok(ExitCode::SUCCESS),
        error = service.damage() => Err(error),
    };
    service.stop().await;
    outcome
}

/// How long requests in flight may take when the service ends.
const GRACE: Duration = Duration::from_millis(500);

/// Prints the address of the API. The service continues if the reader closes the pipe.
fn announce(address: SocketAddr) {
    let _ = writeln!(std::io::stdout(), "listening on http://{address}");
}

#[cfg(test)]
mod tests {
    use anyhow::bail;
    use tokio::time::{Instant, sleep};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_check_delays_the_service_by_five_seconds_and_goes_on() {
        let started = Instant::now();
        let long = begin_check(async {
            sleep(Duration::from_mins(1)).await;
            bail!("damaged")
        });
        let rest = long.await.unwrap().unwrap();
        assert_eq!(started.elapsed().as_secs(), 5);
        assert_eq!(rest.await.unwrap().unwrap_err().to_string(), "damaged");
        assert!(begin_check(async { Ok(()) }).await.unwrap().is_none());
        assert!(begin_check(async { bail!("damaged") }).await.is_err());
    }
}
