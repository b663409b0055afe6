//! `feedback serve`: serves the API, and the store that it reads, in one process.

mod api;
mod api_elsewhere;
mod demo;
mod metrics;
mod running_service;
mod sample_data;

use std::env;
use std::io::{ErrorKind, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow, ensure};
use auth::Digest;
use folder::ACCESS_KEY;
use intake::argument;
use model::{PrivateTraits, ProjectId, Zone};
use reqwest::Url;
use server::{Listener, NoRoom, Room, Server, is_loopback};
use service::error::Error;

use super::record_files::{ResponseOptions, refused};
use crate::client::{DEFAULT_URL, url};
use crate::lifecycle::{self, ServiceLog};
use crate::text::{printable, program, words};
use demo::{PASSWORD, PROJECT, READ_KEY, USERNAME};
use running_service::GRACE;
pub use running_service::Service;

#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// The address of the API; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:3000")]
    pub listen: String,

    /// The address of the DynamoDB-compatible store, or several with commas between them, such as for
    /// containers; port 0 picks a free port [default: 127.0.0.1:8000 for the sample data, none with --data]
    #[arg(long, value_name = "ADDR", value_delimiter = ',')]
    pub dynamodb_listen: Vec<String>,

    /// The address of the metrics for Prometheus, which are not served by default
    #[arg(long, value_name = "ADDR")]
    pub metrics_listen: Option<String>,

    /// Keep the data in this folder, which is created if necessary; by default, serve sample
    /// data from a temporary folder
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// With --data: also write the sample data into the folder, with credentials that everyone knows
    #[arg(long)]
    pub demo: bool,

    /// Serve the page for the API at this address, to which its requests are forwarded; on AWS it ends with the
    /// stage
    #[arg(long, value_name = "URL", value_parser = url, groups = ["page_of"])]
    #[arg(conflicts_with_all = ["data", "demo", "dynamodb_listen", "metrics_listen", "private_traits", "timezone"])]
    pub url: Option<Url>,

    /// The traits that name people, by which statistics are not grouped; `+a,b` adds to the default, and an empty
    /// list is none
    /// [default: email,name,firstName,lastName,fullName,username,userId,phone,address,comment,feedback,
    /// survey.comment]
    #[arg(long, value_name = "NAMES")]
    pub private_traits: Option<PrivateTraits>,

    #[command(flatten)]
    pub files: FileOptions,
}

impl Options {
    fn has_demo(&self) -> bool {
        self.demo || self.data.is_none()
    }

    /// Returns the addresses of the store. That of a folder is opened only if it is asked for, because commands need
    /// none.
    fn dynamodb_addresses(&self) -> Vec<&str> {
        if self.dynamodb_listen.is_empty() && self.data.is_none() {
            return vec!["127.0.0.1:8000"];
        }
        self.dynamodb_listen.iter().map(String::as_str).collect()
    }
}

/// The files to serve, and how they are read.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct FileOptions {
    /// Serve the figures of these files of responses, from a temporary folder and without a DynamoDB address;
    /// - is standard input
    #[arg(value_name = "FILE", groups = ["read_files", "page_of"], conflicts_with_all = ["data", "demo", "dynamodb_listen", "metrics_listen"])]
    files: Vec<PathBuf>,
    /// The project that the files become [default: the name of the first], or with --url, the one to open
    #[arg(long, requires = "page_of")]
    project: Option<ProjectId>,
    /// The time zone of dates without an offset and of the page's calendar, such as Europe/Prague
    /// [default: UTC for dates, the reader's for the page]
    #[arg(long, value_name = "ZONE", requires = "read_files")]
    timezone: Option<Zone>,
    #[command(flatten)]
    reading: ResponseOptions,
}

/// The variables of the environment that stand for options. (`FEEDBACK_URL` and `FEEDBACK_PROJECT` say where clients
/// find a service.)
const VARIABLES: [(&str, &str); 5] = [
    ("listen", "FEEDBACK_LISTEN"),
    ("dynamodb_listen", "FEEDBACK_DYNAMODB_LISTEN"),
    ("metrics_listen", "FEEDBACK_METRICS_LISTEN"),
    ("data", "FEEDBACK_DATA"),
    ("private_traits", "PRIVATE_TRAITS"),
];

/// Returns the variable that stands for an option, if this is its value, or one of its values.
fn variable_with(flag: &str, value: &str) -> Option<&'static str> {
    let id = flag.trim_start_matches('-').replace('-', "_");
    let (_, variable) = VARIABLES.iter().find(|(of_option, _)| *of_option == id)?;
    let found = env::var(variable).ok()?;
    (found == value || found.split(',').any(|one| one == value)).then_some(variable)
}

/// Binds the address that was given with `flag`, or with the variable that stands for it; a port alone is one of this
/// machine.
async fn bind(flag: &str, address: &str) -> anyhow::Result<Listener> {
    let option = variable_with(flag, address).unwrap_or(flag);
    let port = address
        .parse::<u16>()
        .map(|port| format!("127.0.0.1:{port}"));
    let address = port.as_deref().unwrap_or(address);
    let has_host = address.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !host.contains('/') && port.parse::<u16>().is_ok()
    });
    ensure!(
        has_host,
        "{option} must be an address and a port, such as 127.0.0.1:3000, or a port alone"
    );
    let bound = Listener::bind(address).await.map_err(|error| {
        let is_taken = error.kind() == ErrorKind::AddrInUse;
        let way = format!("{error}; {flag} 127.0.0.1:0 takes a free port");
        if is_taken { anyhow!(way) } else { error.into() }
    });
    bound.with_context(|| format!("cannot listen on {address} ({option})"))
}

/// The memory of the API's requests. A caller has less than two that count each person once would take, which bounds
/// what slow readers of one key hold, too.
const REQUESTS: Room = Room {
    all: 448,
    of_caller: 96,
};

/// Makes the error of a request that others leave no room for.
fn no_room(_: NoRoom) -> Error {
    Error::busy("Other requests take up all memory at the moment. Try again in a second.")
}

/// Adds the variables of the environment to the command line of `serve`. One that is empty says nothing, except that no
/// traits are private. An error about an option names the variable that it comes from as its value.
pub fn with_variables(serve: clap::Command) -> clap::Command {
    serve.mut_args(|option| {
        let of_option = |(id, _): &&(&str, _)| option.get_id() == id;
        let Some((id, variable)) = VARIABLES.iter().find(of_option) else {
            return option;
        };
        match env::var_os(variable) {
            Some(value) if value.is_empty() && *id != "private_traits" => option,
            Some(_) => option.env(variable).value_name(variable).hide_env(true),
            None => option.env(variable).hide_env_values(true),
        }
    })
}

/// Runs the command until Ctrl-C or SIGTERM.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let log = ServiceLog::start();
    let mut signal = pin!(lifecycle::shutdown()?);
    let now = service::now();
    if options.url.is_some() || !options.files.files.is_empty() {
        let start = async {
            match &options.url {
                Some(url) => api_elsewhere::start(&options, url.clone()).await,
                None => running_service::start_over_files(&options, now).await,
            }
        };
        let api = tokio::select! {
            api = start => match api {
                Ok(api) => api,
                Err(error) => return refused(error, &options.files.files),
            },
            () = &mut signal => return Ok(ExitCode::SUCCESS),
        };
        announce(api.address());
        signal.await;
        api.stop(GRACE).await;
        return Ok(ExitCode::SUCCESS);
    }
    let mut service = tokio::select! {
        service = Service::start(&options, now) => service?,
        () = &mut signal => return Ok(ExitCode::SUCCESS),
    };
    let is_text = log.is_text || options.data.is_none();
    if is_text {
        greet(&service, &options);
    }
    if !log.is_text {
        log_start(&service, &options);
    }
    announce(service.api_address());
    let ended = tokio::select! {
        () = signal => Ok(ExitCode::SUCCESS),
        error = service.damage() => Err(error),
    };
    if let Err(error) = &ended {
        tracing::error!(reason = words(error), "failed");
    }
    service.stop().await;
    if !log.is_text {
        tracing::info!(dropped_lines = log.dropped(), "stopped");
    }
    ended
}

fn log_start(service: &Service, options: &Options) {
    let urls = |servers: &[Server]| {
        let urls = servers.iter().map(|it| format!("http://{}", it.address()));
        urls.collect::<Vec<_>>().join(" ")
    };
    if !service.exposed.is_empty() {
        let ids: Vec<_> = service.exposed.iter().map(Digest::short_id).collect();
        tracing::warn!(
            credentials = ids.join(" "),
            "anyone who reaches the API can use the demo's published credentials: revoke them"
        );
    }
    let metrics = service.metrics.as_ref();
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        api = format!("http://{}", service.api_address()),
        tables = Some(urls(&service.dynamodb)).filter(|urls| !urls.is_empty()),
        metrics = metrics.map(|it| format!("http://{}/metrics", it.address())),
        folder = options.data.as_ref().map(|it| it.display().to_string()),
        "started"
    );
}

/// Prints the address of the API. The service continues if the reader closes the pipe.
fn announce(address: SocketAddr) {
    let _ = writeln!(std::io::stdout(), "listening on http://{address}");
}

/// Prints the addresses of the service, and requests to try.
fn greet(service: &Service, options: &Options) {
    let api = format!("http://{}", service.api_address());
    let has_demo = options.has_demo();
    let sample = if has_demo { " (sample data)" } else { "" };
    eprintln!("Open {api}/{sample}");
    for address in service.dynamodb.iter().map(Server::address) {
        let is_private = options.data.is_some() || is_loopback(address.ip());
        let warning = if is_private {
            ""
        } else {
            " (whoever reaches it can read and change everything)"
        };
        eprintln!("DynamoDB  http://{address}{warning}");
    }
    if let Some(metrics) = &service.metrics {
        eprintln!("Metrics   http://{}/metrics", metrics.address());
    }
    match &options.data {
        Some(folder) => {
            if !service.dynamodb.is_empty() {
                let key = folder.join(ACCESS_KEY).display().to_string();
                eprintln!("Key       AWS_SHARED_CREDENTIALS_FILE={}", printable(&key));
            }
            eprintln!("Data      {}", printable(&folder.display().to_string()));
            warn_of_published_credentials(service, folder);
        }
        None => {
            eprintln!("Data      a temporary folder, deleted when this ends (--data DIR keeps it)");
        }
    }
    if has_demo {
        eprintln!(
            "Demo      project {PROJECT}, Read Key {READ_KEY}, username {USERNAME} with password {PASSWORD}"
        );
        eprintln!();
        eprintln!(
            "curl -H 'AuthKey: {READ_KEY}' \
             '{api}/api/v2/response-statistics?project={PROJECT}&startDate=2025-03-01&endDate=2025-04-01'"
        );
        eprintln!("curl -u {USERNAME}:{PASSWORD} '{api}/api/users?project={PROJECT}&limit=2'");
        let url = match api.as_str() {
            DEFAULT_URL => String::new(),
            _ => format!(" --url {api}"),
        };
        eprintln!(
            "FEEDBACK_READ_KEY={READ_KEY} {} stats --project {PROJECT} --group-by plan{url}",
            program()
        );
    }
    eprintln!();
}

/// Warns of credentials that everyone knows, and explains how to revoke them.
fn warn_of_published_credentials(service: &Service, folder: &Path) {
    if service.exposed.is_empty() {
        return;
    }
    eprintln!(
        "Warning   anyone who reaches the API can use the demo's published credentials; to revoke them, stop this,"
    );
    eprintln!("          omit --demo from now on, and run:");
    for digest in &service.exposed {
        eprintln!(
            "          {} credentials revoke {} --data {}",
            program(),
            digest.short_id(),
            printable(&argument(&folder.display().to_string()))
        );
    }
}
