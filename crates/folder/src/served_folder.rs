//! The store of a data folder that another process serves: both ports, by calls through the folder's socket.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail, ensure};
use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt as _, StreamExt as _};
use items::{ItemKey, Partition, Table};
use model::ProjectId;
use serde::de::DeserializeOwned;
use store::{
    CredentialRead, Error, ErrorKind, PageBody, PageRead, ReaderFuture, TableReader, in_time,
};
use tables::{ItemChange, TableWriter, WriterFuture};
use tokio::net::UnixStream;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::data_folder::{is_trusted, require_own, unusable};
use super::folder_socket::{
    FolderCall, Messages, PATIENCE, SILENCE, VERSION, WORKING, address, messages, read_reply,
};
use super::folder_store::{READ, WRITE, credential_in, each_page};
use super::socket_server::MAX_CLIENTS;
use super::stored_items::{FoundItems, ITEMS_AT_ONCE};

/// How many keys a call has at most.
const KEYS_AT_ONCE: usize = 4_000;

/// The tables of a data folder that another process serves. Cloning it is cheap.
///
/// It has one connection, and makes one call after the other.
#[derive(Debug, Clone)]
pub struct ServedFolder {
    path: PathBuf,
    /// `None` while it is used, and after a call that was not answered.
    connection: Arc<Mutex<Option<Messages>>>,
}

impl ServedFolder {
    /// Connects to the process that serves a folder. Returns `None` if nobody does.
    ///
    /// # Errors
    ///
    /// Fails if that process has another version, or does not answer.
    pub async fn connect(folder: &Path) -> anyhow::Result<Option<Self>> {
        let connection = connect(folder).await?;
        Ok(connection.map(|connection| Self {
            path: folder.to_owned(),
            connection: Arc::new(Mutex::new(Some(connection))),
        }))
    }

    /// Makes a call; returns what its reply says. Its errors name this operation.
    async fn call(
        &self,
        operation: &'static str,
        call: &FolderCall<'_>,
    ) -> Result<BytesMut, Error> {
        let unavailable = |error: anyhow::Error| {
            Error::new(ErrorKind::Unavailable, operation, &error.to_string())
        };
        let reply = self.reply_to(call).await.map_err(unavailable)?;
        read_reply(reply, operation)
    }

    async fn reply_to(&self, call: &FolderCall<'_>) -> anyhow::Result<BytesMut> {
        const ENDED: &str = "nobody serves the folder anymore";
        const SILENT: &str = "the feedback that serves the folder does not answer";
        let call = Bytes::from(serde_json::to_vec(call)?);
        let mut idle = self.connection.lock().await;
        // If this is dropped before the reply is there, so is the connection: the next call would get that reply.
        let mut connection = match idle.take() {
            Some(connection) => connection,
            None => connect(&self.path).await?.context(ENDED)?,
        };
        let sent = timeout(SILENCE, connection.send(call)).await;
        sent.context(SILENT)?.context(ENDED)?;
        loop {
            let next = timeout(SILENCE, connection.next()).await;
            let message = next.context(SILENT)?.context(ENDED)?.context(ENDED)?;
            if message != WORKING {
                *idle = Some(connection);
                return Ok(message);
            }
        }
    }

    /// Makes a call whose reply is JSON.
    async fn ask<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        call: FolderCall<'_>,
    ) -> Result<T, Error> {
        let reply = self.call(operation, &call).await?;
        let malformed = |_| Error::new(ErrorKind::Damaged, operation, "a malformed reply");
        serde_json::from_slice(&reply).map_err(malformed)
    }
}

/// Connects to the process that serves a folder, and compares the versions. Returns `None` if nobody serves it.
async fn connect(folder: &Path) -> anyhow::Result<Option<Messages>> {
    let opened = File::open(folder)?;
    require_own(folder, &opened).with_context(|| unusable(folder))?;
    let stream = match UnixStream::connect(address(folder, &opened)?).await {
        Ok(stream) => stream,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Err(error).with_context(|| unusable(folder));
        }
        Err(_) => return Ok(None),
    };
    // In a folder that others may write, another user could put a socket here, and get what is sent.
    let theirs = stream.peer_cred()?.uid();
    ensure!(
        is_trusted(theirs),
        "{}: its socket is answered by user {theirs}, who is neither you nor root",
        unusable(folder)
    );
    let mut connection = messages(stream);
    let greeted = timeout(PATIENCE, async {
        connection.send(Bytes::from(VERSION)).await.ok()?;
        connection.next().await?.ok()
    });
    let Ok(greeting) = greeted.await else {
        bail!(
            "the feedback that serves {} does not answer; {MAX_CLIENTS} commands at a time may use it",
            folder.display()
        );
    };
    // It may just be ending.
    let Some(theirs) = greeting else {
        return Ok(None);
    };
    ensure!(
        theirs == VERSION,
        "this feedback is {VERSION}, and the one that serves {} is {}: use the same",
        folder.display(),
        String::from_utf8_lossy(&theirs)
    );
    Ok(Some(connection))
}

impl TableReader for ServedFolder {
    fn page(&self, read: PageRead) -> ReaderFuture<PageBody> {
        let operation = read.operation();
        let folder = self.clone();
        let page = async move {
            let body = folder.call(operation, &FolderCall::Page(read)).await?;
            Ok(PageBody::from(Vec::from(body)))
        };
        in_time(operation, Box::pin(page))
    }

    fn credential(&self, digest: String) -> ReaderFuture<CredentialRead> {
        let folder = self.clone();
        let credential = async move {
            let key = [ItemKey::of_credential(&digest)];
            let call = FolderCall::Get(Table::Credentials, Cow::Borrowed(&key));
            Ok(credential_in(folder.ask(READ, call).await?))
        };
        in_time(READ, Box::pin(credential))
    }

    fn concurrent_pages(&self) -> usize {
        1
    }

    fn has_index(&self) -> bool {
        true
    }
}

impl TableWriter for ServedFolder {
    fn get(&self, table: Table, keys: Vec<ItemKey>) -> WriterFuture<'_, HashMap<ItemKey, String>> {
        Box::pin(async move {
            let mut found = HashMap::with_capacity(keys.len());
            let mut rest = &keys[..];
            while !rest.is_empty() {
                let some = rest.get(..KEYS_AT_ONCE).unwrap_or(rest);
                let call = FolderCall::Get(table, Cow::Borrowed(some));
                let (items, read): FoundItems = self.ask(READ, call).await?;
                found.extend(items);
                rest = rest.get(read.max(1)..).unwrap_or_default();
            }
            Ok(found)
        })
    }

    fn all<'a>(
        &'a self,
        table: Table,
        page: &'a mut dyn FnMut(Vec<String>) -> Result<(), Error>,
    ) -> WriterFuture<'a, ()> {
        let after = async move |row| self.ask(READ, FolderCall::All(table, row)).await;
        Box::pin(each_page(after, page))
    }

    /// In one transaction for each message.
    fn replace(&self, table: Table, changes: Vec<ItemChange>) -> WriterFuture<'_, Vec<bool>> {
        Box::pin(async move {
            let mut made = Vec::with_capacity(changes.len());
            let mut bytes = 0;
            let messages = changes.chunk_by(|change, _| {
                bytes += change.after.len() + change.before.as_ref().map_or(0, String::len);
                let fits = bytes < ITEMS_AT_ONCE;
                bytes = if fits { bytes } else { 0 };
                fits
            });
            for changes in messages {
                let call = FolderCall::Replace(table, Cow::Borrowed(changes));
                made.extend(self.ask::<Vec<bool>>(WRITE, call).await?);
            }
            Ok(made)
        })
    }

    fn delete(&self, table: Table, keys: Vec<ItemKey>) -> WriterFuture<'_, ()> {
        Box::pin(async move {
            for keys in keys.chunks(KEYS_AT_ONCE) {
                let call = FolderCall::Delete(table, Cow::Borrowed(keys));
                self.ask::<()>(WRITE, call).await?;
            }
            Ok(())
        })
    }

    fn create_missing(&self) -> WriterFuture<'_, ()> {
        Box::pin(self.ask("CreateTable", FolderCall::CreateMissing))
    }

    fn shards(&self, project: Option<&ProjectId>) -> WriterFuture<'_, Vec<Partition>> {
        let project = project.map(ProjectId::to_string);
        Box::pin(self.ask(READ, FolderCall::Shards(project)))
    }

    fn rewrite(&self) -> WriterFuture<'_, ()> {
        Box::pin(self.ask("rewrite the files", FolderCall::Rewrite))
    }
}
