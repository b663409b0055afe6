//! A store with faults behind DynamoDB's protocol. It speaks HTTP itself, because a server that is made to be
//! correct neither resets connections nor sends less than it announced.

use items::Partition;
use serde_json::Value;
use store::{ErrorKind, KeyRange, PageRead};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::faults::{Checksum, End, Fault, Moment};
use super::store::{FaultyStore, Read, Wanted};
use crate::support::fault as error_body;

/// Serves a store, and returns its URL.
pub(super) async fn serve(store: FaultyStore) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let store = store.clone();
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                while let Some(wanted) = request(&mut stream).await {
                    if respond(&store, wanted, &mut stream).await.is_none() {
                        return;
                    }
                }
            });
        }
    });
    url
}

/// Reads what a request asks for. Returns `None` at the end of the connection.
async fn request(stream: &mut BufReader<TcpStream>) -> Option<Wanted> {
    let (mut is_query, mut length) = (false, 0);
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
            "x-amz-target" => is_query = value.ends_with(".Query"),
            "content-length" => length = value.parse().ok()?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let input: Value = serde_json::from_slice(&body).ok()?;
    Some(if is_query {
        Wanted::Page(page_read(&input))
    } else {
        Wanted::Credential(input["Key"]["digest"]["S"].as_str()?.to_owned())
    })
}

/// Returns the read of a Query.
fn page_read(input: &Value) -> PageRead {
    let value = |name: &str| {
        let value = &input["ExpressionAttributeValues"][name]["S"];
        value.as_str().map(str::to_owned)
    };
    let partition = value(":shard").map(Partition::Responses);
    let partition = partition.unwrap_or_else(|| Partition::Users(value(":project").unwrap()));
    let [_, range] = partition.key_names();
    let after = &input["ExclusiveStartKey"][range]["S"];
    PageRead {
        range: match (value(":start"), value(":end"), value(":userId")) {
            (Some(start), Some(end), _) => KeyRange::Between([start, end]),
            (_, _, Some(user_id)) => KeyRange::Equal(user_id),
            _ => KeyRange::All,
        },
        after: after.as_str().map(str::to_owned),
        limit: input["Limit"].as_u64().map(|it| it.try_into().unwrap()),
        ..PageRead::of(partition)
    }
}

/// Responds to a request; returns `None` if the connection ends with it.
async fn respond(
    store: &FaultyStore,
    wanted: Wanted,
    stream: &mut BufReader<TcpStream>,
) -> Option<()> {
    let suffered = store.injector.next(Read::of(&wanted));
    let fault = suffered.as_ref().map(|(fault, _)| *fault);
    let healthy = match fault {
        Some(Fault::Damaged(_, Checksum::OfHealthyBody)) => store.body(wanted.clone(), None).await,
        _ => Ok(Vec::new()),
    };
    let (mut status, mut media_type) = (200, "application/x-amz-json-1.0");
    let mut body = match store.body(wanted, suffered).await {
        Ok(body) => body,
        Err(error) => {
            let is_refused = error.is_throttled() || error.kind() == ErrorKind::Refused;
            status = if is_refused { 400 } else { 500 };
            error_body(error.code()).to_string().into_bytes()
        }
    };
    if fault == Some(Fault::Html) {
        (status, media_type) = (503, "text/html");
        body = b"<html><body><h1>503 Service Unavailable</h1></body></html>".to_vec();
    }
    let checksum = match fault {
        Some(Fault::Html | Fault::Damaged(_, Checksum::Absent)) => None,
        Some(Fault::Damaged(_, Checksum::OfHealthyBody)) => Some(healthy.unwrap()),
        _ => Some(body.clone()),
    };
    let checksum = checksum.map(|body| format!("x-amz-crc32: {}\r\n", crc32fast::hash(&body)));
    let head = format!(
        "HTTP/1.1 {status} OK\r\ncontent-type: {media_type}\r\n{}content-length: {}\r\n\r\n",
        checksum.unwrap_or_default(),
        body.len()
    );
    let whole = [head.as_bytes(), &body].concat();
    let (sent, end) = match fault {
        Some(Fault::Broken(Moment::BeforeResponse, end)) => (0, Some(end)),
        Some(Fault::Broken(Moment::WithinBody, end)) => (head.len() + body.len() / 2, Some(end)),
        Some(Fault::Broken(Moment::AfterBody, end)) => (whole.len(), Some(end)),
        _ => (whole.len(), None),
    };
    stream.get_mut().write_all(&whole[..sent]).await.ok()?;
    match end {
        None => return Some(()),
        Some(End::Closed) => {}
        Some(End::Reset) => stream.get_mut().set_zero_linger().ok()?,
        // Until the client gives up.
        Some(End::Stalled) => drop(stream.read_u8().await),
    }
    None
}
