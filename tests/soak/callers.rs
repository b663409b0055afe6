//! What runs requests: a function's program, as Lambda runs it, or the handlers in this process, as `feedback serve`
//! runs them.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use service::App;
use store::Store;
use test_support::Random;

use super::faults::Face;
use super::requests::{self, Request};
use super::store::FaultyStore;
use crate::support::{
    BUFFERED, Bootstrap, End, Operation, Reply, STATISTICS_PROGRAM, USERS_PROGRAM, app_at, call_of,
    read_to_end, respond_to,
};

/// What runs the requests of a lane, and over which store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Statistics,
    Users,
    BufferedUsers,
    Handlers,
    /// The handlers, over a data folder.
    Folder,
}

pub(super) enum Caller {
    Program(Box<Bootstrap>),
    Handlers(Box<App>),
}

/// A response.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) reply: Reply,
    /// Whether the transport reported the end of the body, and no failure.
    pub(super) ended: bool,
}

/// Why there is no response.
#[derive(Debug)]
pub(super) enum Silence {
    /// The time is over.
    Hung,
    /// The process ended, or refused the invocation; with what it wrote, for whoever looks into a case.
    Ended(String),
}

/// What Lambda's runtime appends to a stream that fails.
const RUNTIME_ERROR: &[u8] = b"Lambda-Runtime-Function-Error-Type";

impl Kind {
    pub(super) fn face(self) -> Face {
        match self {
            Self::Folder => Face::Port,
            _ => Face::Http,
        }
    }

    pub(super) fn choose_request(self, random: &mut Random) -> Request {
        let operation = match self {
            Self::Statistics => Operation::Statistics,
            Self::Users | Self::BufferedUsers => Operation::Users,
            Self::Handlers | Self::Folder => random.choose(&Operation::ALL),
        };
        requests::choose(operation, random)
    }

    /// Starts it over a store with this URL.
    pub(super) fn start(self, store: &FaultyStore, url: &str) -> Caller {
        // As on Lambda, connections are opened before the first request.
        let on_lambda = [("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")];
        let (program, variables) = match self {
            Self::Statistics => (STATISTICS_PROGRAM, on_lambda),
            Self::Users => (USERS_PROGRAM, on_lambda),
            Self::BufferedUsers => (USERS_PROGRAM, BUFFERED),
            Self::Handlers => return Caller::Handlers(Box::new(app_at(url))),
            Self::Folder => {
                let app = App::new(Store::new(Arc::new(store.clone())));
                return Caller::Handlers(Box::new(app));
            }
        };
        Caller::Program(Box::new(Bootstrap::start(url, program, &variables)))
    }
}

impl Caller {
    /// Runs a request with the secret of this number, which the host ends after `time`; waits for the response a little longer.
    pub(super) async fn call(
        &mut self,
        request: Request,
        secret: u64,
        time: Duration,
        margin: Duration,
    ) -> Result<Answer, Silence> {
        let event = request.event(secret);
        let patience = time + margin;
        let program = match self {
            Self::Program(program) => program,
            Self::Handlers(app) => {
                let call = call_of(&event, time);
                let response = Box::pin(respond_to(app, request.operation, call));
                let read = tokio::time::timeout(patience, response.then(read_to_end)).await;
                let (reply, end) = read.map_err(|_| Silence::Hung)?;
                // A panic ends the connection, so that the client notices it as it does a failure.
                let ended = end == End::Whole;
                return Ok(Answer { reply, ended });
            }
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let outcome = program.try_invoke(now + time, patience, &event).await;
        if program.has_ended() {
            return Err(Silence::Ended(program.output()));
        }
        let outcome = outcome.ok_or(Silence::Hung)?;
        if outcome.failed {
            return Err(Silence::Ended(format!("{outcome:?}")));
        }
        let mut reply = outcome.response();
        let mut parts = reply.body.windows(RUNTIME_ERROR.len());
        let failure = parts.rposition(|text| text == RUNTIME_ERROR);
        reply.body.truncate(failure.unwrap_or(reply.body.len()));
        Ok(Answer {
            reply,
            ended: failure.is_none(),
        })
    }
}
