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
mod lifecycle;
mod nearest;
mod page;
mod progress;
mod terminal_table;
mod text;

pub use lifecycle::{exit_code, init_log, runtime};
pub use text::{print, program, words};
