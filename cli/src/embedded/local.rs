//! Reads the service's tables for the API, from rows.

use std::sync::Arc;

use shared::config::Tables;
use shared::model::Digest;
use shared::store::{Error, ErrorKind, Item, LocalRead, LocalStore, PageRead, PagedTable};

use super::attributes::decode;
use super::engine::Engine;
use super::rows::{Reader, Unanswered};

/// The service's tables in a data folder.
#[derive(Debug)]
pub(crate) struct LocalTables {
    engine: Engine,
    tables: Arc<Tables>,
}

impl LocalTables {
    pub(crate) fn new(engine: Engine, tables: Arc<Tables>) -> Self {
        Self { engine, tables }
    }

    /// Runs a read; `operation` names it in errors.
    fn read<T: Send + 'static>(
        &self,
        operation: &'static str,
        read: impl FnOnce(&mut Reader) -> Result<T, Unanswered> + Send + 'static,
    ) -> LocalRead<T> {
        let rows = self.engine.rows().clone();
        Box::pin(async move {
            let (kind, code) = match rows.with_reader(read).await {
                Some(Ok(output)) => return Ok(output),
                Some(Err(Unanswered::Failed(error))) => (ErrorKind::Unavailable, error.to_string()),
                Some(Err(Unanswered::Unfit)) => (
                    ErrorKind::Refused,
                    "the table does not exist, or has other keys".to_owned(),
                ),
                None => (ErrorKind::Internal, "panicked".to_owned()),
            };
            Err(Error::new(kind, operation, &code))
        })
    }
}

impl LocalStore for LocalTables {
    fn page(&self, read: PageRead) -> LocalRead<Vec<u8>> {
        let table = match read.table {
            PagedTable::Users => &self.tables.users,
            PagedTable::Responses => &self.tables.responses,
        };
        let table = table.clone();
        self.read(read.operation(), move |reader| reader.page(&table, &read))
    }

    fn credential(&self, digest: Digest) -> LocalRead<Option<Item>> {
        const OPERATION: &str = "read credential";
        let table = self.tables.credentials.clone();
        let read = self.read(OPERATION, move |reader| {
            reader.item(&table, "digest", &digest.to_string())
        });
        Box::pin(async move {
            let damaged = || Error::new(ErrorKind::Damaged, OPERATION, "not an item");
            let json = read.await?;
            json.map(|json| decode(&json).ok_or_else(damaged))
                .transpose()
        })
    }
}
