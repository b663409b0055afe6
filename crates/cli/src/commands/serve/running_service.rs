//! What runs until the command ends: the API over a store, with that store, or over files.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use auth::{Credential, Digest, Permission};
use folder::{DataFolder, FolderStore, SocketServer};
use form_urlencoded::Serializer;
use model::Timestamp;
use server::{Listener, Server, is_loopback};
use tokio::task::JoinHandle;

use super::api::ApiSite;
use super::metrics::{self, Connections, Watched};
use super::{Options, bind, demo, variable_with};
use crate::commands::command_store::{OpenedFolder, open_folder, open_store};
use crate::commands::credentials::{new_credential, random_secret};
use crate::commands::record_files::LoadedFiles;
use crate::page::Settings;
use crate::text::words;

/// How long requests in flight may take when the service ends.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// A running service, with the store that it reads.
pub struct Service {
    api: Server,
    pub(super) dynamodb: Vec<Server>,
    pub(super) metrics: Option<Server>,
    /// The digests of the demo's credentials, if others than this machine can use them.
    pub(super) exposed: Vec<Digest>,
    /// The check of a folder that was not closed, while it goes on.
    check: Option<JoinHandle<Checked>>,
    /// Answers commands, unless the folder is temporary or cannot have a socket.
    socket: Option<SocketServer>,
}

/// Whether a database is sound.
type Checked = anyhow::Result<()>;

impl Service {
    /// Opens the database, creates its tables if necessary, and serves all addresses.
    /// The sample data ends with the day before `now`.
    pub async fn start(options: &Options, now: Timestamp) -> anyhow::Result<Self> {
        // All addresses are bound before anything is written.
        let api = bind("--listen", &options.listen).await?;
        let mut dynamodb_listeners = Vec::new();
        for address in options.dynamodb_addresses() {
            dynamodb_listeners.push(bind("--dynamodb-listen", address).await?);
        }
        let metrics_listener = match &options.metrics_listen {
            Some(address) => Some(bind("--metrics-listen", address).await?),
            None => None,
        };
        let folder = match &options.data {
            Some(path) => {
                if !path.exists() {
                    let folder = path.display().to_string();
                    tracing::info!(folder, "creating the data folder");
                }
                let opened = open_folder(path).await;
                let opened = match variable_with("--data", &path.to_string_lossy()) {
                    Some(variable) => opened.context(variable),
                    None => opened,
                };
                match opened? {
                    OpenedFolder::Locked(folder) => folder,
                    OpenedFolder::Served(_) => {
                        bail!("the data folder {} is being served", path.display())
                    }
                }
            }
            None => Arc::new(DataFolder::temporary()?),
        };
        let database = folder.database();
        let folder_store = FolderStore::open(folder)?;
        let check = begin_check(folder_store.clone().check()).await?;
        let store = open_store(folder_store.clone()).await?;
        if options.has_demo() {
            demo::load(&store, now).await?;
        }
        let settings = Settings {
            project: options.has_demo().then(|| demo::PROJECT.to_owned()),
            demo: options.has_demo().then(demo::suggestion),
            // Anyone may ask for the settings.
            data: options.data.is_some().then_some("DIR"),
            ..Settings::default()
        };
        let exposed = if is_loopback(api.address().ip()) {
            Vec::new()
        } else {
            demo::published_credentials(&store).await?
        };
        let router = folder::router(folder_store.clone());
        let serve = |listener: Listener| listener.with_half_close().serve(router.clone());
        let dynamodb: Vec<_> = dynamodb_listeners.into_iter().map(serve).collect();
        // On a full disk, what is stored is served nevertheless.
        let socket = options.data.as_ref().and_then(|_| {
            let started = SocketServer::start(folder_store.clone());
            let warn = |error: &_| tracing::warn!(reason = words(error), "commands are refused");
            started.inspect_err(warn).ok()
        });
        let site = ApiSite::new(options, store.reader, settings);
        let api = api.serve(site.clone().router());
        let metrics = metrics_listener.map(|listener| {
            let of_tables: Vec<_> = dynamodb.iter().map(Server::connections).collect();
            let tables = move || of_tables.iter().map(|connections| connections()).sum();
            let connections: [(_, Connections); 2] = [
                ("api", Box::new(api.connections())),
                ("tables", Box::new(tables)),
            ];
            listener.serve(metrics::router(Watched {
                site,
                store: folder_store,
                database,
                connections,
                started: now,
            }))
        });
        Ok(Self {
            api,
            dynamodb,
            metrics,
            exposed,
            check,
            socket,
        })
    }

    pub fn api_address(&self) -> SocketAddr {
        self.api.address()
    }

    /// Returns the first address of the DynamoDB-compatible store, if it has one.
    pub fn dynamodb_address(&self) -> Option<SocketAddr> {
        self.dynamodb.first().map(Server::address)
    }

    /// Waits until the check of the database finds damage, which may never be.
    pub(super) async fn damage(&mut self) -> anyhow::Error {
        if let Some(check) = self.check.take()
            && let Ok(Err(error)) = check.await
        {
            return error;
        }
        std::future::pending().await
    }

    /// Stops accepting requests, waits at most half a second for those in flight, and stops the store.
    pub async fn stop(self) {
        drop(self.socket);
        self.api.stop(GRACE).await;
        for server in self.dynamodb.into_iter().chain(self.metrics) {
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

/// Imports the files and serves the API over them. Says what came in, and where the page is.
pub(super) async fn start_over_files(options: &Options, now: Timestamp) -> anyhow::Result<Server> {
    let of_files = &options.files;
    let zone = of_files.timezone.as_ref();
    // Bound before anything is read.
    let api = bind("--listen", &options.listen).await?;
    let loaded = LoadedFiles::new(
        &of_files.files,
        of_files.project.as_ref(),
        &of_files.reading,
        zone,
        true,
        Vec::new(),
    )
    .await?;
    let read_key = add_read_key(&loaded, now).await?;
    let site = ApiSite::new(options, loaded.store.reader.clone(), Settings::default());
    let service = api.serve(site.router());
    let mut query = Serializer::new(String::new());
    query.append_pair("project", loaded.project.as_str());
    if let Some(zone) = zone {
        query.append_pair("timezone", &zone.to_string());
    }
    eprintln!("{}", loaded.counts());
    // What follows the # is not sent, so no log of a proxy has it.
    eprintln!(
        "Open http://{}/?{}#key={read_key}",
        service.address(),
        query.finish()
    );
    eprintln!("The records are in a temporary folder, deleted when this ends\n");
    Ok(service)
}

/// Adds a fresh Read Key of the files' project, and returns it.
async fn add_read_key(loaded: &LoadedFiles, created: Timestamp) -> anyhow::Result<String> {
    let text = random_secret()?;
    let projects = [loaded.project.clone()].into();
    let credential = Credential::new(projects, [Permission::Statistics].into(), None)?;
    let read_key = new_credential(&text, credential, None, created)?;
    let added = loaded.store.add_credentials(&[read_key]).await;
    added.context("cannot write the Read Key")?;
    Ok(text)
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
