//! Serves `/openapi.yaml`, and `/docs`, which renders it with an embedded Swagger UI that needs no
//! network.

use std::sync::Arc;

use utoipa_swagger_ui::Config;

use crate::asset::{Asset, Rules};

const OPENAPI: &str = include_str!("../../../../openapi.yaml");

/// A page may use what this address serves, and images that are part of its style sheet. The hash is
/// that of the colors of Swagger UI's logo.
const RULES: Rules = Rules {
    policy: "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='; connect-src 'self'; img-src 'self' data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    caching: "max-age=600",
};

/// Returns what is at this path.
pub(super) fn asset(path: &str) -> Option<Asset> {
    let name = match path {
        "/openapi.yaml" => {
            return Some(Asset::file("application/yaml", OPENAPI.as_bytes(), &RULES));
        }
        // The relative links of the page need the slash.
        "/docs" => return Some(Asset::moved("/docs/", &RULES)),
        "/docs/" => "index.html",
        _ => path.strip_prefix("/docs/")?,
    };
    let config = Arc::new(Config::from("/openapi.yaml"));
    let file = utoipa_swagger_ui::serve(name, config).ok().flatten()?;
    Some(Asset::file(file.content_type, file.bytes, &RULES))
}
