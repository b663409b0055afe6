//! The two servers, each with a store of its own.

use std::net::SocketAddr;

use bytes::Bytes;
use dynoxide::Database;
use feedback::commands::serve::{Options, Service};
use http::Request;
use http::uri::Authority;
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::corpus::Entry;
use crate::support::{Reply, options};

/// Both servers, without tables.
pub(super) struct Servers {
    _service: Service,
    _folder: TempDir,
    /// The address of the service, and that of dynoxide.
    addresses: [SocketAddr; 2],
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Servers {
    pub(super) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            data: Some(folder.path().to_owned()),
            ..options()
        };
        let service = Service::start(&options).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addresses = [service.dynamodb_address(), listener.local_addr().unwrap()];
        let database = Database::memory().unwrap();
        tokio::spawn(dynoxide::server::serve_on(listener, database));
        let servers = Self {
            _service: service,
            _folder: folder,
            addresses,
            client: Client::builder(TokioExecutor::new()).build_http(),
        };
        for table in ["credentials", "responses", "users"] {
            let deletion = Entry::of("DeleteTable", &json!({"TableName": table}));
            servers.send(|_| deletion.request(&[])).await;
        }
        servers
    }

    /// Sends a request to each server.
    pub(super) async fn send(&self, request: impl Fn(usize) -> Request<Bytes>) -> [Reply; 2] {
        let send = async |server: usize| {
            let mut request = request(server);
            let mut target = request.uri().clone().into_parts();
            target.scheme = Some("http".parse().unwrap());
            target.authority = Some(Authority::try_from(self.addresses[server].to_string()).unwrap());
            *request.uri_mut() = target.try_into().unwrap();
            let (head, body) = self.client.request(request.map(Full::new)).await.unwrap().into_parts();
            Reply {
                status: head.status,
                headers: head.headers,
                body: body.collect().await.unwrap().to_bytes(),
            }
        };
        [send(0).await, send(1).await]
    }
}
