//! Compresses streamed responses. API Gateway does not compress streams, and limits them to 2 MB/s
//! after the first megabytes.

use std::io::Write;

use async_stream::try_stream;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY};
use http::{HeaderMap, HeaderValue};
use http_body_util::BodyExt;
use tokio::task::yield_now;

use super::response::{Response, streamed};
use crate::error::Error;

/// The bytes that are compressed at a time, in about a millisecond. Other requests wait meanwhile.
const PART: usize = 64 << 10;

/// Compresses the response if the headers of its request accept gzip. A stream that fails lacks the
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
fn accepts_gzip(headers: &HeaderMap) -> bool {
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
