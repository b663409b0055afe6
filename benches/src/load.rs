//! Measures how fast a service answers one request: over and over on each connection, or at fixed
//! times.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::try_join_all;
use http::header::{HOST, HeaderName, HeaderValue};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::{Instant, interval};

use crate::Failure;

/// What is sent, and for how long.
pub(crate) struct Load<'a> {
    /// Host and port of the service.
    pub(crate) address: &'a str,
    /// Path and query.
    pub(crate) target: &'a str,
    /// A header, `name: value`.
    pub(crate) header: &'a str,
    pub(crate) duration: Duration,
    /// The time from one request of a connection to the next; zero sends the next one at once.
    pub(crate) period: Duration,
}

impl Load<'_> {
    /// Sends requests on this many connections at a time. Prints how many were answered a second, and the
    /// median and the 99th percentile of the latencies in ms.
    pub(crate) async fn run(&self, connections: usize) -> Result<(), Failure> {
        let started = Instant::now();
        let clients = (0..connections).map(|_| self.client(started + self.duration));
        let mut latencies = try_join_all(clients).await?.concat();
        let seconds = started.elapsed().as_secs_f64();
        latencies.sort_unstable();
        let percentile = |percent: usize| {
            let latency = latencies.get(latencies.len() * percent / 100);
            latency.map(|latency| latency.as_secs_f64() * 1e3)
        };
        #[allow(clippy::cast_precision_loss)]
        let rate = latencies.len() as f64 / seconds;
        println!(
            "{}",
            json!({"rate": rate, "p50": percentile(50), "p99": percentile(99)})
        );
        Ok(())
    }

    /// Sends requests on one connection until this instant; returns their latencies.
    async fn client(&self, end: Instant) -> Result<Vec<Duration>, Failure> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let (name, value) = self
            .header
            .split_once(": ")
            .ok_or("a header is NAME: VALUE")?;
        let (name, value): (HeaderName, HeaderValue) = (name.parse()?, value.parse()?);
        let mut times = (!self.period.is_zero()).then(|| interval(self.period));
        let mut latencies = Vec::new();
        loop {
            // A request that has to wait for the one before it counts from when it should have been sent.
            let due = match &mut times {
                Some(times) => times.tick().await,
                None => Instant::now(),
            };
            if due >= end {
                return Ok(latencies);
            }
            let request = Request::get(self.target)
                .header(HOST, self.address)
                .header(&name, &value)
                .body(Empty::<Bytes>::new())?;
            sender.ready().await?;
            let response = sender.send_request(request).await?;
            if response.status() != StatusCode::OK {
                return Err(format!("{}: {}", self.target, response.status()).into());
            }
            let mut body = response.into_body();
            while let Some(frame) = body.frame().await {
                frame?;
            }
            latencies.push(due.elapsed());
        }
    }
}
