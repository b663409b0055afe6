//! The three kinds of list: one user, a page with a link to the next, or all users as a stream.

use std::time::Duration;

use async_stream::try_stream;
use http::HeaderValue;
use http::header::LINK;
use model::items::UserItem;
use model::{ProjectId, UserId};
use service::error::Error;
use service::response::{BUFFERED_LIMIT, Response, buffered_len, streamed, whole};
use service::{Call, Deadline};
use store::{PATIENCE, Store, UserPages, pause};
use tokio::time::{Instant, sleep_until};

use crate::query::Cursor;
use crate::user_list::UserList;

/// How long a list that has begun waits for its next page while the store throttles.
const LATER_PATIENCE: Duration = Duration::from_mins(1);

/// Lists the user with this `userId`, or none.
pub(crate) async fn one(
    call: &Call,
    store: &Store,
    project: &ProjectId,
    user_id: &UserId,
) -> Result<Response, Error> {
    let mut pages = store.user(project, user_id, call.usage.clone());
    let mut list = UserList::with_room(project.clone(), 1);
    let patience = Instant::now() + PATIENCE;
    while next(call.deadline, patience, &mut pages, &mut list).await? {}
    Ok(whole(list.close()))
}

/// Lists all users of the project. Reads the first page before the response begins, so that a failure
/// until then has a status. After that, two pages at most are in memory, however many users there
/// are.
pub(crate) async fn all(call: &Call, store: &Store, project: ProjectId) -> Result<Response, Error> {
    let mut pages = store.users(&project, None, None, call.usage.clone());
    let mut list = UserList::with_room(project, usize::MAX);
    let deadline = call.deadline;
    next(deadline, Instant::now() + PATIENCE, &mut pages, &mut list).await?;
    Ok(streamed(try_stream! {
        yield list.take_json().into();
        while next(deadline, Instant::now() + LATER_PATIENCE, &mut pages, &mut list).await? {
            yield list.take_json().into();
        }
        yield list.close().into();
    }))
}

/// Lists up to `limit` users after `after`, with a link to the next page while users remain. The link
/// precedes the page, so the whole page is in memory before it is sent, and its size is limited like
/// that of every buffered response.
pub(crate) async fn page(
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
    while !list.is_cut && next(call.deadline, patience, &mut pages, &mut list).await? {
        if buffered_len(&list.json) > BUFFERED_LIMIT {
            return Err(Error::list_too_large());
        }
    }
    let cursor = list.last_before_cut().map(|last| Cursor {
        project: project.clone(),
        last,
    });
    let mut response = whole(list.close());
    if let Some(cursor) = cursor {
        let link = format!(r#"<{}>; rel="next""#, call.with_cursor(&cursor.to_string()));
        let link = HeaderValue::try_from(link).map_err(|_| Error::internal())?;
        response.headers_mut().insert(LINK, link);
    }
    Ok(response)
}

/// Adds the users of the next page to the list; if the store throttles, not beyond `patience`. Returns
/// `false` after the last page.
async fn next(
    deadline: Deadline,
    patience: Instant,
    pages: &mut UserPages,
    list: &mut UserList,
) -> Result<bool, Error> {
    let (mut throttling, mut times) = (None, 0);
    loop {
        let mut push = |user: UserItem<'_>| list.push(user);
        let read = deadline.limit(pages.next(&mut push)).await;
        let error = match (read, throttling) {
            (Err(_late), Some(throttling)) => return Err(Error::from(throttling)),
            (Ok(Err(error)), _) if error.is_throttled() => error,
            (read, _) => return Ok(read??),
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
