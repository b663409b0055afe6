//! Counts the people of an import.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use shared::model::UserId;

use super::{Identities, unusable};
use crate::entry::Failure;

impl Identities {
    /// Records a person.
    pub(crate) fn see_person(&mut self, id: &UserId) -> Result<(), Failure> {
        const MAX_RECENT: usize = 1 << 16;
        let mut hasher = DefaultHasher::new();
        id.as_str().hash(&mut hasher);
        self.recent_people.push(hasher.finish().cast_signed());
        if self.recent_people.len() >= MAX_RECENT {
            self.store_people()?;
        }
        Ok(())
    }

    /// Returns the number of persons.
    pub(crate) fn people(&mut self) -> anyhow::Result<u64> {
        let count = |identities: &mut Self| {
            identities.store_people()?;
            let count = "SELECT count(*) FROM people";
            identities.seen()?.query_row(count, [], |row| row.get(0))
        };
        count(self).map_err(unusable)
    }

    /// Stores many persons at once, in order, which is several times as fast as one by one.
    fn store_people(&mut self) -> rusqlite::Result<()> {
        let mut recent = std::mem::take(&mut self.recent_people);
        recent.sort_unstable();
        recent.dedup();
        let seen = self.seen()?;
        let mut insert = seen.prepare_cached("INSERT OR IGNORE INTO people VALUES (?1)")?;
        recent
            .into_iter()
            .try_for_each(|person| insert.execute([person]).map(drop))
    }
}
