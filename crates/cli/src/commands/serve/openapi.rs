//! `/openapi.yaml`, the description of the API for programs.

use axum::body::Bytes;
use axum::http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
use axum::http::{HeaderMap, HeaderValue};
use service::response::Response;

use crate::asset::Asset;

pub(super) const PATH: &str = "/openapi.yaml";

static DESCRIPTION: Asset = Asset::kept(
    "application/yaml",
    "max-age=600",
    Bytes::from_static(include_bytes!("../../../../../docs/openapi.yaml")),
);

/// Returns the description, which programs of any origin may read, as the headers of the request accept it.
pub(super) fn response(headers: &HeaderMap) -> Response {
    let mut response = DESCRIPTION.response(headers);
    let anyone = HeaderValue::from_static("*");
    response
        .headers_mut()
        .insert(ACCESS_CONTROL_ALLOW_ORIGIN, anyone);
    response
}
