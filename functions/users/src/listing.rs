//! Users as the answer's document: one, a page with a link to the next, or all of them as a stream.

use async_stream::try_stream;
use http::HeaderValue;
use http::header::LINK;
use shared::error::Error;
use shared::http::{Answer, BUFFERED_LIMIT, Call, buffered_len, streamed, whole};
use shared::model::{ProjectId, UserId};
use shared::store::{Store, UserList, UserPages};

use crate::query::{Cursor, Limit};

const OPENING: &[u8] = br#"{"users":["#;
const CLOSING: &[u8] = b"]}";

/// The one user that these pages hold, or none.
pub(crate) async fn one(mut pages: UserPages) -> Result<Answer, Error> {
    let mut list = UserList::with_room(1);
    while pages.next(&mut list).await? {}
    Ok(whole([OPENING, list.json(), CLOSING].concat()))
}

/// All users of the project. The first page is read before the answer begins, so that what can fail
/// fails with a status; after it one page at a time is in memory, however many there are.
pub(crate) async fn all(call: &Call, store: &Store, project: &ProjectId) -> Result<Answer, Error> {
    let mut pages = store.users(project, None, None, call.usage.clone());
    let mut list = UserList::with_room(usize::MAX);
    pages.next(&mut list).await?;
    Ok(streamed(try_stream! {
        yield [OPENING, &list.take_json()].concat().into();
        while pages.next(&mut list).await? {
            yield list.take_json().into();
        }
        yield CLOSING.into();
    }))
}

/// Up to `limit` users after `after`, and a link while more remain. The link stands before the
/// page, so the page is whole in memory before it is sent; its size is bounded as that of every
/// answer in one piece.
pub(crate) async fn page(
    call: &Call,
    store: &Store,
    project: &ProjectId,
    limit: Limit,
    after: Option<UserId>,
) -> Result<Answer, Error> {
    // One more than asked for tells whether the next page would have anything on it.
    let page_size = i32::from(limit.0) + 1;
    let mut pages = store.users(project, after.as_ref(), Some(page_size), call.usage.clone());
    let mut list = UserList::with_room(usize::from(limit.0));
    while list.last_before_more().is_none() && pages.next(&mut list).await? {
        if buffered_len(list.json()) > BUFFERED_LIMIT {
            return Err(Error::ResponseTooLarge);
        }
    }
    let answer = whole([OPENING, list.json(), CLOSING].concat());
    match list.last_before_more() {
        Some(user_id) => {
            let cursor = Cursor {
                project: project.clone(),
                last: user_id.clone(),
            };
            with_link(answer, call, &cursor)
        }
        None => Ok(answer),
    }
}

fn with_link(mut answer: Answer, call: &Call, cursor: &Cursor) -> Result<Answer, Error> {
    let link = format!(r#"<{}>; rel="next""#, call.with_cursor(&cursor.to_string()));
    answer.headers_mut().insert(
        LINK,
        HeaderValue::try_from(link).map_err(|_| Error::Internal)?,
    );
    Ok(answer)
}
