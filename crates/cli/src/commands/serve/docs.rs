//! Serves `/openapi.yaml`, and `/docs`, which renders it with an embedded Swagger UI that needs no
//! network.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Bytes;
use service::response::Response;
use utoipa_swagger_ui::Config;

use crate::asset::AssetRules;

const OPENAPI: &str = include_str!("../../../../../docs/openapi.yaml");

/// What makes Swagger UI readable on a phone.
const STYLES: &str = include_str!("docs.css");

/// A page may use what this address serves, and images that are part of its style sheet. Its code is foreign,
/// so it runs in a sandbox: it cannot reach the dashboard or the Read Key that this one keeps, and reads the
/// description as any other origin does.
const RULES: AssetRules = AssetRules {
    policy: "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
             img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    caching: "max-age=600",
    is_public: true,
};

/// Returns what is at this path.
pub(super) fn asset(path: &str) -> Option<Response> {
    let name = match path {
        "/openapi.yaml" => {
            return Some(RULES.file("application/yaml", OPENAPI));
        }
        // The relative links of the page need the slash.
        "/docs" => return Some(RULES.moved("docs/")),
        "/docs/" => "index.html",
        _ => path.strip_prefix("/docs/")?,
    };
    // Requests could not be sent from the sandbox.
    let config = Config::from("../openapi.yaml")
        .use_base_layout()
        .default_models_expand_depth(0)
        .supported_submit_methods(Vec::<String>::new());
    let file = utoipa_swagger_ui::serve(name, Arc::new(config))
        .ok()
        .flatten()?;
    let content: Bytes = match name {
        "index.html" => String::from_utf8_lossy(&file.bytes)
            .replace("Swagger UI", "Survey feedback read API")
            .replace(
                "<body>",
                "<body>\n    <p class=\"back\"><a href=\"../\">Dashboard</a></p>",
            )
            .into(),
        "index.css" => [&file.bytes, STYLES.as_bytes()].concat().into(),
        _ => match file.bytes {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        },
    };
    Some(RULES.file(&file.content_type, content))
}
