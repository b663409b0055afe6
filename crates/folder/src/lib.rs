//! The data folder: the three tables in a `SQLite` file.
//!
//! Reads and writes of this project are typed: a [`FolderStore`] is the [`TableReader`] of the API, and reads and
//! writes items for commands, with SQL on what dynoxide stores of each item. Programs that speak
//! DynamoDB's protocol use the same tables through [`router`], which dynoxide answers. dynoxide also creates
//! the tables. They have neither indexes nor streams of DynamoDB's, and the address has no `UpdateTable` to add them:
//! items that are written with SQL would be missing from them.
//!
//! A [`DataFolder`] is locked by the process that uses it. While `serve` does, others reach its tables through a
//! socket: a [`ServedFolder`] has both ports, too. [`back_up`] reads a folder whoever uses it. A folder in which
//! nothing can be written is refused, because `SQLite` needs files beside the database to read it.
//!
//! # How
//!
//! - Reads of the API use read-only connections, which wait for no writer, and join the stored JSON of the
//!   items into a page, without parsing it (`page_query`). A page is read in one transaction and off the
//!   runtime, so that a long list does not delay a short request and a slow client holds no transaction.
//! - Figures without traits are read from an index that covers them, with 80 bytes a display (`layout`). A
//!   page of it has an item for each display, with the stored JSON of the attributes that are needed, so one
//!   decoder reads both. `SQLite` keeps the index with every write, also of dynoxide's.
//! - Commands read and write thousands of items in a transaction (`stored_items`), as their JSON.
//! - dynoxide runs on one thread, an operation at a time (`connections`). It has a stack of 64 MB, because
//!   dynoxide parses expressions recursively: 4 KB of parentheses overflow the 2 MB of other threads, which
//!   ends the process.
//! - The address refuses web pages (`dynamodb_protocol`), and gives a Query or Scan without a `Limit` one of 1,000
//!   items, because dynoxide collects all that is left of the partition for each page, at 14 µs an item
//!   (`dynamodb_operations`). It compares the access key ID of a request with the folder's, and does not verify the signature
//!   (`access_key`). dynoxide never throttles, its reads are always consistent, and a page that ends
//!   at 1 MB says one item more in `ScannedCount` than DynamoDB would.
//! - Every write is synced before it is acknowledged (`synchronous=FULL`).
//! - Memory is that of pages in flight, of `SQLite`'s caches, and what the allocator keeps for each thread
//!   and size of block: bodies of pages have one of four sizes, and there are few threads.
//!
//! # The folder
//!
//! The folder itself is locked, so that a second writer is refused whatever becomes of its files. The
//! operating system releases the lock when the process ends, however it ends. The database is created with mode
//! 0600 before `SQLite` opens it, which gives its log the same mode. `SQLite` gets absolute paths, since it takes some
//! others for URIs, and URIs that are built here.
//!
//! `serve` answers the calls of both ports on the Unix socket `serve.sock` (`folder_socket`), which needs no key:
//! whoever may open it may read the files, too, and nobody else can, because it gets its mode 0600 before it is
//! listened to. A command uses no folder or socket of another user than its own or root, who could read what it
//! stores. One that finds the folder locked connects to the socket; if nobody answers, another command has the lock,
//! for which it waits. A batch of changes is one message, and so one transaction on the thread that writes. Both sides
//! compare their versions before anything else, because calls are those of one version. There are at most 64
//! connections, one a command. When `serve` ends, it deletes the socket before it releases the lock.
//!
//! If the database was not closed, its log has content. `serve` then reads the whole database, and leaves the
//! log as it is if that fails.
//!
//! The database has the version of its layout; another one is refused before the database is written
//! (`layout`).
//!
//! An erasure ends with `VACUUM`, because `SQLite` leaves what was deleted or replaced in unused parts of the database
//! (and `secure_delete` some of it), and by emptying the log. Both happen on the thread that writes: reads go on, and
//! writes wait. What `VACUUM` writes meanwhile is in a file without a name in the folder, and in the log. A reader that
//! goes on, such as a backup, prevents that the log is emptied, and then the erasure fails.
//!
//! A folder whose files are links is refused: two folders with one database have two writers.
//!
//! On a full disk there is no room for the index of `SQLite`'s log (`-shm`), without which nothing can be
//! read. Then the folder is opened with the VFS `unix-excl`, which keeps that index in memory and excludes
//! other processes. Less does not suffice: `locking_mode=EXCLUSIVE` has the index in memory, but for a single
//! connection, and the thread that writes and each reader have their own; `immutable=1` ignores the log, and so
//! what was acknowledged before a crash; and an index that is kept from the last use is cut off and written anew
//! when it is opened, while other programs may take its room.
//!
//! A backup is a read-only connection and one `VACUUM INTO`, so that a writer never waits for it, the copy is
//! one state, and no free page with deleted text gets into it. Work of a writer that needs all readers gone
//! (emptying the log) waits for the backup.
//!
//! A temporary folder is deleted by its process. One that is killed leaves it.
//!
//! [`TableReader`]: store::TableReader

mod access_key;
mod backup;
mod connections;
mod data_folder;
mod dynamodb_operations;
mod dynamodb_protocol;
mod folder_socket;
mod folder_store;
mod layout;
mod page_query;
pub mod private_file;
mod served_folder;
mod socket_server;
mod stored_items;
#[cfg(test)]
mod tests;

pub use access_key::ACCESS_KEY;
pub use backup::{Copied, back_up, refuse_other};
pub use connections::max_readers;
pub use data_folder::{DataFolder, InUse};
pub use dynamodb_protocol::router;
pub use folder_store::FolderStore;
pub use served_folder::ServedFolder;
pub use socket_server::SocketServer;
