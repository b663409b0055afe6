//! Copies the database of a data folder while other processes write it.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use items::Table;
use rusqlite::Connection;

use super::connections::ReadSource;
use super::data_folder::{DataFolder, InUse};
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
pub fn back_up(folder: &Path, copy: &Path) -> anyhow::Result<Copied> {
    let failed = || format!("cannot copy {}", folder.display());
    let copy = std::path::absolute(copy).with_context(failed)?;
    copy_database(folder, &copy).with_context(failed)?;
    check(copy).context("the copy is not usable")
}

/// Refuses a file that is not a backup, of any version of the layout.
///
/// # Errors
///
/// Fails if the file is not one, or cannot be read.
pub fn refuse_other(file: &Path) -> anyhow::Result<()> {
    let read = || -> anyhow::Result<bool> {
        let source = ReadSource {
            database: std::path::absolute(file)?,
            is_immutable: true,
        };
        Ok(layout::is_ours(&source.connect()?)?)
    };
    let refused = || format!("cannot replace {}: it is not a backup", file.display());
    ensure!(read().with_context(refused)?, refused());
    Ok(())
}

/// Copies the database. An erasure puts another file in its place, whose log has the name of the old one's: then
/// what was copied may be a file joined with the log of another, and this begins again.
fn copy_database(folder: &Path, copy: &Path) -> anyhow::Result<()> {
    let database = DataFolder::database_of(folder)?;
    // Locked until this returns, if it is immutable.
    let unwritable = unwritable(folder)?;
    let source = unwritable.as_ref().map_or_else(
        || ReadSource {
            database: database.clone(),
            is_immutable: false,
        },
        DataFolder::read_source,
    );
    loop {
        let before = identity(&database)?;
        let reader = source.connect()?;
        let copied = vacuum_into(&reader, copy);
        // While the old file is open, no other one gets its number.
        if identity(&database)? == before {
            return copied;
        }
        drop(reader);
        empty(copy)?;
    }
}

/// Opens a folder in which nothing can be written. Returns `None` if this process may write there, or if another
/// one has locked it: then that one keeps the index of the log, which readers share.
fn unwritable(folder: &Path) -> anyhow::Result<Option<DataFolder>> {
    if DataFolder::may_be_written(folder) {
        return Ok(None);
    }
    match DataFolder::open_unwritable(folder) {
        Err(error) if error.is::<InUse>() => Ok(None),
        opened => opened.map(Some),
    }
}

/// Returns the device and the number of a file, which together no other existing file has.
fn identity(database: &Path) -> std::io::Result<(u64, u64)> {
    let found = database.metadata()?;
    Ok((found.dev(), found.ino()))
}

/// A read transaction sees one state of the database, and stops no writer.
fn vacuum_into(source: &Connection, copy: &Path) -> anyhow::Result<()> {
    let target = copy.to_str().context("the file's path is not UTF-8")?;
    source.busy_timeout(PATIENCE)?;
    layout::check_version(source)?;
    source.execute("VACUUM INTO ?1", [target])?;
    Ok(())
}

/// Empties a copy that was begun, and deletes its journal, which is left unless the copy is complete.
fn empty(copy: &Path) -> std::io::Result<()> {
    let mut journal = copy.to_owned().into_os_string();
    journal.push("-journal");
    let _ = std::fs::remove_file(journal);
    File::options().write(true).open(copy)?.set_len(0)
}

/// Reads the whole copy: its structure, its index, and the tables that a folder has.
fn check(copy: PathBuf) -> anyhow::Result<Copied> {
    let copy = ReadSource {
        database: copy,
        is_immutable: false,
    };
    let database = copy.connect()?;
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
