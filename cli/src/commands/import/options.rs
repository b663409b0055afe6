//! The command line of imports.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use records::{Mapping, parse_format};
use shared::model::{ProjectId, Zone};

use crate::commands::target::Target;

const EXAMPLES: &str = "\
Examples:
  feedback import users users.json --project acme
  feedback import responses responses-*.ndjson.gz --project acme --rejects rejected.ndjson
  feedback import responses survey.csv --project acme --map created=Date --map rating=\"Your score\" \\
    --date-format '%m/%d/%Y %H:%M:%S' --timezone America/New_York --dry-run
  feedback export responses --project acme --data ./data | feedback import responses - --project acme

Files are JSON ({\"responses\":[…]}, {\"users\":[…]}, an array, or an object on each line) or CSV with a
header, gzipped or not. Importing a file again changes nothing; after an interruption, it continues.
Exit codes: 0 all records imported, 1 failed, 2 some records rejected.";

/// The subcommands.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum Command {
    /// Import response records, and create or update their users
    #[command(after_help = EXAMPLES)]
    Responses {
        /// The options of the import
        #[command(flatten)]
        options: Options,
        /// Do not create or update users
        #[arg(long)]
        no_users: bool,
        /// Derive the id of a record that has none from these columns (or members, such as
        /// user.userId) instead of all
        #[arg(long, value_name = "COLUMN", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
        id_from: Vec<String>,
    },
    /// Import users
    #[command(after_help = EXAMPLES)]
    Users(Options),
}

/// The options of an import.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The files to import; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// The project that the records belong to
    #[arg(long)]
    pub(super) project: ProjectId,
    /// Read a field from the CSV column of this name; may be given several times
    #[arg(long, value_name = "FIELD=COLUMN")]
    pub(super) map: Vec<Mapping>,
    /// The strftime format of dates; timestamps of JSON may also be exact [default: ISO 8601]
    #[arg(long, value_parser = parse_format)]
    pub(super) date_format: Option<String>,
    /// The time zone of these dates, such as Europe/Prague [default: UTC]
    #[arg(long, requires = "date_format")]
    pub(super) timezone: Option<Zone>,
    /// Import every trait of CSV as a string, including numbers and booleans
    #[arg(long)]
    pub(super) string_traits: bool,
    /// Accept cells of CSV with lines that look like rows
    #[arg(long)]
    pub(super) multiline: bool,
    /// Read and check all records without writing them
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Write the rejected records to this new file, and those with another header or format to FILE-2, …
    #[arg(long, value_name = "FILE")]
    pub(super) rejects: Option<PathBuf>,
    #[command(flatten)]
    pub(super) target: Target,
}
