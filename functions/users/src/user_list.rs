//! Users as JSON (contract, section 3).

use std::borrow::Cow;

use items::{UserItem, append_string};
use model::{ProjectId, Timestamp, UserId, derived_record_id};

const OPENING: &str = r#"{"users":["#;
const CLOSING: &str = "]}";

/// The document of the response, written user by user.
#[derive(Debug)]
pub(crate) struct UserList {
    project: ProjectId,
    /// The text that is not yet taken.
    pub(crate) json: String,
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
            json: OPENING.to_owned(),
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
            self.json.push(',');
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
        let members: [(&str, Option<Cow<'_, str>>); 7] = [
            (r#"{"id":"#, Some(id)),
            (r#","project":"#, Some(self.project.as_str().into())),
            (r#","userId":"#, Some(user.user_id)),
            (r#","lastSeen":"#, user.last_seen),
            (r#","created":"#, Some(user.created.unwrap_or_else(epoch))),
            (r#","email":"#, user.email),
            (r#","name":"#, user.name),
        ];
        for (name, text) in members {
            if let Some(text) = text {
                out.push_str(name);
                append_string(&text, out);
            }
        }
        out.push_str(if user.unsubscribed == Some(true) {
            r#","unsubscribed":true,"traits":"#
        } else {
            r#","unsubscribed":false,"traits":"#
        });
        out.push_str(user.traits.unwrap_or("{}"));
        out.push('}');
    }

    /// Takes the text since this was last called.
    pub(crate) fn take_json(&mut self) -> String {
        std::mem::take(&mut self.json)
    }

    /// Returns the last user in the list, if there are users after it.
    pub(crate) fn last_before_cut(&self) -> Option<UserId> {
        if self.is_cut {
            self.last.parse().ok()
        } else {
            None
        }
    }

    /// Ends the list, and returns the text since [`UserList::take_json`].
    pub(crate) fn close(mut self) -> String {
        self.json.push_str(CLOSING);
        self.json
    }
}
