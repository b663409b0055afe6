//! The command line of `feedback`.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::ensure;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::{Shell, generate};
use feedback::commands::{
    backup, check, create_tables, credentials, erase, export, health, import, mcp, serve, stats,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(name = "feedback", version, about, max_term_width = 100)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API and its page on this machine, from a data folder, files or sample data
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Box<serve::Options>),
    /// Import responses or users that another service exported, or credentials
    #[command(subcommand)]
    Import(import::Command),
    /// Export the records of a project, or all credentials, in a format that `import` reads
    #[command(subcommand)]
    Export(export::Command),
    /// Erase a person and keep the figures, or erase all records of a project
    #[command(after_help = ERASE_EXAMPLES)]
    Erase(erase::Options),
    /// Find mistakes in stored items, which the API leaves out or reads as something else
    #[command(after_help = CHECK_EXAMPLES)]
    Check(check::Options),
    /// Copy a data folder into one file, even while it is in use
    #[command(after_help = BACKUP_EXAMPLES)]
    Backup(backup::Options),
    /// Show the figures of a project, or of files
    #[command(after_help = STATS_EXAMPLES)]
    Stats(Box<stats::Options>),
    /// Answer an assistant's questions about the statistics, over the Model Context Protocol
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(mcp::Options),
    /// Create, list and revoke the credentials of the API
    #[command(subcommand)]
    Credentials(credentials::Command),
    /// Create the tables that do not exist
    #[command(subcommand)]
    Tables(create_tables::Command),
    /// Check that `feedback serve` answers; print nothing if it does
    #[command(after_help = HEALTH_EXAMPLES)]
    Health(health::Options),
    /// Print the completions of this program for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: Shell,
    },
}

const EXAMPLES: &str = "\
Examples:
  feedback stats ratings.csv          the figures of a file
  feedback serve                      the API, a page, and sample data
  feedback import responses export.csv --project acme --data ./data
  feedback credentials create --project acme --may statistics \\
    --data ./data
  feedback serve --data ./data        your own data, kept in ./data
  feedback stats --help               the options and examples of a command";

const SERVE_EXAMPLES: &str = "\
Examples:
  feedback serve                      the API, a page, and sample data
  feedback serve --data ./data        your own data, kept in ./data
  feedback serve --data ./data --demo also write the sample data into ./data
  feedback serve ratings.csv          the page with a file of responses
  feedback serve --url https://feedback.example.com --project acme
  feedback serve --listen 127.0.0.1:0 a free port, printed on standard output

With --url, a terminal shows the page's address with the Read Key in FEEDBACK_READ_KEY, if set.";

const ERASE_EXAMPLES: &str = "\
Examples:
  feedback erase --project acme --user-id 007 --data ./data
  feedback erase --project acme --email jo@example.com --data ./data
  printf 'id with a NUL \\0' | feedback erase --project acme --user-id - --yes
  feedback erase --project acme --all --data ./data";

const CHECK_EXAMPLES: &str = "\
Examples:
  feedback check --project acme --data ./data
  feedback check --data ./data --json

Nothing is repaired. Exit codes: 0 nothing found, 1 failed, 2 found.";

const BACKUP_EXAMPLES: &str = "\
Examples:
  feedback backup --data ./data backup.sqlite
  feedback backup --data ./data --replace Monday.sqlite

A running serve or import may use the folder meanwhile. To restore a backup, make it the only file of a new folder, \
under the name tables.sqlite:
  mkdir -m 700 restored
  cp backup.sqlite restored/tables.sqlite
  feedback serve --data restored

A backup keeps the people who are erased later: after restoring it, erase them again. Delete old backups.";

const STATS_EXAMPLES: &str = "\
An API is asked with the Read Key in FEEDBACK_READ_KEY; files and data folders need none.

Examples:
  feedback stats ratings.csv
  feedback stats ratings.csv --map traits.plan --group-by plan
  feedback stats --data ./data --project acme
  FEEDBACK_READ_KEY=demo-read-key-0000 \\
    feedback stats --project demo --group-by plan
  feedback stats --project acme --group-by plan
  feedback stats --project acme --filter plan=eq:growth \\
    --filter seats=number.gte:4
  feedback stats --project acme --start 2026-01-01 --interval month
  feedback stats --project acme --respondents latest --timezone Europe/Prague
  feedback stats --project acme --traits
  feedback stats --project acme --interval week --csv > weeks.csv
  feedback stats --project acme --url https://feedback.example.com

Exit codes: 0 shown, 1 failed, 2 wrong options, rejected records, or nothing found because no record of the period has a trait that is \
asked for (except with --json). Records of files that are rejected are counted on standard error.";

const MCP_EXAMPLES: &str = "\
An API is asked with the Read Key in FEEDBACK_READ_KEY; --data needs none. An assistant's program starts this command, and speaks with it over standard \
input and output. docs/agents.md has the configuration of several programs.

Examples:
  claude mcp add feedback --env FEEDBACK_READ_KEY=demo-read-key-0000 -- \\
    feedback mcp --project demo
  feedback mcp --project acme --url https://feedback.example.com
  feedback mcp --project acme --data ./data";

const HEALTH_EXAMPLES: &str = "\
Examples:
  feedback health
  feedback health --url https://feedback.example.com";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  feedback completions bash > \\
    ~/.local/share/bash-completion/completions/feedback
  feedback completions zsh > ~/.zfunc/_feedback
  feedback completions fish > ~/.config/fish/completions/feedback.fish";

fn main() -> ExitCode {
    let parsed = command_line().try_get_matches();
    let command = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli.command,
        Err(message) => return answer(&with_meant_command(without_secret(message))),
    };
    // The service has a log of its own.
    if !matches!(command, Command::Serve(_)) {
        feedback::init_log();
    }
    let runtime = match feedback::runtime() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&anyhow::Error::new(error).context("cannot start")),
    };
    let code = runtime.block_on(run(command));
    // Long enough to delete a temporary folder. A thread may still be waiting for standard input.
    runtime.shutdown_timeout(Duration::from_millis(500));
    code.unwrap_or_else(|error| fail(&error))
}

async fn run(command: Command) -> anyhow::Result<ExitCode> {
    ensure!(
        SystemTime::now() >= UNIX_EPOCH,
        "the clock of this machine is before 1970: set it"
    );
    match command {
        Command::Serve(options) => serve::run(*options).await,
        Command::Import(command) => import::run(command).await,
        Command::Export(command) => export::run(command).await,
        Command::Erase(options) => erase::run(options).await,
        Command::Check(options) => check::run(options).await,
        Command::Backup(options) => backup::run(options).await,
        Command::Stats(options) => stats::run(*options).await,
        Command::Mcp(options) => mcp::run(options).await,
        Command::Credentials(command) => credentials::run(command).await,
        Command::Tables(command) => create_tables::run(command).await,
        Command::Health(options) => health::run(options).await,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            generate(shell, &mut command_line(), "feedback", &mut script);
            feedback::print(&String::from_utf8(script)?)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn command_line() -> clap::Command {
    Cli::command().mut_subcommand("serve", serve::with_variables)
}

/// Takes away what may be a secret: the value of an option that has none (`--secret-stdin=SECRET`), and what follows one.
fn without_secret(mut message: clap::Error) -> clap::Error {
    let place = match (message.kind(), message.get(ContextKind::InvalidArg)) {
        (ErrorKind::TooManyValues, _) => ContextKind::InvalidValue,
        (ErrorKind::UnknownArgument, Some(ContextValue::String(word)))
            if !word.starts_with('-') && usage(&message).contains("credentials create") =>
        {
            ContextKind::InvalidArg
        }
        _ => return message,
    };
    message.insert(place, ContextValue::String("…".to_owned()));
    message
}

/// Adds the command that was meant to an error about one that is a file.
fn with_meant_command(mut message: clap::Error) -> clap::Error {
    let word = match message.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if word.contains(['.', '/']) => word.clone(),
        _ => return message,
    };
    let commands = if usage(&message).contains("feedback import") {
        ["import responses", "import users"]
    } else {
        ["stats", "serve"]
    };
    let meant = commands.map(|command| format!("{} {command} {word}", feedback::program()));
    let meant = ContextValue::StyledStrs(meant.map(StyledStr::from).into());
    message.insert(ContextKind::Suggested, meant);
    message
}

/// Returns how the command that an error is about is called.
fn usage(message: &clap::Error) -> String {
    match message.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    }
}

/// Prints the help that was asked for, or what is wrong with the arguments.
fn answer(message: &clap::Error) -> ExitCode {
    if message.use_stderr() {
        // All errors begin with the name of the program.
        let text = message.render().to_string();
        let _ = match text.strip_prefix("error:") {
            Some(error) => write!(io::stderr(), "feedback:{error}"),
            None => write!(io::stderr(), "{text}"),
        };
    } else if let Err(error) = message.print()
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        return fail(&anyhow::Error::new(error).context("cannot write the output"));
    }
    ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(2))
}

/// Prints the error on one line.
fn fail(error: &anyhow::Error) -> ExitCode {
    let _ = writeln!(io::stderr(), "feedback: {}", feedback::words(error));
    ExitCode::from(feedback::exit_code(error))
}
