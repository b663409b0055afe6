//! The bytes of a connection. The HTTP library answers malformed requests itself, with a bare status.
//! This sends a response with a body instead.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Bytes;
use axum::http::Response;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::connections::Slot;

/// A connection that replaces the library's own refusals.
pub(super) struct Wire {
    stream: TcpStream,
    slot: Slot,
    malformed: fn() -> Response<String>,
    /// What is left to send of our refusal.
    refusal: Option<Bytes>,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, slot: Slot, malformed: fn() -> Response<String>) -> Self {
        Self {
            stream,
            slot,
            malformed,
            refusal: None,
        }
    }

    /// Returns whether the bytes to send are the library's own refusal: no request is in progress.
    fn refuses(&self) -> bool {
        !self.slot.is_responding()
    }

    /// Sends our response in place of the library's.
    fn poll_refuse(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let rest = self
            .refusal
            .get_or_insert_with(|| text((self.malformed)()).into());
        while !rest.is_empty() {
            let sent = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            let _ = rest.split_to(sent);
        }
        Poll::Ready(Ok(()))
    }
}

/// Returns the text of a response after which the connection is closed.
fn text(response: Response<String>) -> String {
    let (head, body) = response.into_parts();
    let mut text = format!("HTTP/1.1 {}\r\n", head.status);
    for (name, value) in &head.headers {
        text.push_str(name.as_str());
        text.push_str(": ");
        text.push_str(value.to_str().unwrap_or_default());
        text.push_str("\r\n");
    }
    let length = body.len();
    text + &format!("content-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.refuses() {
            return self.poll_refuse(context).map_ok(|()| bytes.len());
        }
        let sent = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.slot.sending(sent.is_ready());
        sent
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.refuses() {
            let length = slices.iter().map(|slice| slice.len()).sum();
            return self.poll_refuse(context).map_ok(|()| length);
        }
        let sent = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.slot.sending(sent.is_ready());
        sent
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.slot.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
