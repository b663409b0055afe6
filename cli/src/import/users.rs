//! What the records say of users, written in the order of the users' ids. In the order of the records, in
//! which ids are random, each user would change a page of its own, in each transaction.

use std::path::PathBuf;

use anyhow::Context;
use encoding::EncodedItem;
use serde::{Deserialize, Serialize};

use super::chunk::ChunkLimits;
use super::sorter::{Sorted, Sorter};

/// What records say of users, and is not written yet.
pub(super) struct PendingUsers {
    sizes: Sizes,
    folder: PathBuf,
    /// `None` as long as there are none.
    pending: Option<Sorter>,
}

/// How much of the users is where.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// How much is written together.
    pub(super) batch: ChunkLimits,
    /// The bytes that are in memory before they are sorted and written to the file.
    pub(super) run: usize,
    /// The bytes that are pending before all are written to the store.
    pub(super) pending: usize,
}

impl Sizes {
    /// A million records say some 400 MB of users.
    pub(super) fn of_an_import(batch: ChunkLimits) -> Self {
        Self {
            batch,
            run: 12 << 20,
            pending: 1 << 30,
        }
    }
}

/// What a record says of a user.
#[derive(Serialize, Deserialize)]
struct Mention {
    user: EncodedItem,
    /// The file and the line of the record; `None` if it is rejected already.
    place: Option<String>,
}

impl PendingUsers {
    /// Begins without users. Those that do not fit into memory will be in a file in this folder.
    pub(super) fn new(folder: PathBuf, sizes: Sizes) -> Self {
        Self {
            sizes,
            folder,
            pending: None,
        }
    }

    /// Adds what the record at this place says of a user. The place is `None` if the record is rejected already.
    pub(super) fn add(&mut self, user: EncodedItem, place: Option<String>) -> anyhow::Result<()> {
        let adding = self.try_add(user, place);
        adding.with_context(|| format!("cannot write temporary files in {}", self.folder.display()))
    }

    fn try_add(&mut self, user: EncodedItem, place: Option<String>) -> anyhow::Result<()> {
        let sorter = match &mut self.pending {
            Some(sorter) => sorter,
            none => none.insert(Sorter::new(&self.folder, self.sizes.run)?),
        };
        let mention = Mention { user, place };
        let value = postcard::to_stdvec(&mention)?;
        let [_, user_id] = mention.user.key();
        Ok(sorter.add(user_id.as_bytes(), &value)?)
    }

    /// Returns whether they should be written.
    pub(super) fn are_many(&self) -> bool {
        let pending = self.pending.as_ref();
        pending.is_some_and(|sorter| sorter.bytes > self.sizes.pending)
    }

    /// Takes all of them, if there are any.
    pub(super) fn take(&mut self) -> anyhow::Result<Option<SortedUsers>> {
        let Some(sorter) = self.pending.take() else {
            return Ok(None);
        };
        Ok(Some(SortedUsers {
            batch: self.sizes.batch,
            count: sorter.count,
            sorted: sorter.take().context(UNREADABLE)?,
        }))
    }
}

/// What records say of users, in the order of their ids, and then of the records.
pub(super) struct SortedUsers {
    batch: ChunkLimits,
    /// How many there were at first.
    pub(super) count: usize,
    sorted: Sorted,
}

/// Users to write together, with their positions, and the places of the records at these positions.
pub(super) type Batch = (Vec<(usize, EncodedItem)>, Vec<Option<String>>);

impl SortedUsers {
    /// Returns the users to write next.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<Batch>> {
        let (mut users, mut places, mut bytes) = (Vec::new(), Vec::new(), 0);
        while !self.batch.are_reached(users.len(), bytes)
            && let Some(value) = self.sorted.next().context(UNREADABLE)?
        {
            bytes += value.len();
            let Mention { user, place } = postcard::from_bytes(&value).context(UNREADABLE)?;
            users.push((users.len(), user));
            places.push(place);
        }
        Ok((!users.is_empty()).then_some((users, places)))
    }
}

const UNREADABLE: &str = "cannot read a temporary file";

#[cfg(test)]
mod tests {
    use encoding::{AsOf, UserFacts};

    use super::*;

    fn user(user_id: &str) -> EncodedItem {
        let facts = UserFacts {
            id: None,
            user_id: user_id.parse().unwrap(),
            last_seen: None,
            created: None,
            email: None,
            name: None,
            unsubscribed: None,
            traits: None,
            as_of: AsOf::stored("0"),
        };
        facts.item(&"acme".parse().unwrap()).unwrap()
    }

    #[test]
    fn users_come_in_order_and_in_batches_with_the_records_that_mention_them_in_each_round() {
        let sizes = Sizes {
            batch: ChunkLimits::of(2, 1 << 20),
            run: 200,
            pending: 300,
        };
        let mut pending = PendingUsers::new(std::env::temp_dir(), sizes);
        for round in ["first.csv", "second.csv"] {
            for (line, id) in (2..).zip(["c", "a", "b", "a", "rejected"]) {
                let place = (id != "rejected").then(|| format!("{round}:{line}"));
                pending.add(user(id), place).unwrap();
            }
            assert!(pending.are_many());
            let mut sorted = pending.take().unwrap().unwrap();
            assert_eq!(sorted.count, 5);
            let mut written = Vec::new();
            while let Some((users, places)) = sorted.next().unwrap() {
                assert!(users.len() <= 2);
                let ids = users.iter().map(|(_, user)| user.key()[1].to_owned());
                written.extend(ids.zip(places));
            }
            let expected = [("a", 3), ("a", 5), ("b", 4), ("c", 2), ("rejected", 0)];
            let expected = expected.map(|(id, line)| {
                let place = (line > 0).then(|| format!("{round}:{line}"));
                (id.to_owned(), place)
            });
            assert_eq!(written, expected);
            assert!(pending.take().unwrap().is_none());
        }
    }
}
