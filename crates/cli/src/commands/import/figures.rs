//! The figures of everything that is stored of a project, from the operation that serves them.

use admin::AdminStore;
use anyhow::Context;
use model::{PrivateTraits, ProjectId};

use crate::figures::{Figures, Statistics, parse};

/// Asks for the figures of the longest period.
pub(super) async fn of_project(store: &AdminStore, project: &ProjectId) -> anyhow::Result<Figures> {
    let parameters = [
        ("project", project.to_string()),
        ("startDate", "0001-01-01".to_owned()),
        ("endDate", "9999-12-31T23:59:59.999Z".to_owned()),
    ];
    let statistics = Statistics::of_store(store, PrivateTraits::default());
    let document = statistics.request(&parameters).await;
    let answer = parse(&document.context("the project's figures cannot be read")?)?;
    answer
        .elements
        .into_iter()
        .next()
        .context("the figures are absent")
}
