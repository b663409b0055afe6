//! Files of records: the options that say how they are read, and their responses in a temporary folder, for the
//! commands that show or serve figures of files.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::ensure;
use clap::builder::NonEmptyStringValueParser;
use folder::{DataFolder, FolderStore};
use indicatif::HumanCount;
use intake::{Dates, ImportRules, Mapping, RecordKind, Report, check, parse_format};
use model::{ProjectId, Zone};
use service::config::tables_from_env;
use tables::Tables;

use super::command_store::open_store;
use crate::import::Import;
use crate::text::counted;

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
        let dates = |format| Dates::new(format, zone.cloned().unwrap_or_default());
        ImportRules {
            map: self.map.clone(),
            dates: self.date_format.as_deref().map(dates),
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

/// The responses of files. The folder is deleted with the last clone of its store.
pub(super) struct LoadedFiles {
    pub(super) store: Tables,
    pub(super) project: ProjectId,
    pub(super) report: Report,
    accepted: u64,
    rejected: u64,
}

impl LoadedFiles {
    /// Imports the files into this project, or one that is named after the first. What a response says of its
    /// user beside traits is not kept, because nothing here lists users.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read to its end, or no record can be used: figures of a part would be
    /// plausible and wrong.
    pub(super) async fn new(
        files: &[PathBuf],
        project: Option<&ProjectId>,
        reading: &ResponseOptions,
        zone: Option<&Zone>,
    ) -> anyhow::Result<Self> {
        let project = match project {
            Some(given) => given.clone(),
            None => project_of(files)?,
        };
        let rules = reading.rules(&project, zone);
        rules.check()?;
        check(files)?;
        let folder = Arc::new(DataFolder::temporary()?);
        let store = open_store(FolderStore::open(folder, tables_from_env())?).await?;
        let import = Import {
            files: files.to_vec(),
            rules: Arc::new(ImportRules {
                no_users: true,
                ..rules
            }),
            rejects: None,
            temporary: std::env::temp_dir(),
        };
        let imported = import.run(Some(&store)).await?;
        imported.read?;
        ensure!(
            imported.accepted > 0 || imported.rejected == 0,
            "no record can be used: {} rejected",
            HumanCount(imported.rejected)
        );
        Ok(Self {
            store,
            project,
            report: imported.report,
            accepted: imported.accepted,
            rejected: imported.rejected,
        })
    }

    /// Returns whether every record of the files is in the folder.
    pub(super) fn is_whole(&self) -> bool {
        self.rejected == 0 && self.report.skipped == 0
    }

    /// Returns how many records came in, and how many did not.
    pub(super) fn counts(&self) -> String {
        let skipped = match self.report.skipped {
            0 => String::new(),
            skipped => format!(", {} of other campaigns skipped", HumanCount(skipped)),
        };
        let accepted = counted(self.accepted, "record");
        format!(
            "{accepted} read, {} rejected{skipped}",
            HumanCount(self.rejected)
        )
    }
}

/// Returns the first file's name without its extensions, made a valid project.
fn project_of(files: &[PathBuf]) -> anyhow::Result<ProjectId> {
    let name = files.first().and_then(|file| file.file_name());
    let text = name.unwrap_or_default().to_string_lossy();
    let stem = text.split('.').next().unwrap_or_default();
    let valid = |c| match c {
        'A'..='Z' | 'a'..='z' | '0'..='9' | '_' => c,
        _ => '-',
    };
    let id: String = stem.chars().map(valid).take(64).collect();
    match id.trim_matches('-') {
        "" => Ok("responses".parse()?),
        id => Ok(id.parse()?),
    }
}
