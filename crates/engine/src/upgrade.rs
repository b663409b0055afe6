//! Brings a folder to the layout of this version.

use anyhow::{Context as _, anyhow};
use rusqlite::{
    Connection, ErrorCode, InterruptHandle, OptionalExtension as _, TransactionBehavior,
};
use serde_json::json;
use shared::items::{PagedTable, Table};

use super::database::Engine;
use super::folder::DataFolder;
use super::layout::{VERSION, version};
use super::outcomes;
use super::readers::STRING;

impl Engine {
    /// Brings the folder to the layout of this version, in one transaction. If that fails, the folder is as it was: it is
    /// read as before, and a warning is logged.
    ///
    /// Takes some seconds for a million records, and keeps others from writing. Dropping the future ends it.
    pub async fn upgrade(&self) {
        if let Err(error) = self.try_upgrade().await {
            tracing::warn!(
                "cannot upgrade the data folder: {error:#}; statistics without filters and groups fail"
            );
        }
    }

    async fn try_upgrade(&self) -> anyhow::Result<()> {
        let mut database = self.folder().connect()?;
        let _interrupt = Interrupt(database.get_interrupt_handle());
        let table = self.tables().name(Table::RESPONSES).to_owned();
        // The folder is in use until the thread is done.
        let folder = self.folder().clone();
        let upgrading = tokio::task::spawn_blocking(move || {
            let _folder = folder;
            upgrade(&mut database, &table).map_err(|error| explained(error, &database, &table))
        });
        upgrading.await.context("the thread failed")?
    }
}

/// Gives the table of responses what belongs to this version, if it has been created and holds nothing yet. If that fails,
/// the next upgrade does it.
pub(super) fn complete_new_table(folder: &DataFolder, table: &str) {
    let complete = || -> rusqlite::Result<()> {
        let mut database = folder.connect()?;
        if is_outdated(&database, table)? && is_empty(&database, table)? {
            migrate(&mut database, table)?;
        }
        Ok(())
    };
    if let Err(error) = complete() {
        tracing::warn!("cannot index the new table {table}: {error}; the next start does");
    }
}

fn upgrade(database: &mut Connection, table: &str) -> rusqlite::Result<()> {
    if is_outdated(database, table)? {
        migrate(database, table)?;
        // The log has the size of the index. It may keep it.
        let _ = database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }
    Ok(())
}

fn is_outdated(database: &Connection, table: &str) -> rusqlite::Result<bool> {
    // Another program may have deleted the table.
    Ok(database.table_exists(None, table)?
        && (version(database)? != VERSION || !outcomes::exists(database, table)?))
}

fn is_empty(database: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = format!("SELECT NOT EXISTS (SELECT 1 FROM \"{table}\")");
    database.query_row(&sql, [], |row| row.get(0))
}

fn migrate(database: &mut Connection, table: &str) -> rusqlite::Result<()> {
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    outcomes::create(&transaction, table)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Adds what can be done about a failed upgrade.
fn explained(error: rusqlite::Error, database: &Connection, table: &str) -> anyhow::Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => anyhow!(
            "{error} (the index takes room in the folder, and is sorted in that of SQLITE_TMPDIR, by default /var/tmp)"
        ),
        // The code of an SQL function's error.
        Some(ErrorCode::Unknown) => match malformed_item(database, table) {
            Ok(Some(key)) => {
                anyhow!("{error}: the item with the key {key} of {table}; delete or replace it")
            }
            Ok(None) | Err(_) => error.into(),
        },
        _ => error.into(),
    }
}

/// Returns the key of the first item that is not JSON, as DynamoDB writes it.
fn malformed_item(database: &Connection, table: &str) -> rusqlite::Result<Option<String>> {
    // The index reads JSON5, too.
    let sql = format!("SELECT pk, sk FROM \"{table}\" WHERE NOT json_valid(item_json, 2) LIMIT 1");
    let found = database.query_row(&sql, [], |row| <(String, String)>::try_from(row));
    Ok(found.optional()?.map(|(pk, sk)| {
        let [pk, sk] = [&pk, &sk].map(|key| key.strip_prefix(STRING).unwrap_or(key));
        let [hash, range] = PagedTable::Responses.key_names();
        json!({hash: {"S": pk}, range: {"S": sk}}).to_string()
    }))
}

/// Ends what a connection runs when this is dropped.
struct Interrupt(InterruptHandle);

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.interrupt();
    }
}
