//! `feedback import`: imports records that another service exported.

mod options;
mod summary;

use std::process::ExitCode;
use std::sync::Arc;

use admin::AdminStore;
use anyhow::Context as _;
use intake::{RecordKind, check};
use model::{PrivateTraits, ProjectId};

use crate::commands::target::Access;
use crate::figures::{Figures, Statistics, StatisticsRequest, whole};
use crate::import::Import;
use crate::text::print;

pub use options::Command;

/// Runs the command. The exit code is 2 if records were rejected, or something is known to be missing.
pub async fn run(command: Command) -> anyhow::Result<ExitCode> {
    let (options, rules) = (command.options(), command.rules());
    rules.check()?;
    check(&options.files)?;
    let import = Import {
        files: options.files.clone(),
        rules: Arc::new(rules),
        rejects: options.rejects.clone(),
        temporary: options.target.folder_of_temporary_files(),
    };
    let import_into = async |store: Option<&AdminStore>| {
        // A new data folder exists by now.
        let rejects = options.rejects.as_deref();
        rejects.map_or(Ok(()), |path| options.target.refuse_inside(path))?;
        let finished = import.run(store).await?;
        let has_figures = import.rules.kind == RecordKind::Responses && finished.is_any();
        let figures = match store {
            // On AWS, figures cost money, so they are not requested unasked.
            Some(store) if has_figures && options.target.folder().is_some() => {
                Some(figures(store, &options.project).await)
            }
            _ => None,
        };
        anyhow::Ok((finished, figures))
    };
    let (finished, figures) = if options.dry_run {
        import_into(None).await?
    } else {
        let write = async |store: &AdminStore| import_into(Some(store)).await;
        options.target.open(Access::Create, write).await?
    };
    let summary = summary::of_import(&command, &import.rules, &finished, figures.as_ref());
    let printed = print(&summary);
    finished.read?;
    figures.transpose()?;
    printed?;
    Ok(if finished.rejected == 0 && finished.report.is_complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    })
}

/// Asks for the figures of everything that is stored of a project.
async fn figures(store: &AdminStore, project: &ProjectId) -> anyhow::Result<Figures> {
    let longest = StatisticsRequest {
        project: Some(project.clone()),
        start: Some("0001-01-01".to_owned()),
        end: Some("9999-12-31T23:59:59.999Z".to_owned()),
        ..StatisticsRequest::default()
    };
    let statistics = Statistics::of_store(store, PrivateTraits::default());
    let (figures, ..) = whole(&statistics, &longest)
        .await
        .context("the project's figures cannot be read")?;
    Ok(figures)
}
