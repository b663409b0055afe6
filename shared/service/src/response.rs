//! Turns the result of an operation into a response.

use std::io::Write as _;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use async_stream::try_stream;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{FutureExt, Stream, TryStreamExt};
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use serde::Serialize;
use tokio::task::yield_now;

use crate::call::Call;
use crate::error::Error;
use crate::log::LogEntry;

/// The body of a response. After an error it ends with the JSON unclosed, so that no client takes a
/// truncated body for a whole one: `feedback serve` drops the connection, and Lambda's runtime
/// appends a line about the error and ends the stream as if it were whole.
pub type Body = UnsyncBoxBody<Bytes, Error>;

/// The response to a request, which may be an error.
pub type Response = http::Response<Body>;

/// The largest body of a buffered response, encoded as a JSON string: of the 6 MB that Lambda accepts, 4 KB
/// are left for the status and the headers.
pub const BUFFERED_LIMIT: usize = 6 * 1024 * 1024 - 4 * 1024;

/// The header with the id of a request.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header with the number of records of the period that could not be decoded (contract, section 4). It is
/// absent if there are none.
pub const SKIPPED_RECORDS: HeaderName = HeaderName::from_static("x-skipped-records");

/// Runs an operation and turns its result into a response. An error becomes the error document of
/// the contract. So does a panic, because a client would otherwise get API Gateway's own error.
///
/// The request is logged when the body has been sent, or when the client abandons the request.
pub async fn respond(
    call: &Call,
    operation: &'static str,
    work: impl Future<Output = Result<Response, Error>>,
) -> Response {
    let entry = LogEntry::new(call, operation);
    let result = AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or(Err(Error::internal()));
    logged(entry, call, result)
}

/// Returns the response to a request that is refused before an operation handles it, and logs it.
pub fn refuse(call: &Call, operation: &'static str, error: Error) -> Response {
    logged(LogEntry::new(call, operation), call, Err(error))
}

/// Makes a response of a result as [`respond`] does, without a line of the log.
pub fn unlogged(call: &Call, result: Result<Response, Error>) -> Response {
    let response = result.unwrap_or_else(|error| error.response(&call.id).map(whole_body));
    with_common_headers(response, &call.id)
}

fn logged(mut entry: LogEntry, call: &Call, result: Result<Response, Error>) -> Response {
    if let Err(error) = &result {
        entry.cause = error.cause;
    }
    let (parts, body) = unlogged(call, result).into_parts();
    // A forwarded response has the id that another service gave it.
    if let Some(id) = request_id(&parts.headers) {
        id.clone_into(&mut entry.request_id);
    }
    entry.status = Some(parts.status);
    // Nobody asks for the content of these.
    entry.complete = body.is_end_stream() || call.method == Method::HEAD;
    let body = LoggedBody {
        body,
        entry,
        failed: false,
    };
    Response::from_parts(parts, body.boxed_unsync())
}

/// Returns a 200 with this document. [`respond`] adds the headers that every response has, and those of JSON that
/// nobody keeps to a response without others.
pub fn json(document: &impl Serialize) -> Result<Response, Error> {
    let text = serde_json::to_vec(document).map_err(|_| Error::internal())?;
    Ok(whole(text))
}

/// Returns a 200 with this JSON text.
pub fn whole(json: impl Into<Bytes>) -> Response {
    Response::new(whole_body(json))
}

/// Returns a 200 whose JSON text is produced piece by piece.
pub fn streamed(pieces: impl Stream<Item = Result<Bytes, Error>> + Send + 'static) -> Response {
    Response::new(BodyExt::boxed_unsync(StreamBody::new(
        pieces.map_ok(Frame::data),
    )))
}

fn whole_body(text: impl Into<Bytes>) -> Body {
    Full::new(text.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

/// Collects a streamed response, for a host that accepts buffered ones only. Returns a 422 if it is
/// larger than [`BUFFERED_LIMIT`], and the error document of a stream that fails.
pub async fn buffered(response: Response) -> http::Response<String> {
    let (parts, body) = response.into_parts();
    match collect(body).await {
        Ok(text) => http::Response::from_parts(parts, text),
        Err(error) => {
            let id = request_id(&parts.headers).unwrap_or_default();
            with_common_headers(error.response(id), id)
        }
    }
}

async fn collect(mut body: Body) -> Result<String, Error> {
    let mut text = Vec::new();
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        let piece = frame?.into_data().unwrap_or_default();
        size += buffered_len(&piece);
        if size > BUFFERED_LIMIT {
            return Err(Error::list_too_large());
        }
        text.extend_from_slice(&piece);
    }
    String::from_utf8(text).map_err(|_| Error::internal())
}

/// Returns the size of a text as a string inside Lambda's own JSON, where quotes, backslashes and control characters
/// are escaped.
pub fn buffered_len(text: &[u8]) -> usize {
    let written = text.iter().map(|byte| match byte {
        b'"' | b'\\' | b'\r' | b'\n' => 2,
        0x00..0x20 => "\\u0000".len(),
        _ => 1,
    });
    written.sum()
}

fn request_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(REQUEST_ID)?.to_str().ok()
}

fn with_common_headers<B>(mut response: http::Response<B>, request_id: &str) -> http::Response<B> {
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, "application/json"),
        (CACHE_CONTROL, "no-store"),
    ] {
        let header = headers.entry(name);
        header.or_insert(HeaderValue::from_static(value));
    }
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.entry(REQUEST_ID).or_insert(id);
    }
    response
}

/// A body that notes whether it was sent to its end, and logs the request when it is dropped.
struct LoggedBody {
    body: Body,
    entry: LogEntry,
    failed: bool,
}

impl http_body::Body for LoggedBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            Some(Err(error)) => {
                self.failed = true;
                self.entry.cause = error.cause;
            }
            // A consumer that knows the length never polls for `None`.
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

/// The bytes that are compressed at a time, in about a millisecond. Other requests wait meanwhile.
const PART: usize = 64 << 10;

/// Compresses the response if the headers of its request accept gzip: API Gateway does not compress streams, and
/// limits them to 2 MB/s after the first megabytes. A stream that fails lacks the
/// end of the compressed data, too.
pub fn gzipped(response: Response, request_headers: &HeaderMap) -> Response {
    let (mut parts, mut body) = response.into_parts();
    parts
        .headers
        .insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if !accepts_gzip(request_headers) {
        return Response::from_parts(parts, body);
    }
    parts
        .headers
        .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    let compressed = streamed(try_stream! {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        while let Some(frame) = body.frame().await {
            let piece = frame?.into_data().unwrap_or_default();
            for part in piece.chunks(PART) {
                encoder.write_all(part).map_err(|_| Error::internal())?;
                let ready = std::mem::take(encoder.get_mut());
                if !ready.is_empty() {
                    yield ready.into();
                }
                yield_now().await;
            }
        }
        yield encoder.finish().map_err(|_| Error::internal())?.into();
    });
    Response::from_parts(parts, compressed.into_body())
}

/// Returns whether `gzip` is an accepted encoding of a weight other than zero (RFC 9110, 12.5.3).
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let encodings = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    encodings
        .flat_map(|value| value.split(','))
        .any(|encoding| {
            let mut parts = encoding.split(';').map(str::trim);
            let gzip = parts
                .next()
                .is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            let weight = parts
                .filter_map(|part| part.split_once('='))
                .find(|(name, _)| name.eq_ignore_ascii_case("q"))
                .map(|(_, weight)| weight.parse::<f32>());
            gzip && weight.is_none_or(|weight| weight.is_ok_and(|weight| weight > 0.0))
        })
}
