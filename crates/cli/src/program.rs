//! What this program is called in the commands that it prints.

use std::env;
use std::path::Path;

use intake::argument;
use rustix::fs::{Access, access};

/// Returns what begins a command that runs this program: `feedback`, or its path for a shell where the `PATH` leads to
/// no such program, as after `cargo run`, or to another one.
pub fn program() -> String {
    const NAME: &str = "feedback";
    let running = env::current_exe().and_then(|path| path.canonicalize());
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut files = env::split_paths(&folders).map(|folder| folder.join(NAME));
    let is_program = |file: &Path| file.is_file() && access(file, Access::EXEC_OK).is_ok();
    let found = files.find(|file| is_program(file));
    match running {
        Ok(running)
            if found.and_then(|file| file.canonicalize().ok()).as_ref() != Some(&running) =>
        {
            argument(&running.to_string_lossy())
        }
        _ => NAME.to_owned(),
    }
}
