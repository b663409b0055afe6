//! An HTTP client of the API, and what tests read from its responses.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::{Method, Request};
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{Project, Reply, service};

/// The path of the statistics operation.
pub(crate) const STATISTICS: &str = "/api/v2/response-statistics";
/// The path of the users operation.
pub(crate) const USERS: &str = "/api/users";

thread_local! {
    /// A client for each test, which keeps its connections.
    static CLIENT: Client<HttpConnector, Empty<Bytes>> =
        Client::builder(TokioExecutor::new()).build_http();
}

/// An HTTP client that sends the path and query as they are.
pub(crate) struct Api {
    base: String,
}

impl Api {
    /// Returns a client of the service that all tests share.
    pub(crate) fn shared() -> Self {
        Self::at(service().api_address())
    }

    /// Returns a client of the server at this address.
    pub(crate) fn at(address: std::net::SocketAddr) -> Self {
        Self {
            base: format!("http://{address}"),
        }
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        target: &str,
        headers: &[(&str, &str)],
    ) -> Reply {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{target}", self.base));
        for (name, value) in headers {
            request = request.header(*name, value.as_bytes());
        }
        let client = CLIENT.with(Client::clone);
        let request = request.body(Empty::new()).unwrap();
        let (head, body) = client.request(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Reply {
            status: head.status,
            headers: head.headers,
            body,
        }
    }

    pub(crate) async fn get(&self, target: &str, headers: &[(&str, &str)]) -> Reply {
        self.send(Method::GET, target, headers).await
    }

    /// Requests the statistics of the project with its own key; `query` follows `project=…`
    /// unencoded.
    pub(crate) async fn statistics(&self, project: &Project, query: &str) -> Reply {
        let target = format!("/api/v2/response-statistics?project={}{query}", project.id);
        self.get(&target, &[("AuthKey", &project.read_key)]).await
    }

    /// Requests the users of the project with its own account; `query` follows `project=…`
    /// unencoded.
    pub(crate) async fn users(&self, project: &Project, query: &str) -> Reply {
        let target = format!("/api/users?project={}{query}", project.id);
        self.get_as_account(project, &target).await
    }

    /// Requests a path and query with the project's own account.
    pub(crate) async fn get_as_account(&self, project: &Project, target: &str) -> Reply {
        let account = basic(&project.username, &project.password);
        self.get(target, &[("Authorization", &account)]).await
    }
}

/// Returns the value of an `Authorization` header.
pub(crate) fn basic(username: &str, password: &str) -> String {
    let encoded = STANDARD.encode(format!("{username}:{password}"));
    format!("Basic {encoded}")
}

/// Returns the two parameters of a filter on a string trait, unencoded, to follow others.
pub(crate) fn filter(name: &str, operator: &str, value: &str) -> String {
    typed_filter("string", name, operator, value)
}

/// Returns the two parameters of a filter on a trait of this type, unencoded, to follow others.
pub(crate) fn typed_filter(kind: &str, name: &str, operator: &str, value: &str) -> String {
    let key = format!("filters[user.traits.{kind}.{name}]");
    format!("&{key}[operator]={operator}&{key}[value]={value}")
}

/// Returns what was compressed.
pub(crate) fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut text).unwrap();
    text
}

/// Returns the status of the shared service's response.
pub(crate) async fn status(target: &str, headers: &[(&str, &str)]) -> u16 {
    Api::shared().get(target, headers).await.status.as_u16()
}

/// Returns the query of `Link: <?…>; rel="next"`, if there is one.
pub(crate) fn next(reply: &Reply) -> Option<String> {
    let link = reply.header("link")?.strip_prefix("<?").unwrap();
    Some(link.strip_suffix(r#">; rel="next""#).unwrap().to_owned())
}

/// Sends these bytes, and reads until the server closes the connection.
pub(crate) async fn send_raw(address: std::net::SocketAddr, bytes: &[u8]) -> String {
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.unwrap();
    String::from_utf8_lossy(&response).into_owned()
}
