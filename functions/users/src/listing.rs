//! Many users: all of them as a stream, or a page with a link to the next.

use async_stream::try_stream;
use http::HeaderValue;
use http::header::LINK;
use shared::error::Error;
use shared::http::{Answer, BUFFERED_LIMIT, Call, buffered_len, streamed, whole};
use shared::model::{ProjectId, User, UserId};
use shared::store::Store;

use crate::query::{Cursor, Limit};

const OPENING: &[u8] = br#"{"users":["#;
const CLOSING: &[u8] = b"]}";

/// All users of the project. The first page is read before the answer begins, so that what can fail
/// fails with a status; after it one page at a time is in memory, however many there are.
pub(crate) async fn all(call: &Call, store: &Store, project: &ProjectId) -> Result<Answer, Error> {
    let mut pages = store.users(project, None, None, call.usage.clone());
    let first = pages.next().await?.unwrap_or_default();
    Ok(streamed(try_stream! {
        let mut text = OPENING.to_vec();
        append(&mut text, &first, true)?;
        let mut none_yet = first.is_empty();
        drop(first);
        yield text.into();
        while let Some(users) = pages.next().await? {
            let mut text = Vec::new();
            append(&mut text, &users, none_yet)?;
            none_yet = none_yet && users.is_empty();
            yield text.into();
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
    let mut text = OPENING.to_vec();
    let mut last: Option<UserId> = None;
    let mut room = usize::from(limit.0);
    while let Some(mut users) = pages.next().await? {
        let more = users.len() > room;
        users.truncate(room);
        append(&mut text, &users, last.is_none())?;
        if buffered_len(&text) > BUFFERED_LIMIT {
            return Err(Error::ResponseTooLarge);
        }
        room -= users.len();
        last = users.pop().map(|user| user.user_id).or(last);
        if more && let Some(last) = last {
            text.extend_from_slice(CLOSING);
            return with_link(
                whole(text),
                call,
                &Cursor {
                    project: project.clone(),
                    last,
                },
            );
        }
    }
    text.extend_from_slice(CLOSING);
    Ok(whole(text))
}

/// Appends the users to the array, with a comma before each but the very first.
fn append(text: &mut Vec<u8>, users: &[User], first: bool) -> Result<(), Error> {
    for (n, user) in users.iter().enumerate() {
        if n > 0 || !first {
            text.push(b',');
        }
        serde_json::to_writer(&mut *text, user).map_err(|_| Error::Internal)?;
    }
    Ok(())
}

fn with_link(mut answer: Answer, call: &Call, cursor: &Cursor) -> Result<Answer, Error> {
    let link = format!(r#"<{}>; rel="next""#, call.with_cursor(&cursor.to_string()));
    answer.headers_mut().insert(
        LINK,
        HeaderValue::try_from(link).map_err(|_| Error::Internal)?,
    );
    Ok(answer)
}
