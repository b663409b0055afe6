//! Outcomes become responses here, and nowhere else.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use futures_util::{FutureExt, Stream, TryStreamExt};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Response};
use http_body::{Frame, SizeHint};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use serde::Serialize;

use super::log::Entry;
use super::{Call, failure};
use crate::error::Error;

/// An answer's body. An error in the middle of it ends the connection without closing the JSON, so
/// that nobody takes a cut answer for a whole one.
pub type Body = UnsyncBoxBody<Bytes, Error>;

/// What a handler returns, whatever happened.
pub type Answer = Response<Body>;

/// The most that Lambda returns in one piece: 6 MB, measured with the body quoted as a JSON string.
pub const BUFFERED_LIMIT: usize = 6 * 1024 * 1024;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Runs an operation to its answer. An error becomes the contract's document, and so does a panic,
/// since what escapes a Lambda function reaches the client as the gateway's own error.
pub async fn answer(
    call: &Call,
    operation: &'static str,
    outcome: impl Future<Output = Result<Answer, Error>>,
) -> Answer {
    let started = Instant::now();
    let outcome = AssertUnwindSafe(outcome)
        .catch_unwind()
        .await
        .unwrap_or(Err(Error::Internal));
    let answer =
        outcome.unwrap_or_else(|error| failure::response(&error, &call.id).map(whole_body));
    let (parts, body) = with_common_headers(answer, &call.id).into_parts();
    let entry = Entry {
        arrived: call.now,
        request_id: call.id.clone(),
        operation,
        project: call.project.get().cloned(),
        status: parts.status,
        started,
        usage: call.usage.clone(),
        complete: false,
    };
    Response::from_parts(
        parts,
        Logged {
            body,
            entry,
            failed: false,
        }
        .boxed_unsync(),
    )
}

/// A 200 with this document. The headers that every answer has are added by [`answer`].
pub fn json(document: &impl Serialize) -> Result<Answer, Error> {
    let text = serde_json::to_vec(document).map_err(|_| Error::Internal)?;
    Ok(Response::new(whole_body(text)))
}

/// A 200 whose JSON is produced piece by piece.
pub fn streamed(pieces: impl Stream<Item = Result<Bytes, Error>> + Send + 'static) -> Answer {
    Response::new(BodyExt::boxed_unsync(StreamBody::new(
        pieces.map_ok(Frame::data),
    )))
}

/// A 200 whose JSON is at hand.
pub fn whole(json: Vec<u8>) -> Answer {
    Response::new(whole_body(json))
}

fn whole_body(text: impl Into<Bytes>) -> Body {
    Full::new(text.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

/// Gathers a streamed answer for a host that takes whole ones only: 422 instead of one above
/// [`BUFFERED_LIMIT`], and the fault's own answer instead of one that fails on the way.
pub async fn buffered(answer: Answer) -> Response<String> {
    let (parts, body) = answer.into_parts();
    match gather(body).await {
        Ok(text) => Response::from_parts(parts, text),
        Err(error) => {
            let id = parts
                .headers
                .get(REQUEST_ID)
                .and_then(|id| id.to_str().ok())
                .unwrap_or_default();
            with_common_headers(failure::response(&error, id), id)
        }
    }
}

async fn gather(mut body: Body) -> Result<String, Error> {
    let mut text = Vec::new();
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        let piece = frame?.into_data().unwrap_or_default();
        size += buffered_len(&piece);
        if size > BUFFERED_LIMIT {
            return Err(Error::ResponseTooLarge);
        }
        text.extend_from_slice(&piece);
    }
    String::from_utf8(text).map_err(|_| Error::Internal)
}

/// The size of a JSON text as a string inside Lambda's own JSON: quotes and backslashes count
/// twice.
pub fn buffered_len(json: &[u8]) -> usize {
    json.len()
        + json
            .iter()
            .filter(|byte| matches!(byte, b'"' | b'\\'))
            .count()
}

fn with_common_headers<B>(mut answer: Response<B>, request_id: &str) -> Response<B> {
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert(REQUEST_ID, id);
    }
    answer
}

/// A body that writes the request's log line when it ends.
struct Logged {
    body: Body,
    entry: Entry,
    failed: bool,
}

impl http_body::Body for Logged {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            Some(Err(_)) => self.failed = true,
            // Who knows the length ahead never asks for the end.
            Some(Ok(_)) => self.entry.complete = self.body.is_end_stream(),
            None => self.entry.complete = !self.failed,
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
