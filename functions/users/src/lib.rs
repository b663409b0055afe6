//! `GET /api/users`: all users of a project as a stream, a page of them with a link to the next, or one (contract,
//! section 3).

mod query;
mod user_list;

use std::time::Duration;

use async_stream::try_stream;
use auth::Permission;
use http::HeaderValue;
use http::header::LINK;
use items::UserItem;
use model::{ProjectId, UserId};
use service::authentication::{authenticate, authorize};
use service::error::Error;
use service::response::{
    BUFFERED_LIMIT, Response, buffered_len, gzipped, respond, streamed, whole,
};
use service::{App, Call, Deadline};
use store::{PATIENCE, Store, UserPages, pause};
use tokio::time::{Instant, sleep_until};

use query::{Cursor, ListedUsers, UsersQuery};
use user_list::UserList;

/// The path of the operation.
pub const PATH: &str = "/api/users";

/// Responds to one request. An error is a response, too.
pub async fn handle(call: Call, app: &App) -> Response {
    respond(&call, "users", list(&call, app)).await
}

async fn list(call: &Call, app: &App) -> Result<Response, Error> {
    call.route(PATH)?;
    let credential = authenticate(call, Permission::Users, &app.store).await?;
    let query = UsersQuery::parse(call.parameters())?;
    call.record_project(&query.project);
    authorize(&credential, &query.project)?;
    call.take_room(0).await?;
    match query.selection {
        ListedUsers::One(user_id) => one_user(call, &app.store, &query.project, &user_id).await,
        ListedUsers::Page { limit, after } => {
            page_of_users(call, &app.store, &query.project, limit, after).await
        }
        ListedUsers::All => {
            let list = all_users(call, &app.store, query.project).await?;
            Ok(gzipped(list, &call.headers))
        }
    }
}

/// How long a list that has begun waits for its next page while the store throttles.
const LATER_PATIENCE: Duration = Duration::from_mins(1);

/// Lists the user with this `userId`, or none.
async fn one_user(
    call: &Call,
    store: &Store,
    project: &ProjectId,
    user_id: &UserId,
) -> Result<Response, Error> {
    let mut pages = store.user(project, user_id, call.usage.clone());
    let mut list = UserList::with_room(project.clone(), 1);
    let patience = Instant::now() + PATIENCE;
    while read_next(call.deadline, patience, &mut pages, &mut list).await? {}
    Ok(whole(list.close()))
}

/// Lists all users of the project. Reads the first page before the response begins, so that a failure
/// until then has a status. After that, two pages at most are in memory, however many users there
/// are.
async fn all_users(call: &Call, store: &Store, project: ProjectId) -> Result<Response, Error> {
    let mut pages = store.users(&project, None, None, call.usage.clone());
    let mut list = UserList::with_room(project, usize::MAX);
    let deadline = call.deadline;
    read_next(deadline, Instant::now() + PATIENCE, &mut pages, &mut list).await?;
    Ok(streamed(try_stream! {
        yield list.take_json().into();
        while read_next(deadline, Instant::now() + LATER_PATIENCE, &mut pages, &mut list).await? {
            yield list.take_json().into();
        }
        yield list.close().into();
    }))
}

/// Lists up to `limit` users after `after`, with a link to the next page while users remain. The link
/// precedes the page, so the whole page is in memory before it is sent, and its size is limited like
/// that of every buffered response.
async fn page_of_users(
    call: &Call,
    store: &Store,
    project: &ProjectId,
    limit: u16,
    after: Option<UserId>,
) -> Result<Response, Error> {
    // One user more than requested shows whether there is a next page.
    let page_size = u32::from(limit) + 1;
    let mut pages = store.users(project, after.as_ref(), Some(page_size), call.usage.clone());
    let mut list = UserList::with_room(project.clone(), usize::from(limit));
    let patience = Instant::now() + PATIENCE;
    while !list.is_cut && read_next(call.deadline, patience, &mut pages, &mut list).await? {
        if buffered_len(list.json.as_bytes()) > BUFFERED_LIMIT {
            return Err(Error::list_too_large());
        }
    }
    let cursor = list.last_before_cut().map(|last| Cursor {
        project: project.clone(),
        last,
    });
    let mut response = whole(list.close());
    if let Some(cursor) = cursor {
        let target = call.with_cursor(&cursor.to_string());
        let link = HeaderValue::try_from(format!(r#"<{target}>; rel="next""#));
        let headers = response.headers_mut();
        headers.insert(LINK, link.map_err(|_| Error::internal())?);
    }
    Ok(response)
}

/// Adds the users of the next page to the list; if the store throttles, not beyond `patience`. Returns
/// `false` after the last page.
async fn read_next(
    deadline: Deadline,
    patience: Instant,
    pages: &mut UserPages,
    list: &mut UserList,
) -> Result<bool, Error> {
    let mut throttling = None;
    let mut times = 0;
    loop {
        let mut push = |user: UserItem<'_>| list.push(user);
        let error = match deadline.limit(pages.next(&mut push)).await {
            Err(late) => return Err(throttling.map_or(late, Error::from)),
            Ok(Err(error)) if error.is_throttled() => error,
            Ok(read) => return Ok(read?),
        };
        times += 1;
        let resumes = Instant::now() + pause(times);
        if resumes > patience || deadline.end().is_some_and(|end| resumes > end) {
            return Err(error.into());
        }
        throttling = Some(error);
        sleep_until(resumes).await;
    }
}
