//! Forwards the page's requests to the API, and its responses to the page.

use anyhow::Context;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, DATE, RETRY_AFTER};
use axum::http::{Response, StatusCode};
use service::Call;
use service::error::Error;
use service::response::{REQUEST_ID, SKIPPED_RECORDS};

use crate::client::{AUTH_KEY, Client, read_document};
use crate::text::words;

/// Requests the statistics with this query, and returns the response as the API sent it. Without a key of its
/// own, the client passes on the one that is typed into the page.
pub(super) async fn forward(
    client: &Client,
    query: &str,
    call: &Call,
) -> Result<Response<Body>, Error> {
    let code = ["bad_gateway", "Bad gateway"];
    let response = request(client, query, call).await;
    response.map_err(|error| Error::new(StatusCode::BAD_GATEWAY, code, words(&error)))
}

async fn request(client: &Client, query: &str, call: &Call) -> anyhow::Result<Response<Body>> {
    let mut request = client.request(response_statistics::PATH, query);
    if client.key.is_none() {
        for key in call.headers.get_all(AUTH_KEY) {
            request = request.header(AUTH_KEY, key);
        }
    }
    let response = client.send(request).await?;
    anyhow::ensure!(
        !response.status().is_redirection(),
        "{} redirects; start this with the address that it redirects to",
        client.service
    );
    // Whatever the service says it is, a browser takes it for JSON alone.
    let mut forwarded = Response::builder()
        .status(response.status())
        .header(CONTENT_TYPE, "application/json")
        .header(CACHE_CONTROL, "no-store");
    for name in [DATE, RETRY_AFTER, REQUEST_ID, SKIPPED_RECORDS] {
        if let Some(value) = response.headers().get(&name) {
            forwarded = forwarded.header(name, value);
        }
    }
    forwarded
        .body(read_document(response).await?.into())
        .context("the response has an invalid header")
}
