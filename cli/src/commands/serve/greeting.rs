//! The greeting of `feedback serve`, on standard error.

use super::demo::{PASSWORD, PROJECT, READ_KEY, USERNAME};
use super::{Options, Service};

/// Prints the addresses of the service, and requests to try.
pub(super) fn print(options: &Options, service: &Service) {
    let api = format!("http://{}", service.api_address());
    eprintln!("API       {api}");
    eprintln!("DynamoDB  http://{}", service.dynamodb_address());
    match &options.data {
        Some(folder) => eprintln!("Data      {}", folder.display()),
        None => eprintln!("Data      in memory, lost when this ends (--data DIR keeps it)"),
    }
    if options.has_demo() {
        eprintln!(
            "Demo      project {PROJECT}, Read Key {READ_KEY}, account {USERNAME} with password {PASSWORD}"
        );
        eprintln!();
        eprintln!(
            "curl -H 'AuthKey: {READ_KEY}' \
             '{api}/api/v2/response-statistics?project={PROJECT}&startDate=2014-08-01T00:00:00.000Z'"
        );
        eprintln!("curl -u {USERNAME}:{PASSWORD} '{api}/api/users?project={PROJECT}&limit=2'");
    }
    eprintln!();
}
