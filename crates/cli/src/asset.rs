//! Files that browsers load, served with the headers that keep a page to itself.

use std::io::Write as _;

use axum::body::Bytes;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use flate2::Compression;
use flate2::write::GzEncoder;
use service::Call;
use service::response::{Response, accepts_gzip, respond, whole};

/// A page uses what its own address serves, and pictures that it makes itself; no text becomes markup or code.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

/// A file that is compiled in, with what is made of it.
pub(crate) struct Asset {
    kind: &'static str,
    caching: &'static str,
    content: Bytes,
    gzip: Bytes,
    /// The quoted part of the tag, which is weak because both encodings have it.
    opaque: String,
}

impl Asset {
    /// Makes a file of this name and text. Browsers ask each time whether it has changed, because one of an older
    /// version could not run the others.
    pub(crate) fn new(name: &'static str, text: &'static str) -> Self {
        let kind = match name.rsplit('.').next() {
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            _ => "image/svg+xml",
        };
        Self::kept(kind, "no-cache", text)
    }

    /// Makes a file of this media type that browsers keep as `Cache-Control` says.
    pub(crate) fn kept(
        kind: &'static str,
        caching: &'static str,
        content: impl Into<Bytes>,
    ) -> Self {
        let content = content.into();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing into memory does not fail.
        let written = encoder.write_all(&content);
        let gzip = written.and_then(|()| encoder.finish()).unwrap_or_default();
        // It ends with the checksum and the length of the text.
        let end = gzip.last_chunk().copied().map_or(0, u64::from_le_bytes);
        Self {
            kind,
            caching,
            content,
            gzip: gzip.into(),
            opaque: format!("\"{end:016x}\""),
        }
    }

    /// Returns the file in an encoding that the headers of its request accept, or a 304 if the client has it.
    pub(crate) fn response(&self, request: &HeaderMap) -> Response {
        let mut response = if has(request, &self.opaque) {
            let mut unchanged = guarded(self.kind, self.caching, "");
            *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
            unchanged
        } else if accepts_gzip(request) {
            let mut compressed = guarded(self.kind, self.caching, self.gzip.clone());
            let headers = compressed.headers_mut();
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            compressed
        } else {
            guarded(self.kind, self.caching, self.content.clone())
        };
        let headers = response.headers_mut();
        let tag = HeaderValue::from_str(&format!("W/{}", self.opaque));
        headers.extend(tag.ok().map(|tag| (ETAG, tag)));
        headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        response
    }
}

/// Makes a response to a browser, of this media type and `Cache-Control`.
pub(crate) fn guarded(
    kind: &'static str,
    caching: &'static str,
    content: impl Into<Bytes>,
) -> Response {
    let mut response = whole(content);
    for (name, value) in [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, caching),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns whether a request names this tag as one that its client has (RFC 9110, 13.1.2).
fn has(request: &HeaderMap, opaque: &str) -> bool {
    let lines = request.get_all(IF_NONE_MATCH).iter();
    let mut known = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim);
    known.any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == opaque)
}

/// Serves what is at a path to `GET path` and `HEAD path`; any other method is a 405.
pub(crate) async fn serve(asset: Response, call: &Call, path: &str) -> Response {
    respond(call, "page", async {
        call.route_of_file(path.strip_suffix('/').unwrap_or(path))?;
        Ok(asset)
    })
    .await
}

/// Adds the header that every response to a browser has.
pub(crate) fn not_sniffed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
