//! `feedback manual`: the manual pages of the command line, which releases contain.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

/// The options of the command.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The folder of the pages
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs the command; `program` is the command line to describe.
pub fn run(options: &Options, program: clap::Command) -> anyhow::Result<ExitCode> {
    clap_mangen::generate_to(program, &options.folder)
        .with_context(|| format!("cannot write the manual to {}", options.folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
