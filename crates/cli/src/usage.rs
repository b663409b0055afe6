//! Errors of how a command was called, after which it exits with 2.

use std::process::ExitCode;

use crate::client::Refused;

/// What is wrong with how a command was called: a value that is mistyped, or names what there is not.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// Returns the exit code of a command that did all of its work, or left something out.
pub(crate) fn done(is_whole: bool) -> ExitCode {
    ExitCode::from(if is_whole { 0 } else { 2 })
}

/// Returns the exit code of a command that fails with this error.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    let refused = error.downcast_ref::<Refused>();
    if error.is::<Usage>() || refused.is_some_and(Refused::is_of_parameters) {
        2
    } else {
        1
    }
}
