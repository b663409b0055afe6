//! Forwards the page's requests to the API, and its responses to the page.

use anyhow::Context;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, DATE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use serde_json::json;
use shared::http::{Call, REQUEST_ID};

use crate::client::{ApiAddress, SecretHeader, read_document};
use crate::text::words;

const AUTH_KEY: HeaderName = HeaderName::from_static("authkey");

/// Sends the page's requests to one service.
pub(super) struct Forwarder {
    http: reqwest::Client,
    service: ApiAddress,
    key: Option<SecretHeader>,
}

impl Forwarder {
    /// Makes a forwarder that adds this key, or else passes on the one that is typed into the page.
    pub(super) fn new(service: &ApiAddress, key: Option<SecretHeader>) -> anyhow::Result<Self> {
        Ok(Self {
            http: service.http()?,
            service: service.clone(),
            key,
        })
    }

    pub(super) fn holds_key(&self) -> bool {
        self.key.is_some()
    }

    /// Says where the key comes from.
    pub(super) fn key_words(&self) -> &'static str {
        if self.holds_key() {
            "from FEEDBACK_READ_KEY, which the page does not learn"
        } else {
            "typed into the page (or set FEEDBACK_READ_KEY)"
        }
    }

    /// Requests the statistics with this query, and returns the response as the API sent it.
    pub(super) async fn forward(&self, query: &str, call: &Call) -> Response<Body> {
        self.request(query, call)
            .await
            .unwrap_or_else(|error| bad_gateway(&words(&error), &call.id))
    }

    async fn request(&self, query: &str, call: &Call) -> anyhow::Result<Response<Body>> {
        let service = &self.service;
        let url = service.url(response_statistics::PATH, query)?;
        let request = self.http.get(url);
        let request = if let Some(key) = &self.key {
            key.add_to(request)
        } else {
            let typed = call.headers.get_all(AUTH_KEY).iter();
            typed.fold(request, |request, key| request.header(AUTH_KEY, key))
        };
        let response = service.send(request).await?;
        anyhow::ensure!(
            !response.status().is_redirection(),
            "{service} redirects; start this with the address that it redirects to"
        );
        // Whatever the service says it is, a browser takes it for JSON alone.
        let mut forwarded = Response::builder()
            .status(response.status())
            .header(CONTENT_TYPE, "application/json")
            .header(CACHE_CONTROL, "no-store");
        for name in [DATE, RETRY_AFTER, REQUEST_ID] {
            if let Some(value) = response.headers().get(&name) {
                forwarded = forwarded.header(name, value);
            }
        }
        forwarded
            .body(read_document(response).await?.into())
            .context("the response has an invalid header")
    }
}

/// Returns an error document as the API's.
fn bad_gateway(detail: &str, id: &str) -> Response<Body> {
    let status = StatusCode::BAD_GATEWAY;
    let document = json!({"errors": [{
        "id": id,
        "status": status.as_str(),
        "code": "bad_gateway",
        "title": "Bad gateway",
        "detail": detail,
    }]});
    let mut response = Response::new(Body::from(document.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    response
}
