//! The data folder of `--data`.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use rusqlite::Connection;

use crate::files;

const DATABASE: &str = "tables.sqlite";
/// What `SQLite` keeps beside the database.
const COMPANIONS: [&str; 2] = ["tables.sqlite-wal", "tables.sqlite-shm"];

/// A locked data folder. No other `feedback` uses it until this is dropped or the process ends.
pub(crate) struct DataFolder {
    path: PathBuf,
    lock: File,
}

impl DataFolder {
    /// Creates the folder if it does not exist, locks it, and makes its files private.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let unusable = || format!("cannot use the data folder {}", path.display());
        create_private(path).with_context(unusable)?;
        let mut lock = files::open_or_create(&path.join("lock")).with_context(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(path, &mut lock)),
            Err(TryLockError::Error(error)) => return Err(error).with_context(unusable),
        }
        let mut folder = Self {
            path: path.to_owned(),
            lock,
        };
        folder.make_private().with_context(unusable)?;
        folder.write_lock("").with_context(unusable)?;
        Ok(folder)
    }

    /// Returns the path of the database, which holds all tables.
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// Returns whether this is a data folder with a database.
    pub(crate) fn holds_tables(path: &Path) -> bool {
        path.join(DATABASE).exists()
    }

    /// Notes the DynamoDB address of `feedback serve` for the commands that find the folder in use.
    pub(crate) fn note_address(&mut self, address: SocketAddr) -> anyhow::Result<()> {
        self.write_lock(&format!("{MARK}{address}\n"))
            .context("cannot write the file lock of the data folder")
    }

    /// Rewrites the database, so that its files hold nothing but what is stored. `SQLite` leaves deleted
    /// and replaced text in them. The store must have been stopped.
    pub(crate) fn rewrite(&self) -> anyhow::Result<()> {
        let emptied = || -> rusqlite::Result<bool> {
            let database = Connection::open(self.database())?;
            database.busy_timeout(Duration::from_secs(5))?;
            database.execute_batch("VACUUM")?;
            let busy = |row: &rusqlite::Row<'_>| row.get(0);
            database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], busy)
        };
        let busy = emptied().context("cannot rewrite the database")?;
        ensure!(!busy, "cannot rewrite the database: it is being read");
        Ok(())
    }

    /// Creates the database before `SQLite` does, which would let others read it. The files beside it
    /// get its permissions.
    fn make_private(&self) -> std::io::Result<()> {
        files::make_private(&files::open_or_create(&self.database())?)?;
        for name in COMPANIONS {
            let path = self.path.join(name);
            if path.exists() {
                files::make_private(&files::open_or_create(&path)?)?;
            }
        }
        Ok(())
    }

    /// Replaces the content of the lock file, unless it is another program's.
    fn write_lock(&mut self, content: &str) -> std::io::Result<()> {
        let mut found = String::new();
        self.lock.rewind()?;
        // Text that is not UTF-8 is not ours.
        let is_ours = self.lock.read_to_string(&mut found).is_ok()
            && (found.is_empty() || noted_address(&found).is_some());
        if is_ours {
            self.lock.set_len(0)?;
            self.lock.rewind()?;
            self.lock.write_all(content.as_bytes())?;
        }
        Ok(())
    }
}

/// Marks the content of a lock file as ours. The address follows.
const MARK: &str = "feedback serve, DynamoDB at ";

fn noted_address(content: &str) -> Option<SocketAddr> {
    content.strip_prefix(MARK)?.trim_end().parse().ok()
}

/// Returns the error of a folder that another process has locked, with the way to reach it.
fn in_use(path: &Path, lock: &mut File) -> anyhow::Error {
    let refusal = format!(
        "the data folder {} is in use by another feedback",
        path.display()
    );
    let mut content = String::new();
    let address = lock.read_to_string(&mut content).ok();
    match address.and_then(|_| noted_address(&content)) {
        Some(address) => anyhow!(
            "commands reach it without --data, with AWS_ENDPOINT_URL_DYNAMODB=http://{address} \
             AWS_REGION=local AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local"
        )
        .context(refusal),
        None => anyhow!(refusal),
    }
}

/// Creates the folder if it does not exist, readable by its owner only: it will hold personal data.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
