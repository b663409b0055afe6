//! A stub of DynamoDB: a script answers its requests, over HTTP or in the process of the client.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::http::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::project::config;
use crate::{serve, sha256};

/// A request to run an operation.
#[derive(Debug, Clone)]
pub struct Request {
    /// The name of the operation.
    pub operation: String,
    /// Its input.
    pub input: Value,
    /// The headers of the request.
    pub headers: HeaderMap,
}

/// An answer to a request.
#[derive(Debug, Clone)]
pub struct Answer {
    status: u16,
    checksum: Option<u32>,
    body: Bytes,
}

impl Answer {
    /// Makes the answer to a request that succeeds. It has no checksum.
    pub fn new(body: impl Into<Bytes>) -> Self {
        Self {
            status: 200,
            checksum: None,
            body: body.into(),
        }
    }

    /// Makes the answer to a request that is refused with this status, code and message.
    pub fn refusal(status: u16, code: &str, message: &str) -> Self {
        let kind = format!("com.amazonaws.dynamodb.v20120810#{code}");
        let body = json!({"__type": kind, "message": message});
        Self::from((status, body))
    }

    /// Answers with this status instead.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Adds this checksum, right or wrong.
    #[must_use]
    pub fn with_checksum(self, checksum: impl Into<Option<u32>>) -> Self {
        Self {
            checksum: checksum.into(),
            ..self
        }
    }

    /// Adds the checksum of the body.
    #[must_use]
    pub fn checked(self) -> Self {
        let checksum = crc32fast::hash(&self.body);
        self.with_checksum(checksum)
    }
}

impl From<(u16, Value)> for Answer {
    fn from((status, body): (u16, Value)) -> Self {
        Self {
            status,
            ..Self::new(body.to_string())
        }
    }
}

impl From<Value> for Answer {
    fn from(body: Value) -> Self {
        Self::new(body.to_string())
    }
}

impl From<String> for Answer {
    fn from(body: String) -> Self {
        Self::new(body)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let kind = [("content-type", "application/x-amz-json-1.0")];
        let mut response = (kind, self.body).into_response();
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap();
        if let Some(checksum) = self.checksum {
            let headers = response.headers_mut();
            headers.insert("x-amz-crc32", checksum.into());
        }
        response
    }
}

/// Starts a stub that answers each request with what the script returns, as long as [`listen`](crate::listen)
/// serves. Returns its URL. The future of a script is dropped when the client closes its connection.
pub fn start<S, F>(script: S) -> String
where
    S: FnOnce(Request) -> F + Clone + Send + Sync + 'static,
    F: Future<Output: Into<Answer>> + Send,
{
    let respond = async move |request: axum::extract::Request| {
        let (head, body) = request.into_parts();
        let input = body.collect().await.unwrap().to_bytes();
        let request = Request::of(head.headers, &input);
        script(request).await.into().into_response()
    };
    serve(Router::new().fallback(respond))
}

/// Makes a client of a stub that is in its process, so that the time of a test may be simulated.
pub fn client<S, F>(script: S) -> Client
where
    S: Fn(Request) -> F + Send + Sync + 'static,
    F: Future<Output: Into<Answer>> + Send + 'static,
{
    let script = move |request: Request| -> Answering {
        let answer = script(request);
        Box::pin(async move { answer.await.into() })
    };
    let connector = SharedHttpConnector::new(InProcess(Arc::new(script)));
    let http = http_client_fn(move |_, _| connector.clone());
    Client::from_conf(config().http_client(http).build())
}

/// The script of a stub in the process of its client.
struct InProcess(Arc<dyn Fn(Request) -> Answering + Send + Sync>);

type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InProcess")
    }
}

impl HttpConnector for InProcess {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let script = self.0.clone();
        HttpConnectorFuture::new(async move {
            let lines = request.headers().iter();
            let lines = lines.map(|(name, line)| (name.parse().unwrap(), line.parse().unwrap()));
            let request = Request::of(lines.collect(), request.body().bytes().unwrap());
            let answer = script(request).await;
            let status = answer.status.try_into().unwrap();
            let mut response = HttpResponse::new(status, answer.body.into());
            let headers = response.headers_mut();
            headers.insert("x-amzn-requestid", "an-aws-request-id");
            if let Some(checksum) = answer.checksum {
                headers.insert("x-amz-crc32", checksum.to_string());
            }
            Ok(response)
        })
    }
}

impl Request {
    fn of(headers: HeaderMap, input: &[u8]) -> Self {
        let target = headers["x-amz-target"].to_str().unwrap();
        Self {
            operation: target.split_once('.').unwrap().1.to_owned(),
            input: serde_json::from_slice(input).unwrap(),
            headers,
        }
    }

    /// Returns a header that the request has.
    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

/// A stub that records what it receives.
#[derive(Debug, Clone)]
pub struct Recorder {
    url: String,
    received: Arc<Mutex<Vec<Request>>>,
}

impl Recorder {
    /// Starts a stub that answers with what the script makes of a request.
    pub fn start<A: Into<Answer>>(script: impl Fn(&Request) -> A + Send + Sync + 'static) -> Self {
        let received = Arc::<Mutex<Vec<Request>>>::default();
        let (record, script) = (received.clone(), Arc::new(script));
        let url = start(async move |request: Request| {
            record.lock().unwrap().push(request.clone());
            script(&request).into()
        });
        Self { url, received }
    }

    /// Starts a stub that refuses every request with this code and message.
    pub fn refusing(code: &'static str, message: &'static str) -> Self {
        Self::start(move |_| Answer::refusal(400, code, message))
    }

    /// Starts a stub that answers every request with this document.
    pub fn answering(document: &'static str) -> Self {
        Self::start(move |_| Answer::new(document))
    }

    /// Returns the URL of the stub.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the requests so far, in their order.
    pub fn received(&self) -> Vec<Request> {
        self.received.lock().unwrap().clone()
    }

    /// Returns the inputs of the requests of this operation so far, in their order.
    pub fn inputs_of(&self, operation: &str) -> Vec<Value> {
        let received = self.received().into_iter();
        let of_operation = received.filter(|request| request.operation == operation);
        of_operation.map(|request| request.input).collect()
    }
}

/// Returns the output of `GetItem` for a credential: for the secret `any key` a Read Key of the project `p`,
/// and for any other one a credential for the users of `p`.
pub fn credential(input: &Value) -> Value {
    credential_of(input, "p", input["Key"]["digest"]["S"] == sha256("any key"))
}

/// Returns the output of this `GetItem` for a Read Key of this project, or for a credential for its users with the
/// username `u`.
pub fn credential_of(input: &Value, project: &str, is_key: bool) -> Value {
    let mut item = input["Key"].clone();
    item["projects"] = json!({"SS": [project]});
    item["may"] = json!({"SS": ["statistics"]});
    if !is_key {
        item["may"] = json!({"SS": ["users"]});
        item["username"] = json!({"S": "u"});
    }
    json!({"Item": item})
}
