//! Why rows cannot be read or written, and how that is reported.

use store::{Error, ErrorKind};

/// The operation that writes, in errors.
pub(super) const WRITE: &str = "write items";

/// Why rows cannot be read or written.
#[derive(Debug)]
pub(super) enum RowError {
    /// There is no such table.
    NoTable,
    /// An item to write cannot be stored.
    NoItem,
    /// What was done with the rows failed.
    Other(Error),
    /// The database cannot be read or written, for this reason.
    Database(String),
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> Self {
        let reason = error.to_string();
        if reason.starts_with("no such table") {
            Self::NoTable
        } else {
            Self::Database(reason)
        }
    }
}

/// Returns what was read or written.
pub(super) fn outcome<T>(
    operation: &'static str,
    outcome: Option<Result<T, RowError>>,
) -> Result<T, Error> {
    match outcome {
        Some(Ok(outcome)) => Ok(outcome),
        Some(Err(RowError::NoTable)) => {
            let code = "the table does not exist";
            Err(Error::new(ErrorKind::Refused, operation, code))
        }
        Some(Err(RowError::NoItem)) => Err(Error::new(
            ErrorKind::Internal,
            operation,
            "not an item of the table",
        )),
        Some(Err(RowError::Other(error))) => Err(error),
        Some(Err(RowError::Database(reason))) => Err(failure(operation, &reason)),
        None => Err(panicked(operation)),
    }
}

pub(super) fn failure(operation: &'static str, reason: &str) -> Error {
    Error::new(ErrorKind::Unavailable, operation, reason)
}

pub(super) fn panicked(operation: &'static str) -> Error {
    Error::new(ErrorKind::Internal, operation, "panicked")
}
