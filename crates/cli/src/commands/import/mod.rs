//! `feedback import`: imports records that another service exported.

mod figures;
mod options;
mod summary;

use std::process::ExitCode;
use std::sync::Arc;

use admin::AdminStore;
use intake::{RecordKind, check};

use crate::commands::target::Access;
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
                Some(figures::of_project(store, &options.project).await)
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
