//! Files that browsers load, served with the headers that keep a page to itself.

use std::borrow::Cow;

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use shared::http::{Call, REQUEST_ID, respond};

/// What the pages of one kind may load, how long browsers may keep them, and whether any origin may read
/// them.
pub(crate) struct AssetRules {
    pub(crate) policy: &'static str,
    pub(crate) caching: &'static str,
    pub(crate) is_public: bool,
}

/// What is at a path.
pub(crate) struct Asset {
    status: StatusCode,
    header: (HeaderName, Cow<'static, str>),
    body: Cow<'static, [u8]>,
    rules: &'static AssetRules,
}

impl Asset {
    /// Makes a file of this media type.
    pub(crate) fn file(
        kind: impl Into<Cow<'static, str>>,
        content: impl Into<Cow<'static, [u8]>>,
        rules: &'static AssetRules,
    ) -> Self {
        Self {
            status: StatusCode::OK,
            header: (CONTENT_TYPE, kind.into()),
            body: content.into(),
            rules,
        }
    }

    /// Makes a redirect to this path.
    pub(crate) fn moved(path: &'static str, rules: &'static AssetRules) -> Self {
        Self {
            status: StatusCode::PERMANENT_REDIRECT,
            header: (LOCATION, path.into()),
            body: Cow::default(),
            rules,
        }
    }

    /// Serves this to `GET path`; any other method is a 405.
    pub(crate) async fn serve(self, call: &Call, path: &str) -> Response<Body> {
        if let Err(error) = call.route(path.strip_suffix('/').unwrap_or(path)) {
            return respond(call, "page", async { Err(error) })
                .await
                .map(Body::new);
        }
        let (name, value) = self.header;
        let mut response = Response::builder()
            .status(self.status)
            .header(name, value.as_ref())
            .header(REQUEST_ID, &call.id)
            .header(CACHE_CONTROL, self.rules.caching)
            .header(CONTENT_SECURITY_POLICY, self.rules.policy)
            .header(REFERRER_POLICY, "no-referrer");
        if self.rules.is_public {
            response = response.header(ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        }
        let body = match self.body {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        };
        // All values are valid.
        response.body(body.into()).unwrap_or_default()
    }
}

/// Adds the header that every response to a browser has.
pub(crate) fn not_sniffed<B>(mut response: Response<B>) -> Response<B> {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
