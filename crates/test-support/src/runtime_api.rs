//! Plays Lambda's Runtime API for one of the functions' programs.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::{Reply, eventually, listen};

const RUNTIME: &str = "/2018-06-01/runtime/invocation/";

/// The time that a function has, unless a test sets a deadline.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A function's program, which waits for the next invocation.
pub struct Bootstrap {
    process: Child,
    invocations: UnboundedSender<Invocation>,
    outcomes: UnboundedReceiver<Outcome>,
    count: usize,
    output: Arc<Mutex<Vec<u8>>>,
}

/// An event on its way to the program.
struct Invocation {
    request_id: String,
    event: String,
    /// Milliseconds since 1970.
    deadline: u128,
}

/// What the program posted for an invocation.
#[derive(Debug)]
pub struct Outcome {
    /// The id of the invocation that it belongs to.
    pub request_id: String,
    /// Whether the program posted it to `/error`.
    pub failed: bool,
    /// Whether the program streamed it.
    pub streamed: bool,
    body: Bytes,
}

/// The state of the Runtime API, between the test and the program.
struct Api {
    invocations: tokio::sync::Mutex<UnboundedReceiver<Invocation>>,
    outcomes: UnboundedSender<Outcome>,
}

impl Bootstrap {
    /// Starts the program over the store at this endpoint.
    pub fn start(endpoint: &str, program: &str, variables: &[(&str, &str)]) -> Self {
        let (invocations, to_run) = unbounded_channel();
        let (done, outcomes) = unbounded_channel();
        let api = Api {
            invocations: to_run.into(),
            outcomes: done,
        };
        let router = Router::new().fallback(serve).with_state(Arc::new(api));
        let address = listen(router).to_string();
        let mut process = Command::new(program)
            .env_clear()
            .envs([
                ("AWS_LAMBDA_RUNTIME_API", address.as_str()),
                ("AWS_LAMBDA_FUNCTION_NAME", "function"),
                ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
                ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
                ("AWS_REGION", "us-east-1"),
                ("AWS_ACCESS_KEY_ID", "test"),
                ("AWS_SECRET_ACCESS_KEY", "planted-secret-access-key"),
                ("AWS_ENDPOINT_URL_DYNAMODB", endpoint),
            ])
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = Arc::new(Mutex::new(Vec::new()));
        collect(process.stdout.take().unwrap(), output.clone());
        collect(process.stderr.take().unwrap(), output.clone());
        Self {
            process,
            invocations,
            outcomes,
            count: 0,
            output,
        }
    }

    /// Sends an event and waits for its reply.
    pub async fn invoke(&mut self, event: &Value) -> Outcome {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        self.invoke_until(now + TIMEOUT, event).await
    }

    /// Sends an event with a deadline, given as the time since 1970, and waits for its reply.
    pub async fn invoke_until(&mut self, deadline: Duration, event: &Value) -> Outcome {
        let invoked = self
            .try_invoke(deadline, Duration::from_secs(30), event)
            .await;
        let outcome = invoked.unwrap_or_else(|| panic!("no reply: {}", self.output()));
        assert!(!self.has_ended(), "the program ended: {}", self.output());
        outcome
    }

    /// As [`Bootstrap::invoke_until`], but returns `None` if there is no reply after this time.
    pub async fn try_invoke(
        &mut self,
        deadline: Duration,
        patience: Duration,
        event: &Value,
    ) -> Option<Outcome> {
        self.count += 1;
        let invocation = Invocation {
            request_id: format!("invocation-{}", self.count),
            event: event.to_string(),
            deadline: deadline.as_millis(),
        };
        let request_id = invocation.request_id.clone();
        assert!(self.invocations.send(invocation).is_ok());
        let received = tokio::time::timeout(patience, self.outcomes.recv()).await;
        let outcome = received.ok()?.unwrap();
        assert_eq!(outcome.request_id, request_id);
        Some(outcome)
    }

    /// Returns whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        self.process.try_wait().unwrap().is_some()
    }

    /// Returns everything that the program has written.
    pub fn output(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().unwrap()).into_owned()
    }

    /// Returns the log line of the request of the latest invocation.
    pub async fn log_line(&self) -> Value {
        let request_id = format!("invocation-{}", self.count);
        let line = || {
            let output = self.output();
            let lines = output.lines();
            let mut lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
            lines.find(|line| line["request_id"] == request_id)
        };
        let line = eventually(line).await;
        line.unwrap_or_else(|| panic!("no line of {request_id}: {}", self.output()))
    }
}

impl Drop for Bootstrap {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Outcome {
    /// Returns what the program posted, if it has not streamed it.
    pub fn document(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns the response that API Gateway derives from it.
    pub fn response(&self) -> Reply {
        let (head, body) = if self.streamed {
            let nul = self.body.windows(8).position(|bytes| bytes == [0; 8]);
            let head = serde_json::from_slice(&self.body[..nul.unwrap()]).unwrap();
            (head, self.body.slice(nul.unwrap() + 8..))
        } else {
            let response = self.document();
            assert_eq!(response["isBase64Encoded"], false);
            let body = response["body"].as_str().unwrap().to_owned();
            (response, Bytes::from(body))
        };
        let status = head["statusCode"].as_u64().unwrap();
        let lines = head["headers"].as_object().unwrap().iter();
        let line = |(name, value): (&String, &Value)| {
            (
                name.parse().unwrap(),
                value.as_str().unwrap().parse().unwrap(),
            )
        };
        Reply {
            status: StatusCode::from_u16(status.try_into().unwrap()).unwrap(),
            headers: lines.map(line).collect(),
            body,
        }
    }
}

fn collect(mut from: impl Read + Send + 'static, output: Arc<Mutex<Vec<u8>>>) {
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            output.lock().unwrap().extend_from_slice(&buffer[..length]);
        }
    });
}

/// Serves the Runtime API.
async fn serve(State(api): State<Arc<Api>>, request: Request) -> Response {
    let path = request.uri().path().strip_prefix(RUNTIME);
    let path = path.unwrap().to_owned();
    let Some((request_id, result)) = path.split_once('/') else {
        assert_eq!(path, "next");
        return match api.invocations.lock().await.recv().await {
            Some(invocation) => next_invocation(invocation),
            None => StatusCode::GONE.into_response(),
        };
    };
    let mode = request
        .headers()
        .get("lambda-runtime-function-response-mode")
        .cloned();
    let collected = request.into_body().collect().await.unwrap();
    let outcome = Outcome {
        request_id: request_id.to_owned(),
        failed: result == "error",
        streamed: mode.is_some_and(|mode| mode == "streaming"),
        body: collected.to_bytes(),
    };
    api.outcomes.send(outcome).unwrap();
    StatusCode::ACCEPTED.into_response()
}

fn next_invocation(invocation: Invocation) -> Response {
    let headers = [
        // On a connection that has carried a response, the kernel takes its time to acknowledge what arrives,
        // and the program writes a stream only as fast.
        ("Connection", "close".to_owned()),
        ("Lambda-Runtime-Aws-Request-Id", invocation.request_id),
        (
            "Lambda-Runtime-Deadline-Ms",
            invocation.deadline.to_string(),
        ),
        (
            "Lambda-Runtime-Invoked-Function-Arn",
            "arn:aws:lambda:test".to_owned(),
        ),
    ];
    (headers, invocation.event).into_response()
}
