//! The command line of `feedback`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use feedback::{credentials, import, serve, tables};

#[derive(Parser)]
#[command(name = "feedback", version, about, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API, and the store it reads, on this machine
    #[command(after_help = EXAMPLES)]
    Serve(serve::Options),
    /// Import responses or users that another service exported
    #[command(subcommand)]
    Import(import::Command),
    /// Make, list and revoke Read Keys and accounts
    #[command(subcommand)]
    Credentials(credentials::Command),
    /// Create the tables
    #[command(subcommand)]
    Tables(tables::Command),
}

const EXAMPLES: &str = "\
Examples:
  feedback serve                                  the demo project, in memory
  feedback serve --data ./data                    your own data, kept in ./data
  feedback serve --data ./data --demo             the same, with the demo project in it
  feedback serve --listen 127.0.0.1:0             on a free port, printed on standard output
  feedback credentials --help                     Read Keys and accounts";

fn main() -> ExitCode {
    let command = Cli::parse().command;
    feedback::init_log();
    let outcome = match command {
        Command::Serve(options) => serve::run(&options).map(|()| true),
        Command::Import(command) => run(import::run(command)),
        Command::Credentials(command) => run(credentials::run(command)).map(|()| true),
        Command::Tables(command) => run(tables::run(command)).map(|()| true),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(2),
        Err(message) => {
            eprintln!("feedback: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run<T>(command: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let runtime = tokio::runtime::Runtime::new();
    runtime
        .map_err(|error| format!("cannot start: {error}"))?
        .block_on(command)
}
