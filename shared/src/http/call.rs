//! A request as the operations see it, whichever event brought it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::{HeaderMap, Method};
use lambda_http::{Request, RequestExt, request::RequestContext};
use uuid::Uuid;

use super::parameters::{self, Pairs, Parameters};
use crate::error::Error;
use crate::model::{ProjectId, Timestamp, Usage};

/// One request: an API Gateway event, or a plain HTTP request that `feedback serve` took.
///
/// It has no `Debug`: headers hold secrets, and queries personal data.
pub struct Call {
    /// `X-Request-Id` of the answer: Lambda's own id, or a new one elsewhere.
    pub id: String,
    /// When the request arrived.
    pub now: Timestamp,
    /// The headers as sent.
    pub headers: HeaderMap,
    /// What it has cost so far.
    pub usage: Arc<Usage>,
    /// The project that is asked for, once that is known.
    pub(super) project: OnceLock<ProjectId>,
    method: Method,
    path: String,
    public_path: String,
    query: Pairs,
    deadline: Option<Timestamp>,
}

impl Call {
    /// Takes what the operations need from a request that arrived at `now`.
    pub fn new(request: &Request, now: Timestamp) -> Self {
        let context = request.lambda_context_ref();
        let path = path_without_stage(request);
        let (public_path, query) = match request.request_context_ref() {
            // A v1 event brings its parameters decoded; decoding them again would turn %2B into a
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
        Self {
            id: context.map_or_else(
                || Uuid::new_v4().to_string(),
                |context| context.request_id.clone(),
            ),
            now,
            headers: request.headers().clone(),
            usage: Arc::default(),
            project: OnceLock::new(),
            method: request.method().clone(),
            path,
            public_path,
            query,
            deadline: context.and_then(|context| Timestamp::from_unix_millis(context.deadline)),
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

    /// The query's parameters, to be taken one by one.
    pub fn parameters(&self) -> Parameters {
        Parameters::new(&self.query)
    }

    /// Notes for the log which project is asked for.
    pub fn asks_for(&self, project: &ProjectId) {
        self.project.get_or_init(|| project.clone());
    }

    /// The time until the host gives the request up, less what it takes to say so. `None` where
    /// nobody does: outside Lambda, and where a local tool names a time long past.
    pub fn time_left(&self) -> Option<Duration> {
        const TO_ANSWER: Duration = Duration::from_millis(500);
        let left = u64::try_from(self.deadline?.millis_since(self.now)).ok()?;
        Some(Duration::from_millis(left).saturating_sub(TO_ANSWER))
    }

    /// The same request with another `cursor`, as a path-absolute reference that a client can ask
    /// next.
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

/// The path without the stage: v1 events bring it so, v2 events of a named stage do not.
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
