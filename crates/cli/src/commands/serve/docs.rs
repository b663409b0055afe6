//! The description of the API: `/openapi.yaml` for machines, and `/docs` for people.

use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, LOCATION};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use service::response::Response;

use crate::asset::{Asset, guarded};

static OPENAPI: Asset = Asset::kept(
    "application/yaml",
    "max-age=600",
    include_str!("../../../../../docs/openapi.yaml"),
);

static PAGE: Asset = Asset::new("reference.html", include_str!("../../page/reference.html"));

/// Returns what is at this path, as the headers of the request accept it.
pub(super) fn asset(path: &str, headers: &HeaderMap) -> Option<Response> {
    match path {
        "/openapi.yaml" => {
            let mut file = OPENAPI.response(headers);
            let anyone = HeaderValue::from_static("*");
            file.headers_mut()
                .insert(ACCESS_CONTROL_ALLOW_ORIGIN, anyone);
            Some(file)
        }
        // The relative links of the page need the slash.
        "/docs" => {
            let mut moved = guarded("text/plain", "no-cache", "");
            *moved.status_mut() = StatusCode::PERMANENT_REDIRECT;
            let page = HeaderValue::from_static("docs/");
            moved.headers_mut().insert(LOCATION, page);
            Some(moved)
        }
        "/docs/" => Some(PAGE.response(headers)),
        _ => None,
    }
}
