//! The page for an API elsewhere: forwards the page's requests for statistics to it, each with the key that the
//! page sent.

use std::io::IsTerminal as _;
use std::sync::Arc;

use anyhow::{Context, ensure};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, DATE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::{Extension, Router};
use form_urlencoded::Serializer;
use reqwest::Url;
use response_statistics::CSV;
use server::{InFlight, Memory, Server};
use service::error::Error;
use service::response::{
    REQUEST_ID, Response, SKIPPED_RECORDS, json, refuse, respond, unlogged, whole,
};
use service::{Call, RESPONSE_ROOM};

use super::{Options, REQUESTS, bind, no_room};
use crate::asset::{self, not_sniffed};
use crate::client::{AUTH_KEY, Client, read_document, read_key};
use crate::page::{self, Settings};
use crate::text::words;

struct PageSite {
    settings: Settings,
    memory: Memory<()>,
    client: Client,
}

/// Serves the page for the API at this address, and says where it is. The key of the environment is part of that
/// address alone, and on a terminal alone: every user of this machine can ask the page's server, and a log keeps what it
/// gets.
pub(super) async fn start(options: &Options, service: Url) -> anyhow::Result<Server> {
    let listener = bind("--listen", &options.listen).await?;
    let client = Client::new(service, None)?;
    let project = options.files.project.as_ref();
    let mut query = Serializer::new(String::new());
    let mut fragment = String::new();
    if let Some(project) = project {
        query.append_pair("project", project.as_str());
        if let Some(key) = read_key()?
            && std::io::stderr().is_terminal()
        {
            let key = key.to_str().context("FEEDBACK_READ_KEY is not ASCII")?;
            let key: String = form_urlencoded::byte_serialize(key.as_bytes()).collect();
            fragment = format!("#key={key}");
        }
    }
    let api = client.service.clone();
    let site = PageSite {
        settings: Settings {
            service: Some(api.to_string()),
            project: project.map(ToString::to_string),
            ..Settings::default()
        },
        memory: Memory::new(REQUESTS),
        client,
    };
    let router = Router::new().fallback(dispatch).with_state(Arc::new(site));
    let server = listener.serve(router);
    let address = format!("http://{}/?{}", server.address(), query.finish());
    eprintln!("Open {}{fragment}", address.trim_end_matches('?'));
    eprintln!("API  {api}\n");
    Ok(server)
}

/// Serves the page and what it requests.
async fn dispatch(
    State(site): State<Arc<PageSite>>,
    Extension(in_flight): Extension<Arc<InFlight>>,
    request: Request,
) -> axum::response::Response {
    let (head, _) = request.into_parts();
    not_sniffed(serve(&site, &in_flight, head).await).map(Body::new)
}

async fn serve(site: &PageSite, in_flight: &InFlight, head: Parts) -> Response {
    let path = head.uri.path().to_owned();
    let query = head.uri.query().unwrap_or_default().to_owned();
    let call = Call::from_http(head, service::now());
    if path == "/health" {
        let ok = serde_json::json!({"status": "ok"});
        let health = call.route_of_file("/health").and_then(|()| json(&ok));
        return unlogged(&call, health);
    }
    if let Some(asset) = page::asset(&path, &call.headers, &site.settings) {
        return asset::serve(asset, &call, &path).await;
    }
    if path.strip_suffix('/').unwrap_or(&path) != response_statistics::PATH {
        let code = ["not_found", "Not found"];
        let detail = "This serves the page, and forwards GET /api/v2/response-statistics alone.";
        let error = Error::new(StatusCode::NOT_FOUND, code, detail);
        return refuse(&call, "other", error);
    }
    respond(&call, "response-statistics", async {
        call.route(response_statistics::PATH)?;
        let room = site.memory.room(in_flight, (), RESPONSE_ROOM).await;
        room.map_err(no_room)?;
        let code = ["bad_gateway", "Bad gateway"];
        let forwarded = forward(&site.client, &query, &call).await;
        forwarded.map_err(|error| Error::new(StatusCode::BAD_GATEWAY, code, words(&error)))
    })
    .await
}

/// Requests the statistics with this query, and returns the response as the API sent it.
async fn forward(client: &Client, query: &str, call: &Call) -> anyhow::Result<Response> {
    let mut request = client.request(response_statistics::PATH, query);
    for key in call.headers.get_all(AUTH_KEY) {
        request = request.header(AUTH_KEY, key);
    }
    let response = client.send(request).await?;
    ensure!(
        !response.status().is_redirection(),
        "{} redirects; start this with the address that it redirects to",
        client.service
    );
    let status = response.status();
    let upstream = response.headers().clone();
    let is_csv = upstream.get(CONTENT_TYPE).is_some_and(|kind| kind == CSV);
    let mut forwarded = whole(read_document(response).await?);
    // Whatever else the service says it is, a browser takes it for JSON.
    if is_csv {
        let csv = HeaderValue::from_static(CSV);
        forwarded.headers_mut().insert(CONTENT_TYPE, csv);
    }
    *forwarded.status_mut() = status;
    for name in [DATE, RETRY_AFTER, REQUEST_ID, SKIPPED_RECORDS] {
        if let Some(value) = upstream.get(&name) {
            forwarded.headers_mut().insert(name, value.clone());
        }
    }
    Ok(forwarded)
}
