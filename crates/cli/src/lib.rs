//! The `feedback` program: the whole service for everyone without an AWS account, and the commands
//! that manage its data, there or on AWS.

/// Prints a line on standard error, like the standard macro, but does not panic if that fails: a full disk or
/// a closed pipe must not end a command halfway, or a service.
macro_rules! eprintln {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

mod asset;
mod client;
pub mod commands;
mod figures;
mod import;
mod log;
mod page;
mod progress;
mod score;
mod signals;
mod text;
mod whole_file;

use tokio::runtime::{Builder, Runtime};

pub use log::init_log;
pub use text::words;

/// Makes the runtime of a command, with a thread that may block for each reader of the embedded store and
/// four more: each thread keeps memory.
///
/// # Errors
///
/// Fails if the system provides no threads or events.
pub fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(folder::max_readers() + 4)
        .build()
}
