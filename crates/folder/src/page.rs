//! Responses in DynamoDB's JSON, joined from the texts of stored items.

use dynoxide::types::read_capacity_units_with_consistency;
use serde_json::json;
use store::PageRead;

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
    /// The range key of the last item.
    last: String,
    /// Whether there may be items after the last one.
    has_more: bool,
}

impl PageBody {
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
        let [hash, range] = read.partition.table.key_names();
        let units = read_capacity_units_with_consistency(self.size, false);
        let capacity = json!({ "CapacityUnits": units });
        let tail = if self.has_more {
            let last = json!({ hash: {"S": read.partition.key}, range: {"S": self.last} });
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
