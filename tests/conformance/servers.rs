//! The two servers, each with a store of its own.

use std::net::SocketAddr;

use bytes::Bytes;
use dynoxide::Database;
use feedback::commands::serve::{Options, Service};
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use super::corpus::{Entry, Saved};
use crate::support::{Reply, options, start};

/// Both servers, without tables.
pub(super) struct Servers {
    service: Service,
    _folder: TempDir,
    /// The DynamoDB address of the service, and that of dynoxide.
    pub(super) addresses: [SocketAddr; 2],
    client: Client<HttpConnector, Full<Bytes>>,
    /// What entries have saved of the responses of each.
    saved: [Saved; 2],
}

impl Servers {
    pub(super) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            data: Some(folder.path().to_owned()),
            ..options()
        };
        let service = start(&options).await;
        let mut servers = Self {
            addresses: [service.dynamodb_address(), dynoxide_server()],
            service,
            _folder: folder,
            client: Client::builder(TokioExecutor::new()).build_http(),
            saved: Default::default(),
        };
        for table in ["credentials", "responses", "users"] {
            let deletion = Entry::of("DeleteTable", &json!({"TableName": table}));
            servers.send(&deletion).await;
        }
        servers
    }

    /// Returns the address of the service's API.
    pub(super) fn api(&self) -> SocketAddr {
        self.service.api_address()
    }

    /// Sends the request to each server, and saves what it says of the response.
    pub(super) async fn send(&mut self, entry: &Entry) -> [Reply; 2] {
        let mut replies = [0, 1].map(|_| None);
        for (server, reply) in replies.iter_mut().enumerate() {
            let saved = &mut self.saved[server];
            let base = format!("http://{}", self.addresses[server]);
            let received = send(&self.client, entry.request(&base, saved)).await;
            entry.save(&received, saved);
            *reply = Some(received);
        }
        replies.map(Option::unwrap)
    }
}

async fn send(client: &Client<HttpConnector, Full<Bytes>>, request: Request<Bytes>) -> Reply {
    let request = request.map(Full::new);
    let response = client.request(request).await.unwrap();
    let (head, body) = response.into_parts();
    Reply {
        status: head.status,
        headers: head.headers,
        body: body.collect().await.unwrap().to_bytes(),
    }
}

/// Starts the server of dynoxide, which runs as long as the test program, and returns its address.
fn dynoxide_server() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let serve = async {
        let listener = TcpListener::from_std(listener).unwrap();
        dynoxide::server::serve_on(listener, Database::memory().unwrap()).await;
    };
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    // It overflows the stack of other threads.
    let thread = std::thread::Builder::new().stack_size(256 << 20);
    thread.spawn(move || runtime.block_on(serve)).unwrap();
    address
}
