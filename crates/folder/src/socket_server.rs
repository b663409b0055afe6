//! Answers the calls of other processes of this user, on the socket of a folder in use.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Serialize;
use store::{Error, ErrorKind, TableReader as _};
use tokio::net::{UnixListener, UnixSocket};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use super::data_folder::DataFolder;
use super::folder_socket::{
    FolderCall, Messages, PATIENCE, SIGN_OF_LIFE, VERSION, WORKING, messages, reply,
};
use super::folder_store::FolderStore;
use super::stored_items::ITEMS_AT_ONCE;

/// How many commands use a folder at the same time; others wait for one of them to end, and give up after ten
/// seconds.
pub(super) const MAX_CLIENTS: usize = 64;

/// The socket of a folder, which is answered until this is dropped. Then it is deleted, and its connections end.
pub struct SocketServer {
    folder: Arc<DataFolder>,
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
        let folder = store.folder().clone();
        let failed = || format!("cannot serve {}", folder.path.display());
        let path = folder.socket().with_context(failed)?;
        let listener = create(&path).with_context(failed)?;
        let task = tokio::spawn(accept(listener, store));
        Ok(Self { folder, task })
    }
}

impl Drop for SocketServer {
    fn drop(&mut self) {
        // The folder is still locked, so the socket is no other process's, unless another folder is at its path.
        if self.folder.require_in_place().is_ok() {
            let _ = self.folder.socket().and_then(std::fs::remove_file);
        }
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

async fn accept(listener: UnixListener, store: FolderStore) {
    let places = Arc::new(Semaphore::new(MAX_CLIENTS));
    let mut clients = JoinSet::new();
    loop {
        // The semaphore is never closed.
        let place = places.clone().acquire_owned().await;
        match listener.accept().await {
            Ok((stream, _)) => {
                let store = store.clone();
                clients.spawn(async move {
                    let _place = place;
                    answer_client(messages(stream), &store).await;
                });
            }
            // Mostly, the process has no files left.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        while clients.try_join_next().is_some() {}
    }
}

/// Answers the calls of a client until it leaves.
async fn answer_client(mut messages: Messages, store: &FolderStore) {
    let theirs = timeout(PATIENCE, messages.next()).await;
    let is_ours = matches!(theirs, Ok(Some(Ok(theirs))) if theirs == VERSION);
    let mut is_there = messages.send(Bytes::from(VERSION)).await.is_ok() && is_ours;
    while is_there && let Some(Ok(call)) = messages.next().await {
        let mut answering = pin!(answered(store, &call));
        let message = loop {
            match timeout(SIGN_OF_LIFE, &mut answering).await {
                Ok(answered) => break reply(answered),
                Err(_) if messages.send(Bytes::from_static(WORKING)).await.is_ok() => {}
                Err(_) => return,
            }
        };
        is_there = messages.send(Bytes::from(message)).await.is_ok();
    }
}

async fn answered(store: &FolderStore, call: &[u8]) -> Result<Vec<u8>, Error> {
    let call = serde_json::from_slice(call).map_err(|_| malformed())?;
    let writes = matches!(
        call,
        FolderCall::Replace(..) | FolderCall::Delete(..) | FolderCall::Rewrite
    );
    let answered = answer(store, call).await;
    if writes && let Err(error) = &answered {
        store.count_refused(error);
    }
    answered
}

async fn answer(store: &FolderStore, call: FolderCall<'static>) -> Result<Vec<u8>, Error> {
    match call {
        FolderCall::Page(read) => Ok(store.page(read).await?.as_ref().to_vec()),
        FolderCall::Get(table, keys) => {
            json(&store.some(table, keys.into_owned(), ITEMS_AT_ONCE).await?)
        }
        FolderCall::All(table, after) => json(&store.after_row(table, after).await?),
        FolderCall::Replace(table, changes) => {
            json(&store.replace_items(table, changes.into_owned()).await?)
        }
        FolderCall::Delete(table, keys) => {
            json(&store.delete_items(table, keys.into_owned()).await?)
        }
        FolderCall::Shards(project) => json(&store.shards_of(project.as_deref()).await?),
        FolderCall::CreateMissing => json(&store.create_missing_tables().await?),
        FolderCall::Rewrite => json(&store.rewrite_files().await?),
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|_| malformed())
}

/// The client knows which operation fails.
fn malformed() -> Error {
    Error::new(ErrorKind::Internal, "", "a malformed message")
}
