//! `feedback completions`: the completions of the command line.

use std::process::ExitCode;

use clap_complete::shells::{Bash, Fish, Zsh};

use crate::text::print;

/// A shell that has completions.
#[derive(clap::ValueEnum, Debug, Clone, Copy)]
enum Shell {
    Bash,
    Fish,
    Zsh,
}

#[derive(clap::Args, Debug)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script that completes this command line in the shell.
    pub fn run(&self, mut program: clap::Command) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        let out = &mut script;
        match self.shell {
            Shell::Bash => clap_complete::generate(Bash, &mut program, "feedback", out),
            Shell::Fish => clap_complete::generate(Fish, &mut program, "feedback", out),
            Shell::Zsh => clap_complete::generate(Zsh, &mut program, "feedback", out),
        }
        print(&String::from_utf8(script)?)?;
        Ok(ExitCode::SUCCESS)
    }
}
