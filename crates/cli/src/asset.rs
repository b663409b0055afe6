//! Files that browsers load, served with the headers that keep a page to itself.

use axum::body::Body;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use service::Call;
use service::response::{REQUEST_ID, refuse};

/// What the pages of one kind may load, how long browsers may keep them, and whether any origin may read
/// them.
pub(crate) struct AssetRules {
    pub(crate) policy: &'static str,
    pub(crate) caching: &'static str,
    pub(crate) is_public: bool,
}

impl AssetRules {
    /// Makes a file of this media type.
    pub(crate) fn file(&self, kind: &str, content: impl Into<Body>) -> Response<Body> {
        self.response(StatusCode::OK, (CONTENT_TYPE, kind), content.into())
    }

    /// Makes a redirect to this path.
    pub(crate) fn moved(&self, path: &str) -> Response<Body> {
        let location = (LOCATION, path);
        self.response(StatusCode::PERMANENT_REDIRECT, location, Body::empty())
    }

    fn response(
        &self,
        status: StatusCode,
        (name, value): (HeaderName, &str),
        body: Body,
    ) -> Response<Body> {
        let mut response = Response::builder()
            .status(status)
            .header(name, value)
            .header(CACHE_CONTROL, self.caching)
            .header(CONTENT_SECURITY_POLICY, self.policy)
            .header(REFERRER_POLICY, "no-referrer");
        if self.is_public {
            response = response.header(ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        }
        // The headers are constants, and valid.
        response.body(body).unwrap_or_default()
    }
}

/// Serves what is at a path to `GET path`; any other method is a 405.
pub(crate) fn serve(mut asset: Response<Body>, call: &Call, path: &str) -> Response<Body> {
    if let Err(error) = call.route(path.strip_suffix('/').unwrap_or(path)) {
        return refuse(call, "page", error).map(Body::new);
    }
    if let Ok(id) = HeaderValue::from_str(&call.id) {
        asset.headers_mut().insert(REQUEST_ID, id);
    }
    asset
}

/// Adds the header that every response to a browser has.
pub(crate) fn not_sniffed<B>(mut response: Response<B>) -> Response<B> {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
