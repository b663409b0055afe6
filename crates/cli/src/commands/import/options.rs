//! The command line of imports.

use std::path::PathBuf;

use intake::{ImportRules, RecordKind};
use model::{ProjectId, Zone};

use crate::commands::reading::{ReadingOptions, ResponseOptions};
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
        /// How the files are read
        #[command(flatten)]
        reading: ResponseOptions,
    },
    /// Import users
    #[command(after_help = USERS_EXAMPLES)]
    Users {
        /// The options of the import
        #[command(flatten)]
        options: Options,
        /// How the files are read
        #[command(flatten)]
        reading: ReadingOptions,
    },
}

/// The options of an import.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The files to import; - is standard input
    #[arg(required = true, value_name = "FILE", group = "read_files")]
    pub(super) files: Vec<PathBuf>,
    /// The project that the records belong to
    #[arg(long)]
    pub(super) project: ProjectId,
    /// The time zone of the dates of --date-format, such as Europe/Prague [default: UTC]
    #[arg(long, value_name = "ZONE", requires = "date_format")]
    pub(super) timezone: Option<Zone>,
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
    /// Returns the options of the import.
    pub(super) fn options(&self) -> &Options {
        let (Self::Responses { options, .. } | Self::Users { options, .. }) = self;
        options
    }

    /// Returns how records are read.
    pub fn rules(&self) -> ImportRules {
        let Options {
            project, timezone, ..
        } = self.options();
        match self {
            Self::Responses {
                reading, no_users, ..
            } => ImportRules {
                no_users: *no_users,
                ..reading.rules(project, timezone.as_ref())
            },
            Self::Users { reading, .. } => {
                reading.rules(RecordKind::Users, project, timezone.as_ref())
            }
        }
    }
}
