//! A store whose responses suffer faults on their way: it speaks HTTP itself, because a server that is made to be
//! correct neither resets connections nor sends less than it announced.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::faults::{Delivery, End, Fault, Moment, Reply};
use super::plan::Plan;
use super::project;

/// How many more faults may be injected, by all proxies together.
pub(super) struct Budget(AtomicUsize);

impl Budget {
    pub(super) fn of(faults: usize) -> Arc<Self> {
        Arc::new(Self(faults.into()))
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn spend(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }
}

/// A running store.
pub(super) struct Proxy {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    budget: Arc<Budget>,
    current: Mutex<(Plan, Vec<Injected>)>,
}

/// A fault that was injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Injected {
    pub(super) fault: Fault,
    /// Whether the credential was requested.
    pub(super) into_credential: bool,
}

impl Proxy {
    /// Starts a store that injects no faults yet.
    pub(super) async fn start(budget: Arc<Budget>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State {
            budget,
            current: Mutex::new((Plan::none(), Vec::new())),
        });
        let served = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, served.clone()));
            }
        });
        Self { address, state }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Injects faults as this plan says from now on; returns those that the plan before has injected.
    pub(super) fn follow(&self, plan: Plan) -> Vec<Injected> {
        let mut current = self.state.current.lock().unwrap();
        std::mem::replace(&mut *current, (plan, Vec::new())).1
    }
}

impl State {
    fn reply(&self, operation: &str, input: &Value) -> Reply {
        let mut current = self.current.lock().unwrap();
        let (plan, injected) = &mut *current;
        match plan.fault(operation, input) {
            Some(fault) if self.budget.spend() => {
                injected.push(Injected {
                    fault,
                    into_credential: operation == "GetItem",
                });
                fault.reply(operation, input, plan.random())
            }
            _ => Reply::healthy(&project::response(operation, input)),
        }
    }
}

/// Serves a connection until either side ends it.
async fn serve(stream: TcpStream, state: Arc<State>) {
    let mut stream = BufReader::new(stream);
    while let Some((operation, input)) = request(&mut stream).await {
        let reply = state.reply(&operation, &input);
        if deliver(reply, &mut stream).await.is_none() {
            return;
        }
    }
}

/// Reads the operation and the input of a request; returns `None` at the end of the connection.
async fn request(stream: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let (mut operation, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        if line == "\r\n" {
            break;
        }
        // The request line has no colon and a space; at the end of the connection the line is empty.
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            (!line.is_empty()).then_some(())?;
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "x-amz-target" => operation = Some(value.split_once('.')?.1.to_owned()),
            "content-length" => length = value.parse().ok()?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some((operation?, serde_json::from_slice(&body).ok()?))
}

/// Sends the response; returns `None` if the connection ends with it.
async fn deliver(reply: Reply, stream: &mut BufReader<TcpStream>) -> Option<()> {
    let checksum = reply.checksum.map(|crc| format!("x-amz-crc32: {crc}\r\n"));
    let head = format!(
        "HTTP/1.1 {} OK\r\ncontent-type: {}\r\n{}content-length: {}\r\n\r\n",
        reply.status,
        reply.media_type,
        checksum.unwrap_or_default(),
        reply.body.len()
    );
    let whole = [head.as_bytes(), &reply.body].concat();
    let (moment, end) = match reply.delivery {
        Delivery::Whole(delay) => {
            tokio::time::sleep(delay).await;
            return stream.get_mut().write_all(&whole).await.ok();
        }
        Delivery::Broken(moment, end) => (moment, end),
    };
    let sent = match moment {
        Moment::BeforeResponse => 0,
        Moment::WithinBody => head.len() + reply.body.len() / 2,
        Moment::AfterBody => whole.len(),
    };
    stream.get_mut().write_all(&whole[..sent]).await.ok()?;
    match end {
        End::Closed => {}
        End::Reset => stream.get_mut().set_zero_linger().ok()?,
        // Until the client gives up.
        End::Stalled => drop(stream.read_u8().await),
    }
    None
}
