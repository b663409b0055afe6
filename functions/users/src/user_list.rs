//! Users as JSON (contract, section 3).

use std::borrow::Cow;

use items::{UserItem, append_string};
use model::{ProjectId, Timestamp, UserId, derived_record_id};

const OPENING: &[u8] = br#"{"users":["#;
const CLOSING: &[u8] = b"]}";

/// The document of the response, written user by user.
#[derive(Debug)]
pub(crate) struct UserList {
    project: ProjectId,
    /// The text that is not yet taken.
    pub(crate) json: Vec<u8>,
    /// How many more users the list accepts.
    room: usize,
    /// The `userId` of the last user in the list; empty before the first.
    last: String,
    /// Whether there was a user that the list had no room for.
    pub(crate) is_cut: bool,
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
    pub(crate) fn push(&mut self, user: UserItem<'_>) {
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

    fn append(&mut self, user: UserItem<'_>) {
        let out = &mut self.json;
        let derived_id = || derived_record_id(&self.project, &user.user_id).into();
        let epoch = || Timestamp::EPOCH.to_string().into();
        let id = user.id.unwrap_or_else(derived_id);
        let members: [(&[u8], Option<Cow<'_, str>>); 7] = [
            (br#"{"id":"#, Some(id)),
            (br#","project":"#, Some(self.project.as_str().into())),
            (br#","userId":"#, Some(user.user_id)),
            (br#","lastSeen":"#, user.last_seen),
            (br#","created":"#, Some(user.created.unwrap_or_else(epoch))),
            (br#","email":"#, user.email),
            (br#","name":"#, user.name),
        ];
        for (name, text) in members {
            if let Some(text) = text {
                out.extend_from_slice(name);
                append_string(&text, out);
            }
        }
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
