//! An HTTP client of the API, and what tests read from its responses.

use std::io::Read as _;

use base64::Engine as _;
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{Project, service};

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

/// A whole response.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
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
        self.get_as_account(
            project,
            &format!("/api/users?project={}{query}", project.id),
        )
        .await
    }

    /// Requests a path and query with the project's own account.
    pub(crate) async fn get_as_account(&self, project: &Project, target: &str) -> Reply {
        self.get(
            target,
            &[(
                "Authorization",
                &basic(&project.username, &project.password),
            )],
        )
        .await
    }
}

impl Reply {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn request_id(&self) -> &str {
        self.header("x-request-id").unwrap()
    }

    /// Returns the `attributes` of a statistics response.
    #[track_caller]
    pub(crate) fn figures(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()["data"][0]["attributes"].clone()
    }

    /// Returns the `userId`s of a users response.
    #[track_caller]
    pub(crate) fn user_ids(&self) -> Vec<String> {
        assert_eq!(self.status, 200, "{self:?}");
        let users = self.json()["users"].as_array().unwrap().clone();
        users
            .iter()
            .map(|user| user["userId"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Checks the status, and returns the code of the only error.
    #[track_caller]
    pub(crate) fn code(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        let errors = self.json()["errors"].as_array().unwrap().clone();
        assert_eq!(errors.len(), 1, "{self:?}");
        errors[0]["code"].as_str().unwrap().to_owned()
    }
}

/// Returns the value of an `Authorization` header.
pub(crate) fn basic(username: &str, password: &str) -> String {
    format!(
        "Basic {}",
        base64::engine::general_purpose::STANDARD.encode(format!("{username}:{password}"))
    )
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
