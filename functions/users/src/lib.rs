//! `GET /api/users`: all users of a project, a page of them, or one (contract, section 3).

mod listing;
mod query;
mod user_list;

use service::App;
use service::Call;
use service::auth::authorize;
use service::error::Error;
use service::response::{Response, gzipped, respond};

use query::{Selection, UsersQuery};

/// The path of the operation.
pub const PATH: &str = "/api/users";

/// Responds to one request. An error is a response, too.
pub async fn handle(call: Call, app: &App) -> Response {
    respond(&call, "users", list(&call, app)).await
}

async fn list(call: &Call, app: &App) -> Result<Response, Error> {
    call.route(PATH)?;
    let credential = app.authenticator.users_credential(call).await?;
    let query = UsersQuery::parse(call.parameters())?;
    call.record_project(&query.project);
    authorize(&credential, &query.project)?;
    call.take_room().await;
    match query.selection {
        Selection::One(user_id) => listing::one(call, &app.store, &query.project, &user_id).await,
        Selection::Page { limit, after } => {
            listing::page(call, &app.store, &query.project, limit, after).await
        }
        Selection::All => {
            let list = listing::all(call, &app.store, query.project).await?;
            Ok(gzipped(list, &call.headers))
        }
    }
}
