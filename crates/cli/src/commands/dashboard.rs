//! `feedback dashboard`: shows the dashboard of a deployed API on this machine.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, DATE, RETRY_AFTER};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse as _;
use axum::{Extension, Router};
use model::ProjectId;
use server::{Guard, InFlight, Memory, is_loopback};
use service::Call;
use service::error::Error;
use service::response::{REQUEST_ID, SKIPPED_RECORDS, refuse};

use super::{LARGEST_RESPONSE, RESPONSES, bind};
use crate::asset::{self, not_sniffed};
use crate::client::{AUTH_KEY, ApiAddress, Client, read_document, read_key};
use crate::lifecycle;
use crate::page::{self, Settings};
use crate::text::words;

/// Show the figures of an API in the browser
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    service: ApiAddress,
    /// The project to open where the page's address names none
    #[arg(long, env = "FEEDBACK_PROJECT", hide_env_values = true)]
    project: Option<ProjectId>,
    /// The address of the page, on this machine alone; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:3001")]
    listen: String,
}

struct PageSite {
    guard: Guard,
    settings: Settings,
    memory: Memory,
    client: Client,
}

/// Runs the command until Ctrl-C or SIGTERM.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let signal = lifecycle::shutdown()?;
    let client = options.service.client(read_key()?)?;
    let listener = bind("--listen", &options.listen).await?;
    let address = listener.address();
    ensure!(
        is_loopback(address.ip()),
        "--listen must be an address of this machine alone, such as 127.0.0.1:3001"
    );
    eprintln!("Dashboard http://{address}/");
    eprintln!("API       {}", client.service);
    let holds_key = client.key.is_some();
    let origin = if holds_key {
        "from FEEDBACK_READ_KEY, which the page does not learn"
    } else {
        "typed into the page (or set FEEDBACK_READ_KEY)"
    };
    eprintln!("Read Key  {origin}\n");
    let site = PageSite {
        guard: Guard::Page {
            port: address.port(),
        },
        settings: Settings {
            service: Some(client.service.to_string()),
            holds_key,
            project: options.project.map(|project| project.to_string()),
            ..Settings::default()
        },
        memory: Memory::new(RESPONSES, LARGEST_RESPONSE),
        client,
    };
    let router = Router::new().fallback(dispatch).with_state(Arc::new(site));
    let server = listener.serve(router);
    // The page is served even if the reader closes the pipe.
    let _ = writeln!(std::io::stdout(), "listening on http://{address}");
    signal.await;
    server.stop(Duration::from_millis(500)).await;
    Ok(ExitCode::SUCCESS)
}

/// Serves the page and what it requests, to itself alone.
async fn dispatch(
    State(site): State<Arc<PageSite>>,
    Extension(in_flight): Extension<Arc<InFlight>>,
    request: Request,
) -> Response<Body> {
    let (head, _) = request.into_parts();
    not_sniffed(if site.guard.refuses(&head.uri, &head.headers) {
        let words = "This address serves its own page alone.\n";
        (StatusCode::FORBIDDEN, words).into_response()
    } else {
        serve(&site, &in_flight, head).await
    })
}

async fn serve(
    site: &PageSite,
    in_flight: &InFlight,
    head: axum::http::request::Parts,
) -> Response<Body> {
    let path = head.uri.path().to_owned();
    let query = head.uri.query().unwrap_or_default().to_owned();
    let call = Call::from_http(head, service::now());
    if let Some(asset) = page::asset(&path, &site.settings) {
        return asset::serve(asset, &call, &path);
    }
    let forwarded = async {
        call.route(response_statistics::PATH)?;
        site.memory.room(in_flight).await;
        forward(&site.client, &query, &call).await
    };
    match forwarded.await {
        Ok(response) => response,
        Err(error) => refuse(&call, "dashboard", error).map(Body::new),
    }
}

/// Requests the statistics with this query, and returns the response as the API sent it. Without a key of its
/// own, the client passes on the one that is typed into the page.
async fn forward(client: &Client, query: &str, call: &Call) -> Result<Response<Body>, Error> {
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
    ensure!(
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
