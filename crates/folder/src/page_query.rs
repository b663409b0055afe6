//! Reads a page of a Query, from a table or its index of outcomes: one statement, whose rows are joined into the
//! response in DynamoDB's JSON without parsing an item.

use std::fmt::Write as _;

use dynoxide::types::read_capacity_units_with_consistency;
use items::Partition;
use rusqlite::Connection;
use serde_json::json;
use store::{KeyRange, PageRead};

use super::layout;
use super::stored_items::{STRING, key_text};

/// The largest size of a page as DynamoDB counts it.
const MAX_SIZE: usize = 1 << 20;

/// The largest size of the first page of a shard: those of all shards may be in memory at once.
const FIRST_SIZE: usize = 256 << 10;

/// The largest size of a page of all users: what a list holds for as long as its client takes to read it
/// depends on this.
const LIST_SIZE: usize = 48 << 10;

/// The largest size of a page of the index of outcomes, which has some hundreds of items. Larger ones are
/// not faster, and other requests wait for them.
const OUTCOMES_SIZE: usize = 64 << 10;

/// The capacities of bodies in bytes. The allocator keeps memory for each size in each thread, so there are
/// few sizes.
const CAPACITIES: [usize; 4] = [16 << 10, 128 << 10, 256 << 10, 2 << 20];

/// Reads a page with one statement, which ends before the response is sent; returns its body as DynamoDB's
/// JSON.
pub(super) fn read_page(database: &Connection, read: &PageRead) -> rusqlite::Result<Vec<u8>> {
    let of_outcomes = read.projection.are_indexed();
    let (sql, values) = query(read, of_outcomes);
    let mut statement = database.prepare_cached(&sql)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values))?;
    let mut page = PageWriter::new(match read.partition {
        Partition::Users(_) if read.limit.is_none() => LIST_SIZE,
        Partition::Responses(_) if of_outcomes => OUTCOMES_SIZE,
        Partition::Responses(_) if read.after.is_none() => FIRST_SIZE,
        Partition::Users(_) | Partition::Responses(_) => MAX_SIZE,
    });
    let mut indexed = Vec::new();
    while let Some(row) = rows.next()? {
        let stored = row.get_ref(0)?.as_str()?;
        let key = stored.strip_prefix(STRING).unwrap_or(stored);
        let (item, size) = if of_outcomes {
            layout::write_indexed_item(&mut indexed, key, row, read)?;
            (&*indexed, indexed.len())
        } else {
            // The decoder of the page checks that the text is UTF-8.
            (row.get_ref(1)?.as_bytes()?, row.get(2)?)
        };
        if !page.add(key, item, size, read.limit) {
            break;
        }
    }
    Ok(page.response(read))
}

/// Returns the statement that reads a page from a table or its index of outcomes, and its parameters.
pub(super) fn query(read: &PageRead, of_outcomes: bool) -> (String, Vec<String>) {
    let mut sql = if of_outcomes {
        layout::select_from_index()
    } else {
        let table = read.partition.table().name();
        format!("SELECT sk, item_json, item_size FROM {table}")
    };
    sql.push_str(" WHERE pk = ?1");
    let mut values = vec![key_text(read.partition.key())];
    for (operator, bound) in bounds(read) {
        values.push(key_text(bound));
        write!(sql, " AND sk {operator} ?{}", values.len()).unwrap_or_default();
    }
    sql.push_str(" ORDER BY sk");
    (sql, values)
}

/// Returns the bounds of the range keys of a page. There is one lower bound: `SQLite` would begin at one of
/// two, and skip what precedes the other row by row.
fn bounds(read: &PageRead) -> impl Iterator<Item = (&'static str, &str)> {
    let [low, high] = match &read.range {
        KeyRange::All => [None, None],
        KeyRange::Equal(key) => [Some(key), Some(key)],
        KeyRange::Between([low, high]) => [Some(low), Some(high)],
    };
    let low = match &read.after {
        Some(after) => Some((">", after)),
        None => low.map(|low| (">=", low)),
    };
    low.into_iter()
        .chain(high.map(|high| ("<=", high)))
        .map(|(operator, bound)| (operator, bound.as_str()))
}

/// A page of a Query that is being read.
pub(super) struct PageWriter {
    /// The response up to the last item.
    body: Vec<u8>,
    count: u32,
    size: usize,
    max_size: usize,
    /// The range key of the last item.
    last: String,
    has_more: bool,
}

impl PageWriter {
    /// Makes a page without items, of which at most one is larger than this.
    pub(super) fn new(max_size: usize) -> Self {
        Self {
            body: b"{\"Items\":[".to_vec(),
            count: 0,
            size: 0,
            max_size,
            last: String::new(),
            has_more: false,
        }
    }

    /// Adds the item with this range key, unless the page would be too large. Returns whether the page
    /// continues.
    pub(super) fn add(&mut self, key: &str, item: &[u8], size: usize, limit: Option<u32>) -> bool {
        if self.count > 0 {
            if self.size + size > self.max_size {
                self.has_more = true;
                return false;
            }
            self.body.push(b',');
        }
        reserve(&mut self.body, item.len() + 1);
        self.body.extend_from_slice(item);
        self.count += 1;
        self.size += size;
        self.last.clear();
        self.last.push_str(key);
        // Like DynamoDB, does not look whether an item follows.
        self.has_more = limit.is_some_and(|limit| self.count >= limit);
        !self.has_more
    }

    /// Returns the response to the Query, as far as it is read.
    pub(super) fn response(mut self, read: &PageRead) -> Vec<u8> {
        let [hash, range] = read.partition.key_names();
        let units = read_capacity_units_with_consistency(self.size, false);
        let capacity = json!({ "CapacityUnits": units });
        let tail = if self.has_more {
            let last = json!({ hash: {"S": read.partition.key()}, range: {"S": self.last} });
            json!({ "ConsumedCapacity": capacity, "LastEvaluatedKey": last })
        } else {
            json!({ "ConsumedCapacity": capacity })
        };
        self.body.extend_from_slice(b"],");
        self.body.extend(tail.to_string().bytes().skip("{".len()));
        self.body
    }
}

fn reserve(body: &mut Vec<u8>, additional: usize) {
    let needed = body.len() + additional;
    if needed > body.capacity() {
        let capacity = CAPACITIES.into_iter().find(|capacity| *capacity >= needed);
        body.reserve_exact(capacity.unwrap_or(2 * needed) - body.len());
    }
}
