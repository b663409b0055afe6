//! Records that are written together.

use encoding::EncodedItem;
use intake::{Origin, Record};

/// The records of a chunk, and what they say.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) records: Vec<Origin>,
    /// With the positions of their records.
    pub(super) responses: Vec<(usize, EncodedItem)>,
    /// With the positions of their records.
    pub(super) users: Vec<(usize, EncodedItem)>,
    pub(super) bytes: usize,
}

impl Chunk {
    /// Adds a record that has so many bytes in its file.
    pub(super) fn add(&mut self, origin: Origin, bytes: usize, record: Record) {
        let position = self.records.len();
        let with_position = |response| (position, response);
        self.responses.extend(record.response.map(with_position));
        self.users.extend(record.user.map(|user| (position, user)));
        self.records.push(origin);
        self.bytes += bytes;
    }
}

/// How much is written together. A chunk takes little memory, however large its records are.
#[derive(Clone, Copy)]
pub(super) struct ChunkLimits {
    records: usize,
    bytes: usize,
}

impl ChunkLimits {
    /// Enough for requests that are in flight at the same time.
    pub(super) const OF_REQUESTS: Self = Self::of(2_000, 2 << 20);

    /// For a transaction, which writes a page of the database once, however many of its items change.
    pub(super) const OF_A_TRANSACTION: Self = Self::of(4_000, 4 << 20);

    pub(super) const fn of(records: usize, bytes: usize) -> Self {
        Self { records, bytes }
    }

    /// Returns whether so many records of so many bytes are enough.
    pub(super) fn are_reached(&self, records: usize, bytes: usize) -> bool {
        records >= self.records || bytes >= self.bytes
    }
}
