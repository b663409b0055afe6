//! `feedback completions`: the completions of the command line.

use std::process::ExitCode;

use clap_complete::{Shell, generate};

use crate::text::print;

#[derive(clap::Args, Debug)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script that completes this command line in the shell.
    pub fn run(&self, mut program: clap::Command) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        generate(self.shell, &mut program, "feedback", &mut script);
        print(&String::from_utf8(script)?)?;
        Ok(ExitCode::SUCCESS)
    }
}
