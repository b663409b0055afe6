//! Answers from files: they are imported into a temporary folder.

use std::fmt;
use std::path::PathBuf;

use anyhow::Context as _;
use intake::argument;
use model::PrivateTraits;

use crate::commands::reading::ResponseOptions;
use crate::commands::temporary::LoadedFiles;
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
    let (project, zone) = (query.project.as_ref(), query.timezone.as_ref());
    let loaded = LoadedFiles::new(files, project, reading, zone).await?;
    if !loaded.is_whole() {
        eprintln!("{}", loaded.counts());
    }
    query.project = Some(loaded.project.clone());
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
    let columns = query.traits().filter_map(|name| {
        let name = name.as_str().to_owned();
        let mapping = loaded.report.mapping_of_trait(&name)?;
        Some(NotImported { name, mapping })
    });
    let columns: Vec<_> = columns.collect();
    if columns.is_empty() {
        return Ok(());
    }
    // Another file may have it as a trait.
    let traits = Trait::list(statistics, &query.unfiltered()).await?;
    let is_trait = |name: &str| traits.elements.iter().any(|found| found.name == name);
    let mut missing = columns.into_iter().filter(|column| !is_trait(&column.name));
    missing.next().map_or(Ok(()), |column| Err(column.into()))
}
