//! `feedback completions`: the completions of the command line, for a shell.

use std::process::ExitCode;

use clap_complete::Shell;

use crate::text::print;

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
    print(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}
