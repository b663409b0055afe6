//! `/openapi.yaml`, and `/docs`: the same rendered for people, by an embedded Swagger UI that needs
//! no network.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use shared::error::Error;
use shared::http::{Call, answer};
use shared::model::Timestamp;
use utoipa_swagger_ui::Config;

const OPENAPI: &str = include_str!("../../../openapi.yaml");

pub(super) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/openapi.yaml", get(openapi))
        // Relative links of the page need the slash.
        .route("/docs", get(async || Redirect::permanent("/docs/")))
        .route("/docs/", get(|| file(Path("index.html".to_owned()))))
        .route("/docs/{file}", get(file))
        .method_not_allowed_fallback(async || refusal(Error::MethodNotAllowed).await)
}

async fn openapi() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/yaml")], OPENAPI)
}

async fn file(Path(name): Path<String>) -> Response {
    let config = Arc::new(Config::from("/openapi.yaml"));
    let Some(file) = utoipa_swagger_ui::serve(&name, config).ok().flatten() else {
        return refusal(Error::NotFound).await;
    };
    let headers = [
        (CONTENT_TYPE, file.content_type),
        (CACHE_CONTROL, "no-cache".to_owned()),
    ];
    (headers, file.bytes).into_response()
}

/// The API's own answer to this fault.
async fn refusal(error: Error) -> Response {
    let call = Call::new(&lambda_http::Request::default(), Timestamp::now());
    answer(&call, "docs", async { Err(error) })
        .await
        .map(Body::new)
}
