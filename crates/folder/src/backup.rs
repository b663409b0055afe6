//! Copies the database of a data folder while other processes write it.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use items::Table;
use rusqlite::Connection;

use super::connections::{connect_to_read, uri};
use super::data_folder::{DataFolder, require_writable};
use super::layout;

/// How long a copy waits for a process that is opening or closing the database.
const PATIENCE: Duration = Duration::from_mins(1);

/// The number of items in a copy.
pub struct Copied {
    pub responses: u64,
    pub users: u64,
    pub credentials: u64,
}

/// Copies the state of a data folder at one moment into an empty file, without the folder's lock, and checks
/// the copy. Refuses another version of the layout. The copy holds nothing of what was deleted before. It is
/// not yet synced.
pub fn back_up(folder: &Path, copy: &Path) -> anyhow::Result<Copied> {
    let failed = || format!("cannot copy {}", folder.display());
    let copy = std::path::absolute(copy).with_context(failed)?;
    copy_database(folder, &copy).with_context(failed)?;
    check(&copy).context("the copy is not usable")
}

/// Refuses a file that is not a backup, of any version of the layout.
///
/// # Errors
///
/// Fails if the file is not one, or cannot be read.
pub fn refuse_other(file: &Path) -> anyhow::Result<()> {
    let read = || -> anyhow::Result<bool> {
        // Creates no files beside it.
        let unchanging = uri(&std::path::absolute(file)?, "immutable=1");
        let database = unchanging.context("its path is not one of a file")?;
        Ok(layout::is_ours(&connect_to_read(database)?)?)
    };
    let refused = || format!("cannot replace {}: it is not a backup", file.display());
    ensure!(read().with_context(refused)?, refused());
    Ok(())
}

/// Copies the database. A read transaction sees one state of it, and stops no writer.
fn copy_database(folder: &Path, copy: &Path) -> anyhow::Result<()> {
    let target = copy.to_str().context("the file's path is not UTF-8")?;
    let source = connect_to_read(DataFolder::database_of(folder)?)?;
    source.busy_timeout(PATIENCE)?;
    // A reader needs the index of the log, which it creates unless a process that uses the folder has.
    layout::check_version(&source).or_else(|error| {
        require_writable(folder)?;
        Err(error)
    })?;
    source.execute("VACUUM INTO ?1", [target])?;
    Ok(())
}

/// Reads the whole copy: its structure, its index, and the tables that a folder has.
fn check(copy: &Path) -> anyhow::Result<Copied> {
    let database = connect_to_read(copy)?;
    layout::check_pages(&database, "integrity_check")?;
    Ok(Copied {
        responses: count(&database, Table::Responses)?,
        users: count(&database, Table::Users)?,
        credentials: count(&database, Table::Credentials)?,
    })
}

fn count(database: &Connection, table: Table) -> anyhow::Result<u64> {
    let name = table.name();
    database
        .query_row(&format!("SELECT count(*) FROM {name}"), [], |row| {
            row.get(0)
        })
        .with_context(|| format!("cannot read its table {name}"))
}
