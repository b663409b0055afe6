//! The socket of a folder in use: where it is, and what is said through it.
//!
//! A message is a frame with its length before it. Each side first says its version, which is the only message that
//! all versions understand. Then the client sends one [`FolderCall`] at a time as JSON, and gets a reply: a mark, and
//! JSON or the body of a page as it is. Until then, the server sends [`WORKING`] every few seconds, and a client that
//! hears nothing gives up.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::BytesMut;
use items::{ItemKey, Table};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Error, ErrorKind, PageRead};
use tables::ItemChange;
use tokio::net::UnixStream;
use tokio_util::codec::{Framed, LengthDelimitedCodec};

pub(super) const SOCKET: &str = "serve.sock";

/// The version that each side says first. The number behind the `+` changes with the messages, because builds of
/// different commits have one version.
pub(super) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+3");

/// How long each side waits for the version of the other.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How often the server says that it works on a call: an erasure can take minutes, and writes wait for it.
pub(super) const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// After how long a client that hears nothing gives up.
pub(super) const SILENCE: Duration = Duration::from_secs(30);

/// The bytes of a message. The JSON of an item can have nine times its 400 KB, that of a change has two of them, and
/// quotes are escaped.
const MAX_MESSAGE: usize = 32 << 20;

/// Returns the path by which the socket of a folder is reached, for as long as the folder is open. A path that is
/// too long for a socket, which has some 100 bytes, goes through the handle of the folder where the system can.
pub(super) fn address(folder: &Path, opened: &File) -> io::Result<PathBuf> {
    const LONGEST: usize = 100;
    let path = folder.join(SOCKET);
    let length = path.as_os_str().len();
    if length <= LONGEST {
        return Ok(path);
    }
    if cfg!(target_os = "linux") {
        return Ok(format!("/proc/self/fd/{}/{SOCKET}", opened.as_raw_fd()).into());
    }
    let reason = format!("the path of a socket has {LONGEST} bytes at most, not {length}");
    Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
}

pub(super) type Messages = Framed<UnixStream, LengthDelimitedCodec>;

pub(super) fn messages(stream: UnixStream) -> Messages {
    let mut codec = LengthDelimitedCodec::builder();
    codec.max_frame_length(MAX_MESSAGE).new_framed(stream)
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FolderCall<'a> {
    /// The reply is the body of the page.
    Page(PageRead),
    /// The reply is the items, as far as they fit, and how many keys were read.
    Get(Table, Cow<'a, [ItemKey]>),
    /// The items after a row. The reply is some of them, and the last of their rows.
    All(Table, i64),
    Replace(Table, Cow<'a, [ItemChange]>),
    Delete(Table, Cow<'a, [ItemKey]>),
    /// Those of a project, or of all.
    Shards(Option<String>),
    CreateMissing,
    Rewrite,
}

/// The message of a server that has no reply yet.
pub(super) const WORKING: &[u8] = b".";

const DONE: u8 = b'+';
const FAILED: u8 = b'-';

pub(super) fn reply(result: Result<Vec<u8>, Error>) -> Vec<u8> {
    let (mark, payload) = match result {
        Ok(payload) => (DONE, payload),
        Err(error) => (
            FAILED,
            json!([error.kind(), error.code()]).to_string().into(),
        ),
    };
    [&[mark], &payload[..]].concat()
}

/// Returns what a reply says; its errors name this operation.
pub(super) fn read_reply(mut reply: BytesMut, operation: &'static str) -> Result<BytesMut, Error> {
    let payload = reply.split_off(reply.len().min(1));
    if reply.first() == Some(&DONE) {
        return Ok(payload);
    }
    let error: serde_json::Result<(_, String)> = serde_json::from_slice(&payload);
    let (kind, code) = error.unwrap_or((ErrorKind::Damaged, "a malformed reply".to_owned()));
    Err(Error::new(kind, operation, &code))
}
