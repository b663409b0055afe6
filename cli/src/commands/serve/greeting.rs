//! The greeting of `feedback serve`, on standard error.

use std::net::SocketAddr;
use std::path::Path;

use shared::model::Digest;

use super::demo::{PASSWORD, PROJECT, READ_KEY, USERNAME};
use crate::client::DEFAULT_URL;
use crate::text::printable;

/// What there is to say of a service that was started.
pub(super) struct Greeting<'a> {
    pub(super) api: SocketAddr,
    pub(super) dynamodb: Vec<SocketAddr>,
    /// `None` if the folder is a temporary one.
    pub(super) folder: Option<&'a Path>,
    pub(super) has_demo: bool,
    /// The digests of the demo's credentials, if others than this machine can use them.
    pub(super) exposed: &'a [Digest],
}

/// Prints the addresses of the service, and requests to try.
pub(super) fn print(greeting: &Greeting<'_>) {
    let api = format!("http://{}", greeting.api);
    let sample = if greeting.has_demo {
        " (sample data)"
    } else {
        ""
    };
    eprintln!("Open {api}/{sample}");
    for address in &greeting.dynamodb {
        let warning = if address.ip().to_canonical().is_loopback() {
            ""
        } else {
            " (whoever reaches it can read and change everything)"
        };
        eprintln!("DynamoDB  http://{address}{warning}");
    }
    match greeting.folder {
        Some(folder) => {
            eprintln!("Data      {}", printable(&folder.display().to_string()));
            warn(greeting.exposed, folder);
        }
        None => {
            eprintln!("Data      a temporary folder, deleted when this ends (--data DIR keeps it)");
        }
    }
    if greeting.has_demo {
        eprintln!(
            "Demo      project {PROJECT}, Read Key {READ_KEY}, account {USERNAME} with password {PASSWORD}"
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
            "FEEDBACK_READ_KEY={READ_KEY} feedback stats --project {PROJECT} --group-by plan{url}"
        );
    }
    eprintln!();
}

/// Warns of credentials that everyone knows, and explains how to revoke them.
fn warn(exposed: &[Digest], folder: &Path) {
    if exposed.is_empty() {
        return;
    }
    eprintln!(
        "Warning   anyone who reaches the API can use the demo's published credentials; to revoke them, stop this,"
    );
    eprintln!("          omit --demo from now on, and run:");
    for digest in exposed {
        eprintln!(
            "          feedback credentials revoke {} --data {}",
            digest.short_id(),
            printable(&folder.display().to_string())
        );
    }
}
