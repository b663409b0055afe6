//! What the targets share: what they run, and what every response must be.

mod import;
mod operation;
mod stub;

pub use import::{Import, Refusal, import, rules, words};
pub use operation::{Operation, Outcome, event, request};
pub use stub::{Item, PAGE, decoded, last_query};

/// Checks that a request has not failed for a reason of the service's own.
pub fn assert_no_server_error(status: u16) {
    assert!(status < 500, "server error: {status}");
}
