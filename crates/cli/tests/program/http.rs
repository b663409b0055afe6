//! HTTP requests written by hand, so that tests see every byte of a response.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::process::{Served, access_key};

/// The header that reads the demo project's users.
pub(crate) const DEMO_PASSWORD: &str = "Authorization: Basic ZGVtbzpkZW1vLXBhc3N3b3JkLTAwMDA=";

/// Sends the request unchanged and reads until the connection ends.
pub(crate) fn send(address: &str, request: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(request.as_bytes())?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}

/// Sends a GET request with one header; returns the response with its status line and headers.
pub(crate) fn get(address: &str, target: &str, header: &str) -> String {
    send(address, &get_request(address, target, header)).unwrap()
}

/// Sends a request, of whose response the system keeps little for the client.
pub(crate) fn send_slowly(address: &str, request: &str) -> TcpStream {
    let mut client = TcpStream::connect(address).unwrap();
    rustix::net::sockopt::set_socket_recv_buffer_size(&client, 16 << 10).unwrap();
    client.write_all(request.as_bytes()).unwrap();
    client
}

/// Returns the text of a GET request with one header.
pub(crate) fn get_request(host: &str, target: &str, header: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{header}\r\nConnection: close\r\n\r\n")
}

/// Returns the status of a GET request with one header.
pub(crate) fn status(address: &str, target: &str, header: &str) -> u16 {
    let response = get(address, target, header);
    let status = response
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3));
    status.expect(&response).parse().unwrap()
}

/// Puts a user into the demo project of the store at this address.
pub(crate) fn put_user(dynamodb: &str, user_id: &str) {
    let item = format!(r#"{{"project":{{"S":"demo"}},"userId":{{"S":"{user_id}"}}}}"#);
    put_item(dynamodb, "users", &item);
}

/// Puts a Read Key of this project, and a credential for its users with a username and a password.
pub(crate) fn put_credentials(
    dynamodb: &str,
    project: &str,
    read_key: &str,
    [username, password]: [&str; 2],
) {
    let [key, of_users] = [read_key, password].map(test_support::sha256);
    let key = json!({
        "digest": {"S": key}, "projects": {"SS": [project]}, "may": {"SS": ["statistics"]},
    });
    let of_users = json!({
        "digest": {"S": of_users}, "projects": {"SS": [project]}, "may": {"SS": ["users"]},
        "username": {"S": username},
    });
    for item in [key, of_users] {
        put_item(dynamodb, "credentials", &item.to_string());
    }
}

/// Puts the credentials of the demo project.
pub(crate) fn put_demo_credentials(served: &Served) {
    let of_users = ["demo", "demo-password-0000"];
    put_credentials(served.dynamodb(), "demo", "demo-read-key-0000", of_users);
}

/// Puts an item, written in DynamoDB's JSON, into the store at this address.
pub(crate) fn put_item(dynamodb: &str, table: &str, item: &str) {
    let input = format!(r#"{{"TableName":"{table}","Item":{item}}}"#);
    operate(dynamodb, "PutItem", &input);
}

/// Puts items into the store at this address, many at once: each write of its own would wait for the disk.
pub(crate) fn put_items(dynamodb: &str, table: &str, items: &[Value]) {
    for items in items.chunks(100) {
        let puts = items.iter();
        let puts = puts.map(|item| json!({"Put": {"TableName": table, "Item": item}}));
        let write = json!({"TransactItems": puts.collect::<Value>()}).to_string();
        operate(dynamodb, "TransactWriteItems", &write);
    }
}

/// Gets an item of the store at this address; returns the response.
pub(crate) fn get_item(dynamodb: &str, table: &str, key: &str) -> String {
    let input = format!(r#"{{"TableName":"{table}","Key":{key}}}"#);
    operate(dynamodb, "GetItem", &input)
}

/// Runs an operation of the store at this address, with an input in JSON; returns the body of the response,
/// which must not be a refusal.
pub(crate) fn operate(dynamodb: &str, operation: &str, body: &str) -> String {
    let mut connection = Connection::open(dynamodb).unwrap();
    connection.operate(operation, body).unwrap()
}

/// Returns the text of a request for an operation of the store at this address, with an input in JSON.
pub(crate) fn store_request(dynamodb: &str, operation: &str, body: &str) -> String {
    let key = access_key(dynamodb);
    format!(
        "POST / HTTP/1.1\r\nHost: {dynamodb}\r\nContent-Type: application/x-amz-json-1.0\r\n\
         X-Amz-Target: DynamoDB_20120810.{operation}\r\nX-Amz-Date: 20260301T120000Z\r\nAuthorization: AWS4-HMAC-SHA256 \
         Credential={key}/20260301/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A connection to a store.
pub(crate) struct Connection {
    address: String,
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            address: address.to_owned(),
            stream: BufReader::new(stream),
        })
    }

    /// Returns the body of the response, which must not be a refusal. Fails if the store ends before it has
    /// sent the whole of it.
    pub(crate) fn operate(&mut self, operation: &str, body: &str) -> io::Result<String> {
        let (status, response) = self.exchange(operation, body)?;
        assert_eq!(status, 200, "{response}");
        Ok(response)
    }

    /// Returns the status and the body of the response. Fails if the store ends before it has sent the whole
    /// of it.
    pub(crate) fn exchange(&mut self, operation: &str, body: &str) -> io::Result<(u16, String)> {
        let request = store_request(&self.address, operation, body);
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            let is_length = name.eq_ignore_ascii_case("content-length");
            is_length.then(|| value.parse().unwrap())
        });
        let mut response = vec![0; length.expect(&head)];
        self.stream.read_exact(&mut response)?;
        let status = head.strip_prefix("HTTP/1.1 ").expect(&head)[..3].parse();
        Ok((status.unwrap(), String::from_utf8(response).unwrap()))
    }
}

/// Starts a service that sends this text to each client, and then nothing, or more without an end; returns
/// its URL.
pub(crate) fn sending(text: &'static str, is_endless: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            stream.write_all(text.as_bytes()).unwrap();
            while is_endless && stream.write_all(&[b'x'; 4096]).is_ok() {}
            held.push(stream);
        }
    });
    format!("http://{address}")
}

/// A port that refuses connections for as long as this exists: it is bound, but nothing listens.
pub(crate) struct ClosedPort(tokio::net::TcpSocket);

impl ClosedPort {
    pub(crate) fn reserve() -> Self {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self(socket)
    }

    pub(crate) fn address(&self) -> String {
        self.0.local_addr().unwrap().to_string()
    }
}
