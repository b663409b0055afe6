//! Why rows cannot be read or written, and how that is reported.

use rusqlite::ffi::SQLITE_ERROR;
use store::{Error, ErrorKind};

/// The operation that writes, in errors.
pub(super) const WRITE: &str = "write items";

/// Why rows cannot be read or written.
#[derive(Debug)]
pub(super) enum RowError {
    /// The database, or an item, is at fault in this way.
    Failed(ErrorKind, String),
    /// What was done with the rows failed.
    Other(Error),
}

impl RowError {
    /// An item to write cannot be stored.
    pub(super) fn no_item() -> Self {
        Self::Failed(ErrorKind::Internal, "not an item of the table".to_owned())
    }
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error() {
            // Of the statements that are run here, because their table is missing.
            Some(error) if error.extended_code == SQLITE_ERROR => {
                Self::Failed(ErrorKind::Refused, "the table does not exist".to_owned())
            }
            _ => Self::Failed(ErrorKind::Unavailable, error.to_string()),
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
        Some(Err(RowError::Failed(kind, code))) => Err(Error::new(kind, operation, &code)),
        Some(Err(RowError::Other(error))) => Err(error),
        None => Err(Error::new(ErrorKind::Internal, operation, "panicked")),
    }
}
