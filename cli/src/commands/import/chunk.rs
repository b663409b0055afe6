//! Records that are written together.

use records::{Origin, Record};
use shared::items::{ResponseItem, UserFacts};

/// The records of a chunk, and what they say.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) records: Vec<Origin>,
    /// With the positions of their records.
    pub(super) responses: Vec<(usize, ResponseItem)>,
    /// With the positions of their records.
    pub(super) users: Vec<(usize, UserFacts)>,
    bytes: usize,
}

impl Chunk {
    /// Adds a record.
    pub(super) fn add(&mut self, origin: Origin, Record { response, user }: Record) {
        let record = self.records.len();
        self.bytes += origin.raw.len();
        self.records.push(origin);
        self.responses
            .extend(response.map(|response| (record, response)));
        self.users.extend(user.map(|user| (record, user)));
    }

    /// Returns whether the chunk is large enough to keep the store busy. However large the records
    /// are, it takes little memory.
    pub(super) fn is_full(&self) -> bool {
        self.records.len() >= 2000 || self.bytes >= 2 << 20
    }
}
