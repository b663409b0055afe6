//! `feedback backup`: copies a data folder into one file, also while it is in use.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use folder::{DataFolder, back_up, refuse_other};

use super::output_file::OutputFile;
use crate::lifecycle;
use crate::text::{counted, printable};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// The data folder, which `serve` or another command may be using
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Replace an earlier backup, once the new one is complete
    #[arg(long)]
    replace: bool,
    /// The new file, outside of the folder; only its owner can read it, and it appears when it is complete
    file: PathBuf,
}

/// Runs the command until the copy is complete, or until Ctrl-C or SIGTERM.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let file = &options.file;
    DataFolder::require_tables(&options.data)?;
    DataFolder::refuse_inside(Some(&options.data), file)?;
    let signal = lifecycle::shutdown()?;
    let output = OutputFile::create(file, options.replace)?;
    if options.replace && file.exists() {
        refuse_other(file)?;
    }
    let copy = output.unpublished_path().to_owned();
    let mut journal = copy.clone().into_os_string();
    journal.push("-journal");
    let copying = tokio::task::spawn_blocking(move || back_up(&options.data, &copy));
    let copied = tokio::select! {
        copied = copying => copied.context("the thread failed")?,
        // Until the process ends, the thread writes into a file that has no name anymore.
        () = signal => Err(anyhow!("the backup was interrupted")),
    };
    // SQLite leaves it unless the copy is complete.
    let _ = std::fs::remove_file(journal);
    let copied = copied?;
    output.publish()?;
    eprintln!(
        "{}, {} and {} in {}",
        counted(copied.responses, "response"),
        counted(copied.users, "user"),
        counted(copied.credentials, "credential"),
        printable(&file.display().to_string())
    );
    Ok(ExitCode::SUCCESS)
}
