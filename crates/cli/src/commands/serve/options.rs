//! The options of `feedback serve`.

use std::path::PathBuf;

use model::{PrivateTraits, ProjectId, Zone};

use crate::commands::reading::ResponseOptions;

/// The options of the command.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// The address of the API; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:3000")]
    pub listen: String,

    /// The address of the DynamoDB-compatible store, which may be given several times, such as for
    /// containers; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8000")]
    pub dynamodb_listen: Vec<String>,

    /// Keep the data in this folder, which is created if necessary; by default, serve sample
    /// data from a temporary folder
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// With --data: also write the sample data into the folder, with credentials that everyone knows
    #[arg(long)]
    pub demo: bool,

    /// The traits that name people, by which statistics are not grouped; an empty list is none
    /// [default: email,name,firstName,lastName,fullName,username,phone]
    #[arg(long, value_name = "NAMES")]
    pub private_traits: Option<PrivateTraits>,

    /// The files to serve instead
    #[command(flatten)]
    pub files: FileOptions,
}

impl Options {
    pub(super) fn has_demo(&self) -> bool {
        self.demo || self.data.is_none()
    }
}

/// The files to serve, and how they are read.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct FileOptions {
    /// Serve the figures of these files of responses, from a temporary folder and without a DynamoDB address;
    /// - is standard input
    #[arg(value_name = "FILE", group = "read_files", conflicts_with_all = ["data", "demo", "dynamodb_listen"])]
    pub(super) files: Vec<PathBuf>,
    /// The project of the files [default: the name of the first]
    #[arg(long, requires = "read_files")]
    pub(super) project: Option<ProjectId>,
    /// The time zone of the dates of --date-format and of the page's calendar, such as Europe/Prague
    /// [default: UTC for dates, the reader's for the page]
    #[arg(long, value_name = "ZONE", requires = "read_files")]
    pub(super) timezone: Option<Zone>,
    #[command(flatten)]
    pub(super) reading: ResponseOptions,
}
