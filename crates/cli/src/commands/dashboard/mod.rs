//! `feedback dashboard`: shows the dashboard of a deployed API on this machine.

mod forward;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse as _;
use axum::{Extension, Router};
use model::ProjectId;
use server::{Guard, InFlight, Memory, is_loopback};
use service::Call;
use service::response::respond;

use super::{LARGEST_RESPONSE, RESPONSES, bind};
use crate::asset::not_sniffed;
use crate::client::{ApiAddress, Client, read_key};
use crate::page::{Settings, asset};
use crate::signals;
use forward::forward;

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
    let signal = signals::shutdown()?;
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
    if let Some(asset) = asset(&path, &site.settings) {
        return crate::asset::serve(asset, &call, &path).await;
    }
    let forwarded = async {
        call.route(response_statistics::PATH)?;
        site.memory.room(in_flight).await;
        forward(&site.client, &query, &call).await
    };
    match forwarded.await {
        Ok(response) => response,
        Err(error) => respond(&call, "dashboard", async { Err(error) })
            .await
            .map(Body::new),
    }
}
