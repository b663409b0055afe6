//! The command line of `feedback`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use feedback::{credentials, erase, export, import, serve, stats, tables, users};

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
    /// Write what a project holds, as `import` takes it
    #[command(subcommand)]
    Export(export::Command),
    /// Delete a user, and take from their response records who gave them
    #[command(after_help = "Example:\n  feedback erase --project acme --user-id 007 --data ./data")]
    Erase(erase::Options),
    /// Ask the API for the statistics of a project, and draw them
    #[command(after_help = STATS_EXAMPLES)]
    Stats(stats::Options),
    /// Ask the API for the users of a project, and show them as a table
    #[command(after_help = USERS_EXAMPLES)]
    Users(users::Options),
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

const STATS_EXAMPLES: &str = "\
The Read Key is taken from the environment.
Examples:
  FEEDBACK_READ_KEY=demo-read-key-0000 feedback stats --project demo --start 2014-08-01
  feedback stats --project acme --filter plan=eq:pro --filter country=ne:Finland --json
  feedback stats --project acme --url https://abc.execute-api.eu-central-1.amazonaws.com/prod";

const USERS_EXAMPLES: &str = "\
The account is taken from the environment.
Examples:
  FEEDBACK_USERNAME=demo FEEDBACK_PASSWORD=demo-password-0000 feedback users --project demo
  feedback users --project acme --user-id 007 --json";

fn main() -> ExitCode {
    let command = Cli::parse().command;
    feedback::init_log();
    let outcome = match command {
        Command::Serve(options) => serve::run(&options).map(|()| true),
        Command::Import(command) => run(import::run(command)),
        Command::Export(command) => run(export::run(command)),
        Command::Erase(options) => run(erase::run(options)).map(|()| true),
        Command::Stats(options) => run(stats::run(options)).map(|()| true),
        Command::Users(options) => run(users::run(options)).map(|()| true),
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
    let runtime =
        tokio::runtime::Runtime::new().map_err(|error| format!("cannot start: {error}"))?;
    let outcome = runtime.block_on(command);
    // A thread may still wait for standard input.
    runtime.shutdown_background();
    outcome
}
