//! The ids of records that have none: derived from what they say.

use encoding::RecordId;
use model::content_id;
use sha2::{Digest as _, Sha256};

use crate::ids::temporary::TemporaryTable;
use crate::raw::RawContent;
use crate::rules::reason::RecordError;

pub(crate) struct DerivedIds {
    /// The number of the file or page, in which equal records are counted from the first.
    list: i64,
    /// How many equal records the list has had.
    occurrences: TemporaryTable,
}

impl DerivedIds {
    pub(crate) fn new() -> Self {
        Self {
            list: 0,
            occurrences: TemporaryTable::new(
                "occurrences (digest BLOB PRIMARY KEY, list INTEGER NOT NULL, number INTEGER NOT NULL) \
                 WITHOUT ROWID",
            ),
        }
    }

    /// Begins a file or a page, in which equal records are counted from the first.
    pub(crate) fn begin_list(&mut self) {
        self.list += 1;
    }

    /// Derives the id of a record from its content, whatever columns are mapped to. Equal records of
    /// a file get different ids, which are the same whenever the file is read. With `--id-from`, the
    /// id depends on the values of these columns or members alone.
    pub(crate) fn derive(
        &mut self,
        raw: &RawContent<'_>,
        from: &[String],
    ) -> Result<RecordId, RecordError> {
        let mut content = raw.content(from)?;
        if from.is_empty() {
            let number = self.occurrence(&content)?;
            content.extend_from_slice(format!("\0{number}").as_bytes());
        }
        let id = content_id(&content).parse();
        id.map_err(|error| RecordError::Rejected(format!("id {error}")))
    }

    /// Returns the number of a record among the equal ones of its list.
    fn occurrence(&mut self, content: &[u8]) -> rusqlite::Result<i64> {
        let digest: [u8; 32] = Sha256::digest(content).into();
        let list = self.list;
        self.occurrences
            .connection()?
            .prepare_cached(
                "INSERT INTO occurrences VALUES (?1, ?2, 1)
                 ON CONFLICT (digest) DO UPDATE SET number = iif(list = ?2, number + 1, 1), list = ?2
                 RETURNING number",
            )?
            .query_row((&digest[..16], list), |row| row.get(0))
    }
}

#[cfg(test)]
mod tests {
    use super::{DerivedIds, RecordError};
    use crate::raw::RawContent;

    #[test]
    fn a_full_disk_ends_the_import_instead_of_rejecting_records() {
        let mut ids = DerivedIds::new();
        let full = "PRAGMA max_page_count = 4";
        let table = ids.occurrences.connection().unwrap();
        table.execute_batch(full).unwrap();
        let mut derived =
            (0..200_000).map(|n| ids.derive(&RawContent::Object(&format!("[{n}]")), &[]));
        let Some(RecordError::Fatal(error)) = derived.find_map(Result::err) else {
            panic!("the disk is full");
        };
        let error = format!("{error:#}");
        assert!(error.contains("ids") && error.contains("full"), "{error}");
    }
}
