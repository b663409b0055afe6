//! Files that browsers load, served with the headers that keep a page to itself.

use axum::body::Bytes;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use service::Call;
use service::response::{Response, respond, whole};

/// What the pages of one kind may load, how long browsers may keep them, and whether any origin may read
/// them.
pub(crate) struct AssetRules {
    pub(crate) policy: &'static str,
    pub(crate) caching: &'static str,
    pub(crate) is_public: bool,
}

impl AssetRules {
    /// Makes a file of this media type.
    pub(crate) fn file(&self, kind: &str, content: impl Into<Bytes>) -> Response {
        let mut file = whole(content);
        let headers = file.headers_mut();
        let mut insert = |name: HeaderName, value: &str| {
            // The values are constants, and valid.
            HeaderValue::from_str(value).map(|value| headers.insert(name, value))
        };
        let _ = insert(CONTENT_TYPE, kind);
        let _ = insert(CACHE_CONTROL, self.caching);
        let _ = insert(CONTENT_SECURITY_POLICY, self.policy);
        let _ = insert(REFERRER_POLICY, "no-referrer");
        if self.is_public {
            let _ = insert(ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        }
        file
    }

    /// Makes a redirect to this reference, which is relative because a proxy may have removed what precedes the path.
    pub(crate) fn moved(&self, path: &'static str) -> Response {
        let mut response = self.file("text/plain", "");
        *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
        let headers = response.headers_mut();
        headers.insert(LOCATION, HeaderValue::from_static(path));
        response
    }
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
