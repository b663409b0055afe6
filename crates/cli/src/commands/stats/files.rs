//! Answers from files: they are imported into a temporary folder.

use std::fmt;
use std::path::PathBuf;

use anyhow::Context as _;
use intake::argument;
use model::{PrivateTraits, TraitName};

use crate::commands::reading::ResponseOptions;
use crate::commands::temporary::{LoadedFiles, project_of};
use crate::figures::{Statistics, StatisticsRequest, Trait};
use crate::text::printable;

/// A trait that was asked for, while a column of its name is not imported.
#[derive(Debug)]
pub(super) struct NotImported {
    name: String,
    /// The value of `--map` that imports it.
    mapping: String,
}

impl fmt::Display for NotImported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, mapping } = self;
        let words = format!("`{name}` is not imported; add --map {}", argument(mapping));
        f.write_str(&printable(&words))
    }
}

impl std::error::Error for NotImported {}

/// Imports the files, and completes the request: by their project, and by the period of their records.
///
/// # Errors
///
/// Fails with [`NotImported`] if the request is about a column that is not imported.
pub(super) async fn open(
    files: &[PathBuf],
    query: &mut StatisticsRequest,
    reading: &ResponseOptions,
    private_traits: PrivateTraits,
) -> anyhow::Result<Statistics> {
    let project = match query.project.take() {
        Some(project) => project,
        None => project_of(files)?,
    };
    let loaded = LoadedFiles::new(files, reading.rules(&project, query.timezone.as_ref())).await?;
    if !loaded.is_whole() {
        eprintln!("{}", loaded.counts());
    }
    query.project = Some(project);
    let (first, last) =
        (loaded.report.summary.period).context("the files have no record to count")?;
    query.fill_period(first, last);
    let statistics = Statistics::of_store(&loaded.store, private_traits);
    refuse_not_imported(&loaded, query, &statistics).await?;
    Ok(statistics)
}

async fn refuse_not_imported(
    loaded: &LoadedFiles,
    query: &StatisticsRequest,
    statistics: &Statistics,
) -> anyhow::Result<()> {
    for name in query.traits().map(TraitName::as_str) {
        let Some(mapping) = loaded.report.mapping_of_trait(name) else {
            continue;
        };
        // Another file may have it as a trait.
        let traits = Trait::list(statistics, &query.unfiltered()).await?;
        if !traits.elements.iter().any(|found| found.name == name) {
            let name = name.to_owned();
            return Err(NotImported { name, mapping }.into());
        }
    }
    Ok(())
}
