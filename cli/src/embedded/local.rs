//! Reads the service's tables for the API, from rows.

use std::sync::Arc;

use shared::config::Tables;
use shared::model::Digest;
use shared::store::{Error, ErrorKind, Item, LocalRead, LocalStore, PageRead, PagedTable};

use super::engine::Engine;
use super::items::{item, outcome};
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
            let read = outcome(operation, rows.with_reader(read).await)?;
            let code = "the table does not exist, or has other keys";
            read.ok_or_else(|| Error::new(ErrorKind::Refused, operation, code))
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
            let json = read.await?;
            json.map(|json| item(OPERATION, &json)).transpose()
        })
    }
}
