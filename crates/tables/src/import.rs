//! Imports records without losing what the tables already know: a record is merged with what is stored, and
//! written if nothing of that has changed since it was read.

use std::collections::BTreeMap;

use items::{EncodedItem, ItemKey, Table};
use store::Error;

use super::backoff::{Attempt, repeat};
use super::merge::{Merged, guard, merge_all};
use super::{ItemChange, Tables, damaged};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that changed a table: one of each item.
    pub written: u64,
    /// Records that added nothing: one of each item.
    pub unchanged: u64,
    /// The other records of those items.
    pub merged: u64,
    /// The keys of items that are left as they were, because they would be too large with these records, whose
    /// positions in the import these are.
    pub too_large: BTreeMap<ItemKey, Vec<usize>>,
}

/// A record with its position in the import.
type Positioned = (usize, EncodedItem);

impl Tables {
    /// Writes records of a table, each with its position in the import. They are merged with what is stored,
    /// in this order.
    ///
    /// # Errors
    ///
    /// Fails if the store does; some records may be written by then.
    pub async fn import(
        &self,
        table: Table,
        mut records: Vec<Positioned>,
    ) -> Result<Imported, Error> {
        // The sort is stable: records of one key keep their order.
        records.sort_by(|(_, one), (_, other)| one.key().cmp(other.key()));
        let mut imported = Imported::default();
        let items = by_key(&records).count();
        repeat("import", items, async || {
            records = self.import_once(table, &records, &mut imported).await?;
            Ok(match by_key(&records).count() {
                0 => Attempt::Done(()),
                left => Attempt::Left(left),
            })
        })
        .await?;
        Ok(imported)
    }

    /// Returns the records whose items another program changed between reading and writing. If it was this
    /// program, in an attempt whose response was lost, they are unchanged when they are read again.
    async fn import_once(
        &self,
        table: Table,
        records: &[Positioned],
        imported: &mut Imported,
    ) -> Result<Vec<Positioned>, Error> {
        let keys = by_key(records).map(|(key, _)| key.clone()).collect();
        let mut stored = self.writer.get(table, keys).await?;
        let mut changes = Vec::new();
        let mut changing = Vec::new();
        for (key, records) in by_key(records) {
            let before = stored.remove(key);
            let mut fitting: Vec<_> = records.iter().collect();
            let mut too_large = Vec::new();
            let mut result = merged(table, before.as_deref(), &fitting)?;
            // Of several records of a display, the largest gives way to the others.
            while table == Table::Responses
                && fitting.len() > 1
                && matches!(result, Merged::TooLarge)
            {
                let sizes = fitting.iter().map(|(_, record)| record.json().len());
                let largest = sizes.enumerate().max_by_key(|(_, size)| *size);
                let (position, _) = fitting.remove(largest.map_or(0, |(at, _)| at));
                too_large.push(*position);
                result = merged(table, before.as_deref(), &fitting)?;
            }
            match result {
                Merged::Unchanged => {
                    imported.unchanged += 1;
                    imported.merged += fitting.len() as u64 - 1;
                }
                Merged::TooLarge => too_large.extend(fitting.iter().map(|(position, _)| *position)),
                Merged::Changed(item) => {
                    let after = item.into_owned();
                    changes.push(ItemChange {
                        key: key.clone(),
                        before,
                        after,
                        guard: guard(table),
                    });
                    changing.push(fitting);
                }
            }
            if !too_large.is_empty() {
                // Another attempt may have left out others already.
                let left_out = imported.too_large.entry(key.clone()).or_default();
                left_out.extend(too_large);
            }
        }
        let made = self.writer.replace(table, changes).await?;
        let mut conflicts = Vec::new();
        for (is_made, records) in made.into_iter().zip(changing) {
            if is_made {
                imported.written += 1;
                imported.merged += records.len() as u64 - 1;
            } else {
                conflicts.extend(records.into_iter().cloned());
            }
        }
        Ok(conflicts)
    }
}

fn merged<'a>(
    table: Table,
    stored: Option<&'a str>,
    records: &[&'a Positioned],
) -> Result<Merged<'a>, Error> {
    let texts = records.iter().map(|(_, record)| record.json());
    merge_all(table, stored, texts).ok_or_else(damaged)
}

/// Divides sorted records by their keys.
fn by_key(records: &[Positioned]) -> impl Iterator<Item = (&ItemKey, &[Positioned])> {
    let of_keys = records.chunk_by(|(_, one), (_, other)| one.key() == other.key());
    of_keys.filter_map(|records| Some((records.first()?.1.key(), records)))
}
