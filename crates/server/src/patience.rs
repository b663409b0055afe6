//! A stream that gives up a client which takes too little of a response.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::places::lock;

/// The bytes that extend the patience by a tenth of what a response has at first.
const PIECE: u32 = 16 << 10;

/// So many times what it has at first is all that a response can have.
const MOST: u32 = 6;

/// The patience that is left for the response of a connection. It is spent only while bytes wait for the client.
#[derive(Clone)]
pub(crate) struct Patience {
    at_first: Duration,
    left: Arc<Mutex<Duration>>,
}

impl Patience {
    pub(crate) fn new(at_first: Duration) -> Self {
        let left = Arc::new(Mutex::new(at_first));
        Self { at_first, left }
    }

    /// Begins a response.
    pub(crate) fn begin(&self) {
        *lock(&self.left) = self.at_first;
    }

    /// Takes off the time that was waited, and adds what the client earned by taking bytes.
    fn change(&self, waited: Duration, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let earned = (self.at_first / 10).mul_f64(f64::from(bytes) / f64::from(PIECE));
        let mut left = lock(&self.left);
        let more = left.saturating_sub(waited) + earned;
        *left = more.min(self.at_first * MOST);
    }
}

/// A connection whose writes fail once the patience is spent.
pub(crate) struct PatientStream {
    inner: TcpStream,
    patience: Patience,
    /// Since when bytes wait for the client.
    waiting_since: Option<Instant>,
    end: Pin<Box<Sleep>>,
}

impl PatientStream {
    pub(crate) fn new(inner: TcpStream, patience: Patience) -> Self {
        Self {
            inner,
            patience,
            waiting_since: None,
            end: Box::pin(sleep_until(Instant::now())),
        }
    }

    fn judge(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = written {
            let since = self.waiting_since.take();
            let waited = since.map_or(Duration::ZERO, |since| since.elapsed());
            self.patience.change(waited, *result.as_ref().unwrap_or(&0));
            return Poll::Ready(result);
        }
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        let end = since + *lock(&self.patience.left);
        self.end.as_mut().reset(end);
        let is_spent = self.end.as_mut().poll(context);
        is_spent.map(|()| Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for PatientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl AsyncWrite for PatientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.judge(context, written)
    }

    // Without these two, the bytes of a response would be copied, and its memory be returned too early.

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, pieces);
        self.judge(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
