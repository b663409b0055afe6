//! A request as the operations see it, however it arrived.

use std::sync::{Arc, OnceLock};

use http::{HeaderMap, Method, request::Parts};
use model::{Digest, ProjectId, Timestamp, Usage, new_request_id};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::deadline::Deadline;
use super::host::Host;
use super::parameters::{self, Parameters, QueryPairs};
use crate::error::Error;

/// One request: an event of API Gateway, or a plain HTTP request.
///
/// It has no `Debug`, because headers hold secrets, and queries personal data.
pub struct Call {
    /// `X-Request-Id` of the response: Lambda's own id, or a new one elsewhere.
    pub id: String,
    /// When the request arrived.
    pub now: Timestamp,
    /// The header lines as sent.
    pub headers: HeaderMap,
    /// When the request must be answered.
    pub deadline: Deadline,
    /// What the request has read so far.
    pub usage: Arc<Usage>,
    /// The program that runs other requests beside this one; `None` on Lambda.
    pub host: Option<Box<dyn Host>>,
    /// The requested project, once it is known.
    pub(super) project: Arc<OnceLock<ProjectId>>,
    /// The digest of the credential, once it is verified.
    pub(super) credential: Arc<OnceLock<Digest>>,
    pub(super) method: Method,
    /// The path of the route; `None` if the event could not be read.
    pub(super) path: Option<String>,
    /// The path that the client requested, which may have more in front.
    pub(super) public_path: String,
    pub(super) query: QueryPairs,
}

/// The path percent-encode set: what the path of a reference must not have. A gateway may decode the path
/// that it received.
const PATH_SET: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

impl Call {
    /// Makes a call that could not be read.
    pub(super) fn unreadable(now: Timestamp) -> Self {
        Self {
            id: new_request_id(),
            now,
            headers: HeaderMap::new(),
            deadline: Deadline::default(),
            usage: Arc::default(),
            host: None,
            project: Arc::default(),
            credential: Arc::default(),
            method: Method::GET,
            path: None,
            public_path: String::new(),
            query: Vec::new(),
        }
    }

    /// Makes the call of a plain HTTP request that arrived at `now`. No operation reads a body.
    pub fn from_http(request: Parts, now: Timestamp) -> Self {
        let path = request.uri.path();
        Self {
            method: request.method,
            path: Some(path.to_owned()),
            public_path: path.to_owned(),
            headers: request.headers,
            query: parameters::decode(request.uri.query().unwrap_or_default()),
            ..Self::unreadable(now)
        }
    }

    /// Checks that this is `GET path`, with or without one trailing slash.
    pub fn route(&self, path: &str) -> Result<(), Error> {
        let own = self.path.as_deref().ok_or_else(Error::unreadable)?;
        if own.strip_suffix('/').unwrap_or(own) != path {
            Err(Error::not_found())
        } else if self.method != Method::GET {
            Err(Error::method_not_allowed())
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

    /// Records the verified credential for the log, which shows its short id, and for the host.
    pub fn record_credential(&self, digest: Digest) {
        self.credential.get_or_init(|| digest);
        if let Some(host) = &self.host {
            host.authenticated();
        }
    }

    /// Waits until there is room for what the request reads and responds. A request that has room waits for
    /// nothing but reads.
    pub async fn take_room(&self) {
        if let Some(host) = &self.host {
            host.take_room().await;
        }
    }

    /// Returns the room before the request waits for something else.
    pub fn return_room(&self) {
        if let Some(host) = &self.host {
            host.return_room();
        }
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
        // With two slashes, it would begin with the name of a host.
        let path = self.public_path.trim_start_matches('/');
        let path = utf8_percent_encode(path, PATH_SET);
        format!("/{path}?{}", query.finish())
    }
}
