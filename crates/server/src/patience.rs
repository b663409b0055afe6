//! Gives up a client that takes too little of a response.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::time::{Instant, Sleep, sleep_until};

use super::places::lock;

/// The bytes that extend the patience by a tenth of what a response has at first.
const PIECE: u32 = 16 << 10;

/// So many times what it has at first is all that a response can have.
const MOST: u32 = 6;

/// What clients write to, which fails once the patience of a response is spent.
pub(crate) struct PatientWriter {
    inner: OwnedWriteHalf,
    at_first: Duration,
    /// What is left of it, which each response begins with all of. It is spent only while bytes wait for the client.
    left: Arc<Mutex<Duration>>,
    /// Since when bytes wait.
    waiting_since: Option<Instant>,
    end: Pin<Box<Sleep>>,
}

impl PatientWriter {
    pub(crate) fn new(inner: OwnedWriteHalf, at_first: Duration) -> Self {
        Self {
            inner,
            at_first,
            left: Arc::new(Mutex::new(at_first)),
            waiting_since: None,
            end: Box::pin(sleep_until(Instant::now())),
        }
    }

    /// Returns what begins a response.
    pub(crate) fn beginning(&self) -> impl Fn() + Send + use<> {
        let (at_first, left) = (self.at_first, self.left.clone());
        move || *lock(&left) = at_first
    }

    fn judge(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let mut left = lock(&self.left);
        if let Poll::Ready(result) = written {
            let waited = self.waiting_since.take().map(|since| since.elapsed());
            let taken = u32::try_from(*result.as_ref().unwrap_or(&0)).unwrap_or(u32::MAX);
            let more = left.saturating_sub(waited.unwrap_or_default())
                + self.at_first * taken / (10 * PIECE);
            *left = more.min(self.at_first * MOST);
            return Poll::Ready(result);
        }
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        self.end.as_mut().reset(since + *left);
        let spent = self.end.as_mut().poll(context);
        spent.map(|()| Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for PatientWriter {
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
