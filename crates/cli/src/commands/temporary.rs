//! Files of responses in a temporary folder, for the commands that show or serve their figures.

use std::path::PathBuf;
use std::sync::Arc;

use admin::AdminStore;
use anyhow::ensure;
use folder::{DataFolder, FolderStore};
use indicatif::HumanCount;
use intake::{ImportRules, Report, check};
use model::{ProjectId, Zone};

use super::reading::ResponseOptions;
use super::target::open_store;
use crate::import::Import;
use crate::text::counted;
use service::config::tables_from_env;

/// The responses of files. The folder is deleted with the last clone of its store.
pub(super) struct LoadedFiles {
    pub(super) store: AdminStore,
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
        let project = project.map_or_else(|| project_of(files), |given| Ok(given.clone()))?;
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
        let (accepted, rejected) = (counted(self.accepted, "record"), HumanCount(self.rejected));
        format!("{accepted} read, {rejected} rejected{skipped}")
    }
}

/// Returns the first file's name without its extensions, made a valid project.
fn project_of(files: &[PathBuf]) -> anyhow::Result<ProjectId> {
    let name = files.first().and_then(|file| file.file_name());
    let name = name.unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    let valid = stem.chars().map(|c| match c {
        'A'..='Z' | 'a'..='z' | '0'..='9' | '_' => c,
        _ => '-',
    });
    let valid: String = valid.take(64).collect();
    let valid = valid.trim_matches('-');
    let valid = if valid.is_empty() { "responses" } else { valid };
    Ok(valid.parse()?)
}
