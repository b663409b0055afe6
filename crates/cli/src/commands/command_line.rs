//! What is made from the command line: its completions (`feedback completions`) and its manual pages
//! (`feedback manual`), which releases contain.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
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

/// The options of `manual`.
#[derive(clap::Args, Debug)]
pub struct Manual {
    /// The folder of the pages
    #[arg(value_name = "DIR")]
    folder: PathBuf,
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

impl Manual {
    /// Writes the pages that describe this command line.
    pub fn run(&self, program: clap::Command) -> anyhow::Result<ExitCode> {
        clap_mangen::generate_to(program, &self.folder)
            .with_context(|| format!("cannot write the manual to {}", self.folder.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}
