//! Responses in DynamoDB's JSON, joined from the texts of stored items.

use std::collections::BTreeMap;

use dynoxide::types::{ConsumedCapacity, consumed_capacity, read_capacity_units_with_consistency};
use serde::Serialize;
use shared::store::{LocalPage, PageRead};

/// The capacities of bodies in bytes. The allocator keeps memory for each size in each thread, so there are
/// few sizes.
const CAPACITIES: [usize; 4] = [16 << 10, 128 << 10, 256 << 10, 2 << 20];

/// A page of a Query that is being read.
pub(super) struct PageBody {
    /// The response up to the last item.
    body: Vec<u8>,
    count: u32,
    size: usize,
    max_size: usize,
    /// The range keys of the first item and the last.
    first: String,
    last: String,
    /// Whether there may be items after the last one.
    has_more: bool,
}

/// The response of a Query after its items.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Tail<'a> {
    count: u32,
    scanned_count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_evaluated_key: Option<BTreeMap<&'a str, TypedString<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consumed_capacity: Option<ConsumedCapacity>,
}

#[derive(Serialize)]
struct TypedString<'a> {
    #[serde(rename = "S")]
    text: &'a str,
}

impl PageBody {
    /// Makes a page without items, of which at most one is larger than this.
    pub(super) fn new(max_size: usize) -> Self {
        Self {
            body: b"{\"Items\":[".to_vec(),
            count: 0,
            size: 0,
            max_size,
            first: String::new(),
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
        } else {
            self.first.push_str(key);
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

    /// Returns the page with the response to the Query.
    pub(super) fn response(mut self, table: &str, read: &PageRead) -> LocalPage {
        let [hash, range] = read.partition.table.key_names();
        let keys = [
            (hash, read.partition.key.as_str()),
            (range, self.last.as_str()),
        ];
        let units = read_capacity_units_with_consistency(self.size, false);
        let tail = Tail {
            count: self.count,
            scanned_count: self.count,
            last_evaluated_key: self
                .has_more
                .then(|| keys.map(|(name, text)| (name, TypedString { text })).into()),
            consumed_capacity: consumed_capacity(table, units, &Some("TOTAL".to_owned())),
        };
        // Texts and numbers always serialize.
        let tail = serde_json::to_vec(&tail).unwrap_or_default();
        self.body.extend_from_slice(b"],");
        self.body.extend(tail.into_iter().skip(b"{".len()));
        LocalPage {
            body: self.body,
            partition: read.partition.clone(),
            keys: (self.count > 0).then_some([self.first, self.last]),
        }
    }
}

fn reserve(body: &mut Vec<u8>, additional: usize) {
    let needed = body.len() + additional;
    if needed > body.capacity() {
        let capacity = CAPACITIES.into_iter().find(|capacity| *capacity >= needed);
        body.reserve_exact(capacity.unwrap_or(2 * needed) - body.len());
    }
}
