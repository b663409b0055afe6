//! The command line of `feedback`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use feedback::serve;

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
}

const EXAMPLES: &str = "\
Examples:
  feedback serve                                  the demo project, in memory
  feedback serve --data ./data                    your own data, kept in ./data
  feedback serve --data ./data --demo             the same, with the demo project in it
  feedback serve --listen 127.0.0.1:0             on a free port, printed on standard output";

fn main() -> ExitCode {
    let Command::Serve(options) = Cli::parse().command;
    match serve::run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("feedback: {message}");
            ExitCode::FAILURE
        }
    }
}
