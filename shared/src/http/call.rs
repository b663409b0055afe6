//! A request as the operations see it, whatever it arrived as.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::{HeaderMap, Method, request::Parts};
use lambda_http::{Request, RequestExt, request::RequestContext};
use uuid::Uuid;

use super::parameters::{self, Pairs, Parameters};
use crate::error::Error;
use crate::model::{ProjectId, Timestamp, Usage};

/// One request: an event of API Gateway, or a plain HTTP request.
///
/// It has no `Debug`, because headers hold secrets, and queries personal data.
pub struct Call {
    /// `X-Request-Id` of the response: Lambda's own id, or a new one elsewhere.
    pub id: String,
    /// When the request arrived.
    pub now: Timestamp,
    /// The headers as sent.
    pub headers: HeaderMap,
    /// What the request has read so far.
    pub usage: Arc<Usage>,
    /// The requested project, once it is known.
    pub(super) project: Arc<OnceLock<ProjectId>>,
    method: Method,
    path: String,
    public_path: String,
    query: Pairs,
    deadline: Option<Timestamp>,
}

impl Call {
    /// Makes the call of an API Gateway event that arrived at `now`.
    pub fn from_event(request: &Request, now: Timestamp) -> Self {
        let path = path_without_stage(request);
        let (public_path, query) = match request.request_context_ref() {
            // A v1 event carries decoded parameters. Decoding them again would turn %2B into a
            // space.
            Some(RequestContext::ApiGatewayV1(gateway)) => {
                let pairs = request.query_string_parameters();
                let pairs = pairs
                    .iter()
                    .map(|(key, value)| Ok((key.to_owned(), value.to_owned())))
                    .collect();
                (gateway.path.clone().unwrap_or_else(|| path.clone()), pairs)
            }
            _ => (
                request.raw_http_path().to_owned(),
                parameters::decode(request.uri().query().unwrap_or_default()),
            ),
        };
        let context = request.lambda_context_ref();
        Self {
            id: context.map_or_else(new_id, |context| context.request_id.clone()),
            now,
            headers: request.headers().clone(),
            usage: Arc::default(),
            project: Arc::default(),
            method: request.method().clone(),
            path,
            public_path,
            query,
            deadline: context.and_then(|context| Timestamp::from_unix_millis(context.deadline)),
        }
    }

    /// Makes the call of a plain HTTP request that arrived at `now`. No operation reads a body.
    pub fn from_http(request: Parts, now: Timestamp) -> Self {
        let path = request.uri.path().to_owned();
        Self {
            id: new_id(),
            now,
            headers: request.headers,
            usage: Arc::default(),
            project: Arc::default(),
            method: request.method,
            public_path: path.clone(),
            path,
            query: parameters::decode(request.uri.query().unwrap_or_default()),
            deadline: None,
        }
    }

    /// Checks that this is `GET path`, with or without one trailing slash.
    pub fn route(&self, path: &str) -> Result<(), Error> {
        if self.path.strip_suffix('/').unwrap_or(&self.path) != path {
            Err(Error::NotFound)
        } else if self.method != Method::GET {
            Err(Error::MethodNotAllowed)
        } else {
            Ok(())
        }
    }

    /// Returns the parameters of the query, for the operation to take.
    pub fn parameters(&self) -> Parameters {
        Parameters::new(&self.query)
    }

    /// Records the requested project for the log.
    pub fn record_project(&self, project: &ProjectId) {
        self.project.get_or_init(|| project.clone());
    }

    /// Returns the time until the host abandons the request, minus the time that the response needs.
    /// Returns `None` if there is no deadline: outside Lambda, and where a local tool reports one
    /// that is long past.
    pub fn time_left(&self) -> Option<Duration> {
        const TO_RESPOND: Duration = Duration::from_millis(500);
        let left = u64::try_from(self.deadline?.millis_since(self.now)).ok()?;
        Some(Duration::from_millis(left).saturating_sub(TO_RESPOND))
    }

    /// Returns the same request with another `cursor`, as a path-absolute reference.
    pub fn with_cursor(&self, cursor: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in self.query.iter().flatten() {
            if name != "cursor" {
                query.append_pair(name, value);
            }
        }
        query.append_pair("cursor", cursor);
        format!("{}?{}", self.public_path, query.finish())
    }
}

fn new_id() -> String {
    Uuid::new_v4().to_string()
}

/// Returns the path without the stage, which v2 events of a named stage include.
fn path_without_stage(request: &Request) -> String {
    let path = request.raw_http_path();
    if let Some(RequestContext::ApiGatewayV2(gateway)) = request.request_context_ref()
        && let Some(stage) = &gateway.stage
        && let Some(rest) = path
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(stage.as_str()))
        && rest.starts_with('/')
    {
        return rest.to_owned();
    }
    path.to_owned()
}
