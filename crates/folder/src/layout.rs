//! The layout of the database: dynoxide's tables, of which the service's are read and written with SQL, and
//! the index of outcomes of the responses. The database's `user_version` is the version of the layout.

use anyhow::ensure;
use model::items::Table;
use rusqlite::{Connection, TransactionBehavior};
use serde_json::{Value, json};

use super::outcomes;

/// The version of this layout. It changes with dynoxide's schema.
const VERSION: i64 = 2;

/// Refuses a database of another version, and of another program. A database has no version until its tables are
/// complete.
pub(super) fn check_version(database: &Connection) -> anyhow::Result<()> {
    let version = version(database)?;
    let sql = "SELECT count(*) = 0 OR sum(name = '_config') > 0 FROM sqlite_schema";
    let is_ours: bool = database.query_row(sql, [], |row| row.get(0))?;
    ensure!(is_ours, "it is a database of another program");
    ensure!(
        matches!(version, 0 | VERSION),
        "it has version {version} of the layout, and this feedback reads version {VERSION} alone: \
         export with the feedback that wrote it, and import into a new folder"
    );
    Ok(())
}

/// Reads the whole database with this check of `SQLite`'s, and fails if it finds damage.
pub(super) fn check_pages(database: &Connection, check: &str) -> anyhow::Result<()> {
    let verdict = format!("PRAGMA {check}(1)");
    let verdict: String = database.query_row(&verdict, [], |row| row.get(0))?;
    ensure!(verdict == "ok", "{verdict}");
    Ok(())
}

fn version(database: &Connection) -> rusqlite::Result<i64> {
    database.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Gives the table of responses its index, and the database its version, unless they are there or there is no
/// such table: its creation may have been interrupted.
pub(super) fn complete(database: &mut Connection, responses: &str) -> rusqlite::Result<()> {
    let is_complete = version(database)? == VERSION && outcomes::exists(database, responses)?;
    if is_complete || !database.table_exists(None, responses)? {
        return Ok(());
    }
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    outcomes::create(&transaction, responses)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Returns the request that creates a table of the service with this name.
pub(super) fn creation(table: Table, name: &str) -> Value {
    let (hash, range) = table.key_names();
    let keys = [Some((hash, "HASH")), range.map(|range| (range, "RANGE"))];
    let keys = keys.into_iter().flatten();
    let key = |(name, kind)| json!({"AttributeName": name, "KeyType": kind});
    let attribute = |(name, _)| json!({"AttributeName": name, "AttributeType": "S"});
    json!({
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": keys.clone().map(key).collect::<Vec<_>>(),
        "AttributeDefinitions": keys.map(attribute).collect::<Vec<_>>(),
    })
}
