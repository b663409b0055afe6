//! Why items cannot be read or written, and how that is reported.

use rusqlite::ffi::SQLITE_ERROR;
use store::{Error, ErrorKind};

/// Why items cannot be read or written.
#[derive(Debug)]
pub enum ItemError {
    /// The database, or an item, is at fault in this way.
    Failed(ErrorKind, String),
    /// What was done with the items failed.
    Other(Error),
}

impl ItemError {
    /// An item to write cannot be stored.
    pub(super) fn no_item() -> Self {
        Self::Failed(ErrorKind::Internal, "not an item of the table".to_owned())
    }
}

impl From<rusqlite::Error> for ItemError {
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

impl From<Error> for ItemError {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// Returns what an operation returned; its errors name it.
pub(super) fn named<T, E: Into<ItemError>>(
    operation: &'static str,
    returned: Option<Result<T, E>>,
) -> Result<T, Error> {
    let Some(returned) = returned else {
        return Err(Error::new(ErrorKind::Internal, operation, "panicked"));
    };
    returned.map_err(|error| match error.into() {
        ItemError::Failed(kind, code) => Error::new(kind, operation, &code),
        ItemError::Other(error) => error,
    })
}
