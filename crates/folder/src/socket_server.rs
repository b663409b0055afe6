//! Answers the calls of other processes of this user, on the socket of a folder in use.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use serde::Serialize;
use store::{Error, ErrorKind, TableReader as _};
use tokio::net::{UnixListener, UnixSocket};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use super::folder_socket::{Call, ITEMS_AT_ONCE, Messages, PATIENCE, VERSION, reply};
use super::folder_store::FolderStore;

/// How many commands use a folder at the same time; others wait until one of them ends.
pub(super) const MAX_CLIENTS: usize = 64;

/// The socket of a folder, which is answered until this is stopped.
pub struct SocketServer {
    path: PathBuf,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl SocketServer {
    /// Creates the socket of the folder, which only its owner may open, and answers it. What is left of the socket
    /// of a killed process is deleted: whoever has locked the folder serves it.
    ///
    /// # Errors
    ///
    /// Fails if the socket cannot be created.
    pub fn start(store: FolderStore) -> anyhow::Result<Self> {
        let failed = || format!("cannot serve {}", store.folder().path().display());
        let path = store.folder().socket().with_context(failed)?;
        let listener = create(&path).with_context(failed)?;
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(accept(listener, store, stopped));
        Ok(Self { path, stop, task })
    }

    /// Deletes the socket, waits at most this long for the calls that have begun, and ends all connections.
    pub async fn stop(mut self, limit: Duration) {
        let _ = std::fs::remove_file(&self.path);
        let _ = self.stop.send(true);
        let _ = timeout(limit, &mut self.task).await;
        self.task.abort();
    }
}

fn create(path: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    // Nobody can connect before it is listened to.
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    socket.listen(128)
}

async fn accept(listener: UnixListener, store: FolderStore, mut stopped: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(MAX_CLIENTS));
    let mut clients = JoinSet::new();
    loop {
        // The semaphore is never closed.
        let next = async {
            (
                places.clone().acquire_owned().await,
                listener.accept().await,
            )
        };
        let (place, accepted) = tokio::select! {
            _ = stopped.changed() => break,
            next = next => next,
        };
        match accepted {
            Ok((stream, _)) => {
                let (store, stopped) = (store.clone(), stopped.clone());
                clients.spawn(async move {
                    let _place = place;
                    answer_client(Messages::new(stream), &store, stopped).await;
                });
            }
            // Mostly, the process has no files left.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        while clients.try_join_next().is_some() {}
    }
    drop((listener, store));
    while clients.join_next().await.is_some() {}
}

/// Answers the calls of a client until it leaves or the server stops. A call that has begun is answered.
async fn answer_client(
    mut messages: Messages,
    store: &FolderStore,
    mut stopped: watch::Receiver<bool>,
) {
    let theirs = timeout(PATIENCE, messages.next()).await;
    let is_ours = theirs.is_ok_and(|theirs| theirs.as_deref() == Some(VERSION.as_bytes()));
    if messages.send(VERSION).await.is_err() || !is_ours {
        return;
    }
    loop {
        let call = tokio::select! {
            _ = stopped.wait_for(|is_stopped| *is_stopped) => return,
            call = messages.next() => call,
        };
        let Some(call) = call else { return };
        let answered = match serde_json::from_slice(&call) {
            Ok(call) => answer(store, call).await,
            Err(_) => Err(Error::new(ErrorKind::Internal, "", "a malformed call")),
        };
        let Ok(reply) = reply(answered) else { return };
        if messages.send(reply).await.is_err() {
            return;
        }
    }
}

async fn answer(store: &FolderStore, call: Call<'static>) -> Result<Vec<u8>, Error> {
    match call {
        Call::Page(read) => Ok(store.page(read.into()).await?.as_ref().to_vec()),
        Call::Credential(digest) => {
            let digest = digest.parse();
            let digest = digest.map_err(|_| Error::new(ErrorKind::Internal, "", "not a digest"))?;
            json(&store.credential(digest).await?.item)
        }
        Call::Get(table, keys) => json(&store.some(table, keys.into_owned(), ITEMS_AT_ONCE).await?),
        Call::All(table, after) => json(&store.after_row(table, after).await?),
        Call::Replace(table, changes) => {
            json(&store.replace_items(table, changes.into_owned()).await?)
        }
        Call::Delete(table, keys) => json(&store.delete_items(table, keys.into_owned()).await?),
        Call::Shards(project) => json(&store.shards_of(&project).await?),
        Call::CreateMissing => json(&store.create_missing_tables().await?),
        Call::Rewrite => json(&store.rewrite().await?),
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    let failed = |_| Error::new(ErrorKind::Internal, "", "no JSON");
    serde_json::to_vec(value).map_err(failed)
}
