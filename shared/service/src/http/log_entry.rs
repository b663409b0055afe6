//! What the log says of a request.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use http::StatusCode;
use model::{Digest, ProjectId, Timestamp, Usage};

use super::call::Call;
use crate::error::Cause;

/// The content of the line. Dropping it writes the line, so a request that its client abandons is
/// logged too, at any point.
///
/// It holds no header, query or path, because they may contain secrets and personal data.
#[derive(Debug)]
pub(super) struct LogEntry {
    pub(super) arrived: Timestamp,
    pub(super) request_id: String,
    pub(super) operation: &'static str,
    pub(super) project: Arc<OnceLock<ProjectId>>,
    pub(super) credential: Arc<OnceLock<Digest>>,
    pub(super) started: Instant,
    pub(super) usage: Arc<Usage>,
    /// The status of the response; `None` if the request was abandoned before there was one.
    pub(super) status: Option<StatusCode>,
    /// Whether the whole response was sent.
    pub(super) complete: bool,
    /// What made the operation fail, if it is what clients cause.
    pub(super) cause: Option<Cause>,
}

impl LogEntry {
    pub(super) fn new(call: &Call, operation: &'static str) -> Self {
        Self {
            arrived: call.now,
            request_id: call.id.clone(),
            operation,
            project: call.project.clone(),
            credential: call.credential.clone(),
            started: Instant::now(),
            usage: call.usage.clone(),
            status: None,
            complete: false,
            cause: None,
        }
    }
}
