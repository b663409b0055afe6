//! A request as the operations see it, however it arrived.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use auth::Digest;
use chrono::Utc;
use http::{HeaderMap, Method, request::Parts};
use model::{ProjectId, Timestamp};
use store::ReadUsage;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::error::Error;
use crate::host::{Host, RESPONSE_ROOM};
use crate::parameters::{self, Parameters, QueryPairs};

/// Reads the system clock, truncated to the millisecond. Programs call this once for each request; everything
/// below them takes the time as an argument.
pub fn now() -> Timestamp {
    Timestamp::from_instant(Utc::now()).unwrap_or(Timestamp::EPOCH)
}

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
    pub usage: Arc<ReadUsage>,
    /// The program that runs other requests beside this one; `None` on Lambda.
    pub host: Option<Arc<dyn Host>>,
    /// The requested project, once it is known.
    pub(crate) project: Arc<OnceLock<ProjectId>>,
    /// The digest of the credential, once it is verified.
    pub(crate) credential: Arc<OnceLock<Digest>>,
    pub(crate) method: Method,
    /// The path of the route; `None` if the event could not be read.
    pub(crate) path: Option<String>,
    pub(crate) query: QueryPairs,
}

impl Call {
    /// Makes a call that arrived at `now`, of which nothing else is known.
    pub(crate) fn unknown(now: Timestamp) -> Self {
        Self {
            id: Uuid::new_v4().to_string(),
            now,
            headers: HeaderMap::new(),
            deadline: Deadline::default(),
            usage: Arc::default(),
            host: None,
            project: Arc::default(),
            credential: Arc::default(),
            method: Method::GET,
            path: None,
            query: Vec::new(),
        }
    }

    /// Makes the call of a plain HTTP request that arrived at `now`. No operation reads a body.
    pub fn from_http(request: Parts, now: Timestamp) -> Self {
        Self {
            method: request.method,
            path: Some(request.uri.path().to_owned()),
            headers: request.headers,
            query: parameters::decode(request.uri.query().unwrap_or_default()),
            ..Self::unknown(now)
        }
    }

    /// Checks that this is `GET path`, with or without one trailing slash.
    pub fn route(&self, path: &str) -> Result<(), Error> {
        self.check_path(path)?;
        match self.method {
            Method::GET => Ok(()),
            _ => Err(Error::method_not_allowed()),
        }
    }

    /// Checks that this is `GET path` or `HEAD path`, with or without one trailing slash.
    pub fn route_of_file(&self, path: &str) -> Result<(), Error> {
        self.check_path(path)?;
        match self.method {
            Method::GET | Method::HEAD => Ok(()),
            _ => Err(Error::method_of_file_not_allowed()),
        }
    }

    fn check_path(&self, path: &str) -> Result<(), Error> {
        let own = self.path.as_deref().ok_or_else(Error::unreadable)?;
        if own.strip_suffix('/').unwrap_or(own) == path {
            Ok(())
        } else {
            Err(Error::not_found())
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

    /// Records the verified credential for the log, which shows its short id, and for its share of the room.
    pub(crate) fn record_credential(&self, digest: Digest) {
        self.credential.get_or_init(|| digest);
    }

    /// Waits until there is room for the response, and for so many megabytes that the request counts with. A request
    /// that has room waits for nothing but reads.
    ///
    /// # Errors
    ///
    /// Fails if other requests leave none for too long.
    pub async fn take_room(&self, megabytes: u32) -> Result<(), Error> {
        match (&self.host, self.credential.get()) {
            (Some(host), Some(credential)) => {
                host.take_room(*credential, RESPONSE_ROOM + megabytes).await
            }
            _ => Ok(()),
        }
    }

    /// Returns the same request with another `cursor`, as a reference without a path: what precedes that of the
    /// route is known to the client alone.
    pub fn with_cursor(&self, cursor: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in self.query.iter().flatten() {
            if name != "cursor" {
                query.append_pair(name, value);
            }
        }
        query.append_pair("cursor", cursor);
        format!("?{}", query.finish())
    }
}

/// The end of the time that a request has, counted from its arrival. Outside Lambda, requests have none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// Makes the deadline of a request that arrives now and that the host ends at `end`, minus the time
    /// that the response needs. An end in the past means none: local tools report such.
    pub(crate) fn before(end: Option<Timestamp>, now: Timestamp) -> Self {
        const TO_RESPOND: Duration = Duration::from_millis(500);
        let left = end.and_then(|end| u64::try_from(end.millis_since(now)).ok());
        Self(left.and_then(|left| {
            let left = Duration::from_millis(left).saturating_sub(TO_RESPOND);
            Instant::now().checked_add(left)
        }))
    }

    /// Returns when the time is over, if it ever is.
    pub fn end(self) -> Option<Instant> {
        self.0
    }

    /// Returns whether the time is over, and logs it if it is.
    pub fn is_over(self) -> bool {
        let is_over = self.0.is_some_and(|end| end <= Instant::now());
        if is_over {
            tracing::warn!("the time of the request is over");
        }
        is_over
    }

    /// Awaits `work`, but not beyond the deadline: then the service is unavailable.
    pub async fn limit<T>(self, work: impl Future<Output = T>) -> Result<T, Error> {
        // Moving it into a timeout would multiply the size of the caller's future.
        let mut work = Box::pin(work);
        let Some(end) = self.0 else {
            return Ok(work.await);
        };
        // A timeout alone does not stop work that is always ready.
        while !self.is_over() {
            if let Ok(done) = timeout_at(end, &mut work).await {
                return Ok(done);
            }
        }
        Err(Error::unavailable())
    }
}
