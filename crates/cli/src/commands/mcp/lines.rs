//! The messages of the protocol on standard input and output, a line each. A line that is no message gets an answer,
//! because a client would wait for one.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader, Empty, Stdin, Stdout};
use tokio::task::JoinHandle;

/// The most bytes of a line.
const LONGEST: usize = 16 << 20;

/// The lines of standard input and output.
pub(super) struct Lines {
    input: BufReader<Stdin>,
    /// What was read of the current line. Whoever waits for a message may stop at any time, and wait again.
    line: Vec<u8>,
    /// Whether that is the rest of a line which was too long.
    is_rest: bool,
    output: AsyncRwTransport<RoleServer, Empty, Stdout>,
    /// An answer that is being written, whether or not anybody waits for the next message.
    refusing: Option<JoinHandle<()>>,
}

/// The answer to a line that is no message.
struct Refusal {
    error: ErrorData,
    id: Option<RequestId>,
}

impl Lines {
    pub(super) fn of_standard_streams() -> Self {
        Self {
            input: BufReader::new(tokio::io::stdin()),
            line: Vec::new(),
            is_rest: false,
            output: AsyncRwTransport::new_server(tokio::io::empty(), tokio::io::stdout()),
            refusing: None,
        }
    }

    /// Reads a line, or as much of one as a line may have; the last one may lack its end. Returns `None` at the end of the
    /// input.
    async fn read_line(&mut self) -> Option<()> {
        let room = (LONGEST + 1).saturating_sub(self.line.len());
        let mut input = (&mut self.input).take(room.try_into().ok()?);
        input.read_until(b'\n', &mut self.line).await.ok()?;
        (!self.line.is_empty()).then_some(())
    }

    /// Takes what was read; returns its message, if it has one.
    fn take_message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
        let is_cut = self.line.len() > LONGEST && !self.line.ends_with(b"\n");
        let is_rest = std::mem::replace(&mut self.is_rest, is_cut);
        let message = match (is_rest, self.is_rest) {
            (true, _) => Ok(None),
            (false, true) => Err(Refusal {
                error: ErrorData::parse_error("the line is longer than 16 MB", None),
                id: None,
            }),
            (false, false) => message(&self.line),
        };
        self.line.clear();
        message
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.output.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                let _ = refusing.await;
                self.refusing = None;
            }
            self.read_line().await?;
            match self.take_message() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(Refusal { error, id }) => {
                    let sent = self.send(ServerJsonRpcMessage::error(error, id));
                    self.refusing = Some(tokio::spawn(async { drop(sent.await) }));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.close().await
    }
}

/// Reads the message of a line; returns `None` if it has none that wants an answer.
fn message(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    let line = line.strip_prefix(MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let mut json: Value = serde_json::from_slice(line).map_err(|_| Refusal {
        error: ErrorData::parse_error("the line is not JSON", None),
        id: None,
    })?;
    fill_in_objects(&mut json);
    let id = json.get("id").cloned();
    let is_notification = id.is_none() && json.get("method").is_some();
    match serde_json::from_value(json) {
        Ok(message) => Ok(Some(message)),
        Err(_) if is_notification => Ok(None),
        Err(_) => Err(Refusal {
            error: ErrorData::invalid_request("this is no message of the protocol", None),
            id: id.and_then(|id| serde_json::from_value(id).ok()),
        }),
    }
}

/// Reads objects that clients write in other forms: PHP writes an empty one as `[]`, and models write arguments as a
/// text.
fn fill_in_objects(message: &mut Value) {
    for place in ["/params", "/params/arguments", "/params/capabilities"] {
        if let Some(value) = message.pointer_mut(place) {
            match value {
                Value::Array(list) if list.is_empty() => *value = json!({}),
                Value::String(text) => {
                    if let Ok(object @ Value::Object(_)) = serde_json::from_str(text) {
                        *value = object;
                    }
                }
                _ => {}
            }
        }
    }
}
