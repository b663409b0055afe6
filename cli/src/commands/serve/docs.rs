//! Serves `/openapi.yaml`, and `/docs`, which renders it with an embedded Swagger UI that needs no
//! network.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY,
};
use axum::http::{HeaderName, Response, StatusCode};
use shared::http::{Call, REQUEST_ID, respond};
use utoipa_swagger_ui::Config;

const OPENAPI: &str = include_str!("../../../../openapi.yaml");

/// A page may use what this address serves, and images that are part of its style sheet. The hash is
/// that of the colors of Swagger UI's logo.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What is at a path.
pub(super) enum File {
    Content {
        kind: String,
        bytes: Cow<'static, [u8]>,
    },
    /// The page is at this path.
    Moved(&'static str),
}

/// Returns what is at this path.
pub(super) fn file(path: &str) -> Option<File> {
    let name = match path {
        "/openapi.yaml" => {
            return Some(File::Content {
                kind: "application/yaml".to_owned(),
                bytes: OPENAPI.as_bytes().into(),
            });
        }
        // The relative links of the page need the slash.
        "/docs" => return Some(File::Moved("/docs/")),
        "/docs/" => "index.html",
        _ => path.strip_prefix("/docs/")?,
    };
    let config = Arc::new(Config::from("/openapi.yaml"));
    let file = utoipa_swagger_ui::serve(name, config).ok().flatten()?;
    Some(File::Content {
        kind: file.content_type,
        bytes: file.bytes.into_owned().into(),
    })
}

/// Serves a file to `GET`; any other method is a 405.
pub(super) async fn serve(call: &Call, path: &str, file: File) -> Response<Body> {
    if let Err(error) = call.route(path.strip_suffix('/').unwrap_or(path)) {
        return respond(call, "docs", async { Err(error) })
            .await
            .map(Body::new);
    }
    let (status, header, body) = match file {
        File::Content { kind, bytes } => (StatusCode::OK, (CONTENT_TYPE, kind), bytes.into()),
        File::Moved(path) => (
            StatusCode::PERMANENT_REDIRECT,
            (LOCATION, path.to_owned()),
            Body::empty(),
        ),
    };
    response(status, header, &call.id, body)
}

fn response(
    status: StatusCode,
    (name, value): (HeaderName, String),
    request_id: &str,
    body: Body,
) -> Response<Body> {
    let response = Response::builder()
        .status(status)
        .header(name, value)
        .header(REQUEST_ID, request_id)
        .header(CACHE_CONTROL, "max-age=600")
        .header(CONTENT_SECURITY_POLICY, POLICY)
        .header(REFERRER_POLICY, "no-referrer");
    // All values are valid.
    response.body(body).unwrap_or_default()
}
