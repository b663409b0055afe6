//! `GET /api/users`: all users of a project, a page of them, or one (contract, section 3).

mod listing;
mod query;

use lambda_http::Request;
use shared::App;
use shared::error::Error;
use shared::http::{Answer, Call, answer, gzipped};
use shared::model::Timestamp;

use query::{Query, Selection};

/// The path of the operation.
pub const PATH: &str = "/api/users";

/// Answers one request that arrived at `now`, whatever becomes of it.
pub async fn handle(request: Request, app: &App, now: Timestamp) -> Answer {
    let call = Call::new(&request, now);
    answer(&call, "users", list(&call, app)).await
}

async fn list(call: &Call, app: &App) -> Result<Answer, Error> {
    call.route(PATH)?;
    let account = app
        .authenticator
        .account(&call.headers, call.now, &call.usage)
        .await?;
    let query = Query::parse(call.parameters())?;
    call.asks_for(&query.project);
    account.authorise(&query.project)?;
    match query.selection {
        Selection::One(user_id) => {
            let pages = app.store.user(&query.project, &user_id, call.usage.clone());
            listing::one(pages).await
        }
        Selection::Page { limit, after } => {
            listing::page(call, &app.store, &query.project, limit, after).await
        }
        Selection::All => {
            let list = listing::all(call, &app.store, &query.project).await?;
            Ok(gzipped(list, &call.headers))
        }
    }
}
