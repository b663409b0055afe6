//! `feedback completions`: the completions of the command line, for a shell.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context;
use clap_complete::Shell;

/// The options of the command.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The shell
    shell: Shell,
}

/// Runs the command; `program` is the command line to complete.
pub fn run(options: &Options, mut program: clap::Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut program, "feedback", &mut script);
    let written = std::io::stdout().write_all(&script);
    written.context("cannot write the completions")?;
    Ok(ExitCode::SUCCESS)
}
