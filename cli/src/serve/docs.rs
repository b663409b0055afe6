//! `/openapi.yaml`, and `/docs`: the same rendered for people, by an embedded Swagger UI that needs
//! no network.

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use utoipa_swagger_ui::Config;

const OPENAPI: &str = include_str!("../../../openapi.yaml");

pub(super) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route(
            "/openapi.yaml",
            get(async || ([(CONTENT_TYPE, "application/yaml")], OPENAPI)),
        )
        // Relative links of the page need the slash.
        .route("/docs", get(async || Redirect::permanent("/docs/")))
        .route("/docs/", get(async || file("index.html")))
        .route(
            "/docs/{file}",
            get(async |Path(name): Path<String>| file(&name)),
        )
}

fn file(name: &str) -> Response {
    match utoipa_swagger_ui::serve(name, Arc::new(Config::from("/openapi.yaml"))) {
        Ok(Some(file)) => (
            [
                (CONTENT_TYPE, file.content_type),
                (CACHE_CONTROL, "no-cache".to_owned()),
            ],
            file.bytes,
        )
            .into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}
