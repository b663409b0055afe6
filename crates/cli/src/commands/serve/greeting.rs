//! The greeting of `feedback serve`, on standard error.

use std::path::Path;

use folder::ACCESS_KEY;
use server::{Server, is_loopback};

use super::demo::{PASSWORD, PROJECT, READ_KEY, USERNAME};
use super::options::Options;
use super::running::Service;
use crate::client::DEFAULT_URL;
use crate::text::printable;

/// Prints the addresses of the service, and requests to try.
pub(super) fn print(service: &Service, options: &Options) {
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
    match &options.data {
        Some(folder) => {
            let key = folder.join(ACCESS_KEY).display().to_string();
            eprintln!("Key       AWS_SHARED_CREDENTIALS_FILE={}", printable(&key));
            eprintln!("Data      {}", printable(&folder.display().to_string()));
            warn(service, folder);
        }
        None => {
            eprintln!("Data      a temporary folder, deleted when this ends (--data DIR keeps it)");
        }
    }
    if has_demo {
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
fn warn(service: &Service, folder: &Path) {
    if service.exposed.is_empty() {
        return;
    }
    eprintln!(
        "Warning   anyone who reaches the API can use the demo's published credentials; to revoke them, stop this,"
    );
    eprintln!("          omit --demo from now on, and run:");
    for digest in &service.exposed {
        eprintln!(
            "          feedback credentials revoke {} --data {}",
            digest.short_id(),
            printable(&folder.display().to_string())
        );
    }
}
