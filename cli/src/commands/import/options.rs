//! The command line of imports.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use intake::{Dates, ImportRules, Mapping, RecordKind, parse_format};
use shared::model::{ProjectId, Zone};

use crate::commands::target::Target;

const EXAMPLES: &str = "\
Examples:
  feedback import responses export.csv --project acme --data ./data
  feedback import users users.json --project acme --data ./data

Files are JSON ({\"responses\":[…]}, {\"users\":[…]}, pages {\"data\":[…],\"page\":{…}}, an array, or an \
object on each line) or CSV with a header, gzipped or not. Importing a file again changes nothing; after an \
interruption, it continues.

Exit codes: 0 all records imported, 1 failed, 2 some records rejected or missing.";

const RESPONSES_EXAMPLES: &str = "\
Examples:
  feedback import responses export.csv --project acme --data ./data
  feedback import responses *.ndjson.gz --project acme \\
    --rejects rejected.ndjson
  feedback import responses survey.csv --project acme --dry-run \\
    --map created=Date --map rating=\"Your score\" \\
    --date-format '%m/%d/%Y %H:%M:%S' --timezone America/New_York
  feedback import responses page-*.json --project acme --dry-run \\
    --map rating=answers.5f2a9c01d4b8e70012ab34c1 \\
    --campaign nps-2026 --keep campaign,method";

const USERS_EXAMPLES: &str = "\
Examples:
  feedback import users users.json --project acme --data ./data
  feedback import users users.csv --project acme --rejects rejected.csv";

/// The subcommands.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum Command {
    /// Import response records, and create or update their users
    #[command(after_help = RESPONSES_EXAMPLES)]
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
        /// Import the records of this campaign alone, and count the others as skipped
        #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
        campaign: Option<String>,
        /// Keep these members of JSON (campaign,method,location.country) as traits of the response
        /// (survey.campaign, …), to filter and group by
        #[arg(long, value_name = "PATH", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
        keep: Vec<String>,
    },
    /// Import users
    #[command(after_help = USERS_EXAMPLES)]
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
    /// Read a field from the CSV column of this name, or of JSON from the member at this path
    /// (rating=answers.<question id>); may be given several times
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

impl Command {
    /// Returns the options, and how they say that records are read.
    pub fn into_rules(self) -> (Options, ImportRules) {
        let (options, rules) = match self {
            Self::Responses {
                options,
                no_users,
                id_from,
                campaign,
                keep,
            } => {
                let project = options.project.clone();
                let rules = ImportRules {
                    no_users,
                    id_from,
                    campaign,
                    keep,
                    ..ImportRules::new(RecordKind::Responses, project)
                };
                (options, rules)
            }
            Self::Users(options) => {
                let rules = ImportRules::new(RecordKind::Users, options.project.clone());
                (options, rules)
            }
        };
        let zone = options.timezone.clone().unwrap_or_default();
        let dates = options.date_format.as_deref();
        let rules = ImportRules {
            map: options.map.clone(),
            dates: dates.map(|format| Dates::new(format, zone)),
            string_traits: options.string_traits,
            multiline: options.multiline,
            ..rules
        };
        (options, rules)
    }
}
