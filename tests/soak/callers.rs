//! What runs requests: a function's program, as Lambda runs it, or the handlers in this process, as `feedback serve`
//! runs them.

use futures_util::FutureExt;
use http_body_util::BodyExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use service::App;
use service::response::Response;

use super::requests::{OF_STATISTICS, OF_USERS, Request};
use super::store::Store;
use crate::support::{
    BUFFERED, Bootstrap, STATISTICS_PROGRAM, USERS_PROGRAM, app_at, call_of, respond_to,
};
use test_support::Random;

/// What runs the requests of a lane.
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
    pub(super) status: u64,
    /// The headers, as an object.
    pub(super) headers: Value,
    pub(super) body: Vec<u8>,
    /// Whether the transport reported the end of the body, and no failure.
    pub(super) ended: bool,
}

/// Why there is no response.
#[derive(Debug)]
pub(super) enum Silence {
    /// The time is over.
    Hung,
    /// The process ended, or refused the invocation.
    Ended(String),
}

/// What Lambda's runtime appends to a stream that fails.
const RUNTIME_ERROR: &[u8] = b"Lambda-Runtime-Function-Error-Type";

impl Kind {
    pub(super) fn choose_request(self, random: &mut Random) -> Request {
        match self {
            Self::Statistics => random.choose(&OF_STATISTICS),
            Self::Handlers | Self::Folder if random.once_in(2) => random.choose(&OF_STATISTICS),
            Self::Users | Self::BufferedUsers | Self::Handlers | Self::Folder => {
                random.choose(&OF_USERS)
            }
        }
    }

    /// Starts it over this store.
    pub(super) fn start(self, store: &Store) -> Caller {
        let url = &match store {
            Store::Remote(proxy, _) => proxy.url(),
            Store::Folder(folder, injector) => {
                let folder = folder.clone().with_faults(injector.clone());
                let store = store::Store::new(Arc::new(folder));
                return Caller::Handlers(Box::new(App::new(store)));
            }
        };
        // As on Lambda, connections are opened before the first request.
        let on_lambda = [("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")];
        let (program, variables) = match self {
            Self::Statistics => (STATISTICS_PROGRAM, on_lambda),
            Self::Users => (USERS_PROGRAM, on_lambda),
            Self::BufferedUsers => (USERS_PROGRAM, BUFFERED),
            Self::Handlers | Self::Folder => return Caller::Handlers(Box::new(app_at(url))),
        };
        let program = Bootstrap::start(url, program, &variables);
        Caller::Program(Box::new(program))
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
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let (deadline, patience) = (now + time, time + margin);
        match self {
            Self::Program(program) => {
                let outcome = program
                    .try_invoke(deadline, patience, &request.event(secret))
                    .await;
                if program.has_ended() {
                    return Err(Silence::Ended(program.output()));
                }
                let outcome = outcome.ok_or(Silence::Hung)?;
                if outcome.failed {
                    return Err(Silence::Ended(format!("{outcome:?}")));
                }
                let (status, headers, mut body) = outcome.response();
                let failure = body
                    .windows(RUNTIME_ERROR.len())
                    .rposition(|text| text == RUNTIME_ERROR);
                body.truncate(failure.unwrap_or(body.len()));
                Ok(Answer {
                    status,
                    headers,
                    body,
                    ended: failure.is_none(),
                })
            }
            Self::Handlers(app) => {
                let call = call_of(&request.event(secret), time);
                let answer = async {
                    let response = Box::pin(respond_to(app, request.operation(), call));
                    read(response.await).await
                };
                let answer = tokio::time::timeout(patience, answer).await;
                answer.map_err(|_| Silence::Hung)
            }
        }
    }
}

async fn read(response: Response) -> Answer {
    let (head, mut content) = response.into_parts();
    let header = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        (name.to_string(), value.to_str().unwrap().into())
    };
    let (mut body, mut ended) = (Vec::new(), true);
    // A panic ends the connection.
    let mut next = async || AssertUnwindSafe(content.frame()).catch_unwind().await;
    loop {
        match next().await {
            Ok(None) => break,
            Ok(Some(Ok(frame))) => body.extend_from_slice(&frame.into_data().unwrap()),
            Ok(Some(Err(_))) => ended = false,
            Err(_) => {
                ended = false;
                break;
            }
        }
    }
    Answer {
        status: head.status.as_u16().into(),
        headers: Value::Object(head.headers.iter().map(header).collect()),
        body,
        ended,
    }
}
