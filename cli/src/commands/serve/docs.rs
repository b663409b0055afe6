//! Serves `/openapi.yaml`, and `/docs`, which renders it with an embedded Swagger UI that needs no
//! network.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use shared::error::Error;
use shared::http::{Call, respond};
use shared::model::Timestamp;
use utoipa_swagger_ui::Config;

const OPENAPI: &str = include_str!("../../../../openapi.yaml");

pub(super) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/openapi.yaml", get(openapi))
        // The relative links of the page need the slash.
        .route("/docs", get(async || Redirect::permanent("/docs/")))
        .route("/docs/", get(index))
        .route("/docs/{file}", get(file))
        .method_not_allowed_fallback(async |request: Request| {
            refuse(request, Error::MethodNotAllowed).await
        })
}

async fn openapi() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/yaml")], OPENAPI)
}

async fn index(request: Request) -> Response {
    file(Path("index.html".to_owned()), request).await
}

async fn file(Path(name): Path<String>, request: Request) -> Response {
    let config = Arc::new(Config::from("/openapi.yaml"));
    let Some(file) = utoipa_swagger_ui::serve(&name, config).ok().flatten() else {
        return refuse(request, Error::NotFound).await;
    };
    let headers = [
        (CONTENT_TYPE, file.content_type),
        (CACHE_CONTROL, "no-cache".to_owned()),
    ];
    (headers, file.bytes).into_response()
}

/// Responds with the error document of the API.
async fn refuse(request: Request, error: Error) -> Response {
    let call = Call::from_http(request.into_parts().0, Timestamp::now());
    respond(&call, "docs", async { Err(error) })
        .await
        .map(Body::new)
}
