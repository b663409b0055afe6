//! `feedback backup`: copies a data folder into one file, also while it is in use.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, ensure};

use crate::embedded::{Copied, DataFolder, back_up};
use crate::files::{Existing, WholeFile};
use crate::signals;
use crate::text::printable;

/// The options of a backup.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The data folder, which `serve` or another command may be using
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The new file, outside of the folder; only its owner can read it, and it appears when it is complete
    file: PathBuf,
}

/// Runs the command until the copy is complete, or until Ctrl-C or SIGTERM.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let Options { data, file } = options;
    let missing = format!("there are no tables in {}", data.display());
    ensure!(DataFolder::holds_tables(&data), missing);
    refuse_inside(&data, &file)?;
    let signal = signals::shutdown()?;
    let hint = "a backup never replaces a file";
    let whole = WholeFile::create(&file, Existing::Refuse { hint })?;
    let copy = whole.unpublished_path().to_owned();
    let mut journal = copy.clone().into_os_string();
    journal.push("-journal");
    let copying = tokio::task::spawn_blocking(move || back_up(&data, &copy));
    let copied = tokio::select! {
        copied = copying => copied.context("the thread failed")?,
        // What the thread writes until the process ends goes into a file that has no name anymore.
        () = signal => Err(anyhow!("the backup was interrupted")),
    };
    // SQLite leaves it unless the copy is complete.
    let _ = std::fs::remove_file(journal);
    let Copied {
        responses,
        users,
        credentials,
    } = copied?;
    whole.publish()?;
    eprintln!(
        "{responses} responses, {users} users and {credentials} credentials in {}",
        printable(&file.display().to_string())
    );
    Ok(ExitCode::SUCCESS)
}

/// Refuses a file in the data folder. `SQLite` would take some names for its own, and `erase` promises that
/// nothing of a person remains in the folder.
fn refuse_inside(data: &Path, file: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot create {}", file.display());
    let parent = file.parent().filter(|parent| *parent != Path::new(""));
    let parent = parent.unwrap_or(Path::new("."));
    let parent = parent.canonicalize().with_context(failed)?;
    ensure!(
        !parent.starts_with(data.canonicalize()?),
        "{}: it is inside the data folder",
        failed()
    );
    Ok(())
}
