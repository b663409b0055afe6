//! Users as JSON (contract, section 3).

use std::borrow::Cow;

use model::items::{UserRow, append_string};
use model::{ProjectId, Timestamp, UserId, derived_record_id};

const OPENING: &[u8] = br#"{"users":["#;
const CLOSING: &[u8] = b"]}";

/// The document of the response, written user by user.
#[derive(Debug)]
pub(crate) struct UserList {
    project: ProjectId,
    json: Vec<u8>,
    /// How many more users the list accepts.
    room: usize,
    /// The `userId` of the last user in the list; empty before the first.
    last: String,
    /// Whether there was a user that the list had no room for.
    is_cut: bool,
}

impl UserList {
    /// Begins a list of at most `room` users.
    pub(crate) fn with_room(project: ProjectId, room: usize) -> Self {
        Self {
            project,
            json: OPENING.to_vec(),
            room,
            last: String::new(),
            is_cut: false,
        }
    }

    /// Appends a user, if there is room.
    pub(crate) fn push(&mut self, user: &UserRow<'_>) {
        if self.room == 0 {
            self.is_cut = true;
            return;
        }
        self.room -= 1;
        if !self.last.is_empty() {
            self.json.push(b',');
        }
        self.last.clear();
        self.last.push_str(&user.user_id);
        self.append(user);
    }

    fn append(&mut self, user: &UserRow<'_>) {
        let out = &mut self.json;
        out.extend_from_slice(br#"{"id":"#);
        match &user.id {
            Some(id) => append_string(id, out),
            None => append_plain(&derived_record_id(&self.project, &user.user_id), out),
        }
        out.extend_from_slice(br#","project":"#);
        append_plain(self.project.as_str(), out);
        out.extend_from_slice(br#","userId":"#);
        append_string(&user.user_id, out);
        if let Some(last_seen) = &user.last_seen {
            out.extend_from_slice(br#","lastSeen":"#);
            append_plain(last_seen, out);
        }
        out.extend_from_slice(br#","created":"#);
        match &user.created {
            Some(created) => append_plain(created, out),
            None => append_plain(&Timestamp::EPOCH.to_string(), out),
        }
        append_member(br#","email":"#, user.email.as_ref(), out);
        append_member(br#","name":"#, user.name.as_ref(), out);
        out.extend_from_slice(if user.unsubscribed == Some(true) {
            br#","unsubscribed":true,"traits":"#.as_slice()
        } else {
            br#","unsubscribed":false,"traits":"#
        });
        out.extend_from_slice(user.traits.unwrap_or(b"{}"));
        out.push(b'}');
    }

    /// Takes the text since this was last called.
    pub(crate) fn take_json(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.json)
    }

    /// Returns the text so far.
    pub(crate) fn json(&self) -> &[u8] {
        &self.json
    }

    /// Returns whether there are users after the last one in the list.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the last user in the list, if there are users after it.
    pub(crate) fn last_before_cut(&self) -> Option<UserId> {
        self.last.parse().ok().filter(|_| self.is_cut)
    }

    /// Ends the list, and returns the text since [`UserList::take_json`].
    pub(crate) fn close(mut self) -> Vec<u8> {
        self.json.extend_from_slice(CLOSING);
        self.json
    }
}

fn append_member(name: &[u8], value: Option<&Cow<'_, str>>, out: &mut Vec<u8>) {
    if let Some(text) = value {
        out.extend_from_slice(name);
        append_string(text, out);
    }
}

/// Appends a string that needs no escapes.
fn append_plain(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}
