//! A store whose responses suffer faults on their way: it speaks HTTP itself, because a server that is made to be
//! correct neither resets connections nor sends less than it announced.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::faults::{Delivery, End, Fault, Moment, Reply};
use super::injector::Injector;
use super::project;

/// A running store.
pub(super) struct Proxy {
    address: SocketAddr,
}

impl Proxy {
    /// Starts a store that suffers these faults.
    pub(super) async fn start(injector: Arc<Injector<Fault>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, injector.clone()));
            }
        });
        Self { address }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn reply(injector: &Injector<Fault>, operation: &str, input: &Value) -> Reply {
    match injector.next(project::read_of(operation, input)) {
        Some((fault, mut random)) => fault.reply(operation, input, &mut random),
        None => Reply::healthy(&project::response(operation, input)),
    }
}

/// Serves a connection until either side ends it.
async fn serve(stream: TcpStream, injector: Arc<Injector<Fault>>) {
    let mut stream = BufReader::new(stream);
    while let Some((operation, input)) = request(&mut stream).await {
        let reply = reply(&injector, &operation, &input);
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
