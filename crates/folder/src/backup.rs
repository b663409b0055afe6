//! Copies the database of a data folder while other processes write it.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use items::TableNames;
use rusqlite::Connection;

use super::connections::connect_to_read;
use super::data_folder::DataFolder;
use super::layout;

/// How long a copy waits for a process that is opening or closing the database.
const PATIENCE: Duration = Duration::from_mins(1);

/// The number of items in a copy.
pub struct Copied {
    /// Displays.
    pub responses: u64,
    /// Users.
    pub users: u64,
    /// Credentials.
    pub credentials: u64,
}

/// Copies the state of a data folder at one moment into an empty file, without the folder's lock, and checks
/// the copy. Refuses another version of the layout. The copy holds nothing of what was deleted before. It is
/// not yet synced.
pub fn back_up(folder: &Path, tables: &TableNames, copy: &Path) -> anyhow::Result<Copied> {
    DataFolder::database_of(folder)
        .and_then(|database| vacuum_into(&database, copy))
        .with_context(|| format!("cannot copy {}", folder.display()))?;
    check(tables, copy).context("the copy is not usable")
}

/// A read transaction sees one state of the database, and stops no writer.
fn vacuum_into(database: &Path, copy: &Path) -> anyhow::Result<()> {
    let target = copy.to_str().context("the file's path is not UTF-8")?;
    let source = connect_to_read(database)?;
    source.busy_timeout(PATIENCE)?;
    layout::check_version(&source)?;
    source.execute("VACUUM INTO ?1", [target])?;
    Ok(())
}

/// Reads the whole copy: its structure, its index, and the tables that a folder has.
fn check(tables: &TableNames, copy: &Path) -> anyhow::Result<Copied> {
    let database = connect_to_read(copy)?;
    layout::check_pages(&database, "integrity_check")?;
    Ok(Copied {
        responses: count(&database, &tables.responses)?,
        users: count(&database, &tables.users)?,
        credentials: count(&database, &tables.credentials)?,
    })
}

fn count(database: &Connection, table: &str) -> anyhow::Result<u64> {
    let name = table.replace('"', "\"\"");
    database
        .query_row(&format!("SELECT count(*) FROM \"{name}\""), [], |row| {
            row.get(0)
        })
        .with_context(|| format!("cannot read its table {table}"))
}
