//! Files of records: the options that say how they are read, and their responses in a temporary folder, for the
//! commands that show or serve figures of files.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{anyhow, ensure};
use clap::builder::NonEmptyStringValueParser;
use folder::{DataFolder, FolderStore};
use indicatif::HumanCount;
use intake::{
    DateForm, Dates, FileEncoding, IdComparison, ImportRules, Mapping, Null, RecordKind, Report,
    Selection, StringTraits, Undecided, argument, check,
};
use model::{ProjectId, Zone};
use tables::Tables;

use super::command_store::open_store;
use crate::figures::date;
use crate::import::Import;
use crate::text::{counted, printable, program, words};

/// The heading of these options in the help.
const HEADING: &str = "How files are read";

/// How records of any kind are read.
#[derive(clap::Args, Debug, Clone, Default)]
#[command(next_help_heading = HEADING)]
#[group(requires = "read_files")]
pub struct ReadingOptions {
    /// Read a field from the CSV column of this name (created=Date+Time joins two), or of JSON from the member
    /// at this path (rating=answers.<question id>); traits.NAME alone is short for traits.NAME=NAME; may be
    /// given several times
    #[arg(long, value_name = "FIELD=COLUMN")]
    map: Vec<Mapping>,
    /// How dates are written: a strftime format, unix, unix-ms, or excel for the days of a spreadsheet; may be
    /// given several times [default: ISO 8601]
    #[arg(long, value_name = "FORMAT")]
    date_format: Vec<DateForm>,
    /// Read this text as an absent value, in all fields or in one (rating=99); may be given several times
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    null: Vec<Null>,
    /// Import these traits of CSV as strings, also where they are numbers or booleans; without names, all
    #[arg(long, value_name = "NAME", num_args = 0.., require_equals = true, value_delimiter = ',')]
    string_traits: Option<Vec<String>>,
    /// The encoding of the files, such as windows-1252 [default: that of the byte order mark, or UTF-8]
    #[arg(long)]
    encoding: Option<FileEncoding>,
    /// What separates the cells of CSV: a character, or tab [default: the one that fits]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// The number of lines before the header of CSV
    #[arg(long, value_name = "N")]
    skip_lines: Option<u64>,
    /// The sheet of a spreadsheet [default: the only one with ratings and dates]; may be repeated, and '*' is each
    #[arg(long, value_name = "NAME")]
    sheet: Vec<String>,
    /// The date of all records, if the files have no dates
    #[arg(long, value_name = "DATE", value_parser = date)]
    created: Option<String>,
}

fn delimiter(text: &str) -> Result<u8, &'static str> {
    match text.as_bytes() {
        _ if text == "tab" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => Ok(*byte),
        _ => Err("must be one character, such as ';', or tab"),
    }
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
    /// Read only the records that have this text in this column (or member, such as campaign=nps-2026), and
    /// count the others as skipped; may be given several times
    #[arg(long = "where", requires = "read_files", value_name = "COLUMN=TEXT")]
    selection: Vec<Selection>,
    /// Keep these members of JSON (campaign,method,location.country) as traits of the response
    /// (survey.campaign, …), to filter and group by
    #[arg(long, requires = "read_files", value_name = "PATH", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    keep: Vec<String>,
}

impl ReadingOptions {
    /// Returns the rules by which records of a project are read; `zone` is that of dates without an offset.
    pub(super) fn rules(
        &self,
        kind: RecordKind,
        project: &ProjectId,
        zone: Option<&Zone>,
    ) -> ImportRules {
        let zone = zone.cloned().unwrap_or_default();
        let created = self.created.as_deref();
        ImportRules {
            map: self.map.clone(),
            created: created.and_then(|text| zone.parse_timestamp(text).ok()),
            dates: Dates {
                forms: self.date_format.clone(),
                zone,
            },
            nulls: self.null.clone(),
            string_traits: match self.string_traits.as_deref() {
                None => StringTraits::None,
                Some([]) => StringTraits::All,
                Some(names) => StringTraits::Named(names.to_owned()),
            },
            encoding: self.encoding,
            delimiter: self.delimiter,
            skip_lines: self.skip_lines,
            sheets: self.sheet.clone(),
            now: Some(service::now().into()),
            ..ImportRules::new(kind, project.clone())
        }
    }
}

impl ResponseOptions {
    /// Returns the rules by which responses of a project are read; `zone` is that of dates without an offset.
    pub(super) fn rules(&self, project: &ProjectId, zone: Option<&Zone>) -> ImportRules {
        ImportRules {
            id_from: self.id_from.clone(),
            selection: self.selection.clone(),
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
    /// user beside traits is not kept, because nothing here lists users. With `guesses`, what the options leave
    /// open is decided by what the files look like, and said; a column of the name of a wanted trait is that trait.
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
        guesses: bool,
        wanted_traits: Vec<String>,
    ) -> anyhow::Result<Self> {
        let project = match project {
            Some(given) => given.clone(),
            None => project_of(files)?,
        };
        let rules = ImportRules {
            no_users: true,
            guesses,
            wanted_traits,
            ..reading.rules(&project, zone)
        };
        rules.check()?;
        check(files, &rules)?;
        let folder = Arc::new(DataFolder::temporary()?);
        let store = open_store(FolderStore::open(folder)?).await?;
        let temporary = std::env::temp_dir();
        let full = |error: anyhow::Error| {
            let (place, cause) = (temporary.display(), error.root_cause());
            anyhow!("cannot keep the records in a folder of {place} (TMPDIR): {cause}")
        };
        let import = Import {
            files: files.to_vec(),
            rules,
            rejects: None,
            comparison: IdComparison::Displays,
            temporary: temporary.clone(),
        };
        let imported = import.run(Some(&store)).await.map_err(full)?;
        imported.read?;
        ensure!(
            imported.accepted > 0 || imported.rejected == 0,
            "no record can be used: {} rejected",
            HumanCount(imported.rejected)
        );
        Ok(Self {
            store,
            project,
            accepted: imported.accepted,
            rejected: imported.rejected,
            report: imported.report,
        })
    }

    /// Returns whether no record of the files was left out.
    pub(super) fn is_whole(&self) -> bool {
        self.rejected == 0 && self.report.skipped == 0 && self.report.repeated == 0
    }

    /// Returns how many rows or records could be used of all, if some could not.
    pub(super) fn share(&self) -> Option<String> {
        let all = self.accepted + self.rejected;
        let [accepted, all] = [self.accepted, all].map(HumanCount);
        (self.rejected > 0).then(|| format!("{accepted} of {all} rows"))
    }

    /// Returns how many records came in, and how many did not.
    pub(super) fn counts(&self) -> String {
        let some = |count, what: &str| match count {
            0 => String::new(),
            _ => format!(", {} {what}", HumanCount(count)),
        };
        format!(
            "{} read, {} rejected{}{}",
            counted(self.accepted, "record"),
            HumanCount(self.rejected),
            some(self.report.skipped, "skipped"),
            some(self.report.repeated, "repeated (counted once)"),
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

/// Ends a command on these files that failed. If one leaves open what it means, prints the commands that would decide
/// it: on that file alone, because another may mean something else.
pub(super) fn refused(error: anyhow::Error, files: &[PathBuf]) -> anyhow::Result<ExitCode> {
    let Some(undecided) = error.downcast_ref::<Undecided>() else {
        return Err(error);
    };
    eprintln!("feedback: {}", words(&error));
    let options = undecided.options();
    let of = if options.len() == 1 {
        "this"
    } else {
        "one of these"
    };
    let lack = if undecided.is_known() {
        ""
    } else {
        ", with what you know in the place of … or DATE"
    };
    eprintln!("{of} says what it means{lack}:");
    let file = error.to_string();
    let is_other = |word: &OsString| files.iter().any(|other| *other == **word) && **word != *file;
    let arguments = std::env::args_os().skip(1).filter(|word| !is_other(word));
    let arguments = arguments.map(|word| argument(&word.to_string_lossy()));
    let command = arguments.collect::<Vec<_>>().join(" ");
    for options in options {
        let line = format!("{} {command} {options}", program());
        eprintln!("  {}", printable(&line));
    }
    Ok(ExitCode::FAILURE)
}
