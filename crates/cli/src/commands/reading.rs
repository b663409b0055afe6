//! The options that say how files of records are read, for every command that reads some.

use clap::builder::NonEmptyStringValueParser;
use intake::{Dates, ImportRules, Mapping, RecordKind, parse_format};
use model::{ProjectId, Zone};

/// The heading of these options in the help.
const HEADING: &str = "How files are read";

/// How records of any kind are read.
#[derive(clap::Args, Debug, Clone, Default)]
#[command(next_help_heading = HEADING)]
#[group(requires = "read_files")]
pub struct ReadingOptions {
    /// Read a field from the CSV column of this name, or of JSON from the member at this path
    /// (rating=answers.<question id>); traits.NAME alone is short for traits.NAME=NAME; may be given
    /// several times
    #[arg(long, value_name = "FIELD=COLUMN")]
    map: Vec<Mapping>,
    /// The strftime format of dates; JSON may also have `2026-01-31T08:30:00.000Z` [default: ISO 8601]
    #[arg(long, value_parser = parse_format)]
    date_format: Option<String>,
    /// Import every trait of CSV as a string, including numbers and booleans
    #[arg(long)]
    string_traits: bool,
    /// Accept cells of CSV with lines that look like rows
    #[arg(long)]
    multiline: bool,
}

/// How responses are read.
#[derive(clap::Args, Debug, Clone, Default)]
#[command(next_help_heading = HEADING)]
pub struct ResponseOptions {
    #[command(flatten)]
    reading: ReadingOptions,
    /// Derive the id of a record that has none from these columns (or members, such as user.userId)
    /// instead of all
    #[arg(long, requires = "read_files", value_name = "COLUMN", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    id_from: Vec<String>,
    /// Import the records of this campaign alone, and count the others as skipped
    #[arg(long, requires = "read_files", value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    campaign: Option<String>,
    /// Keep these members of JSON (campaign,method,location.country) as traits of the response
    /// (survey.campaign, …), to filter and group by
    #[arg(long, requires = "read_files", value_name = "PATH", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    keep: Vec<String>,
}

impl ReadingOptions {
    /// Returns the rules by which records of a project are read; `zone` is that of dates in the format.
    pub(super) fn rules(
        &self,
        kind: RecordKind,
        project: &ProjectId,
        zone: Option<&Zone>,
    ) -> ImportRules {
        let zone = zone.cloned().unwrap_or_default();
        let dates = self.date_format.as_deref();
        ImportRules {
            map: self.map.clone(),
            dates: dates.map(|format| Dates::new(format, zone)),
            string_traits: self.string_traits,
            multiline: self.multiline,
            ..ImportRules::new(kind, project.clone())
        }
    }
}

impl ResponseOptions {
    /// Returns the rules by which responses of a project are read; `zone` is that of dates in the format.
    pub(super) fn rules(&self, project: &ProjectId, zone: Option<&Zone>) -> ImportRules {
        ImportRules {
            id_from: self.id_from.clone(),
            campaign: self.campaign.clone(),
            keep: self.keep.clone(),
            ..self.reading.rules(RecordKind::Responses, project, zone)
        }
    }
}
