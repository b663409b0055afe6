//! The figures of everything that is stored of a project, from the operation that serves them.

use admin::AdminStore;
use anyhow::Context;
use axum::http::Request;
use form_urlencoded::Serializer;
use shared::App;
use shared::http::Call;
use shared::model::{ProjectId, Timestamp};

use crate::figures::{Figures, parse};

/// Asks for the figures of the longest period.
pub(super) async fn of_project(store: &AdminStore, project: &ProjectId) -> anyhow::Result<Figures> {
    let query = Serializer::new(String::new())
        .append_pair("project", project.as_str())
        .append_pair("startDate", "0001-01-01")
        .append_pair("endDate", "9999-12-31T23:59:59.999Z")
        .finish();
    let request = Request::get(format!("{}?{query}", response_statistics::PATH)).body(())?;
    let call = Call::from_http(request.into_parts().0, Timestamp::now());
    let answer = response_statistics::ask_unauthenticated(&call, &App::new(store.reader())).await;
    let document = answer.context("the project's figures cannot be read")?;
    let mut elements = parse(&String::from_utf8(document)?)?;
    elements.pop().context("the figures are absent")
}
