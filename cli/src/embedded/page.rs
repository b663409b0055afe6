//! Responses in DynamoDB's JSON, joined from the texts of stored items.

use std::collections::BTreeMap;

use dynoxide::types::{ConsumedCapacity, consumed_capacity, read_capacity_units_with_consistency};
use serde::Serialize;

use super::query::Read;

/// The largest size of a page as DynamoDB counts it.
const MAX_SIZE: usize = 1 << 20;

/// The capacities of bodies in bytes. The allocator keeps memory for each size in each thread, so there are few sizes.
const CAPACITIES: [usize; 3] = [16 << 10, 256 << 10, 2 << 20];

/// A page of a Query that is being read.
pub(super) struct Page {
    /// The response up to the last item.
    body: Vec<u8>,
    count: u32,
    size: usize,
    /// The range key of the last item.
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
    last_evaluated_key: Option<BTreeMap<&'a str, Text<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consumed_capacity: Option<ConsumedCapacity>,
}

#[derive(Serialize)]
struct Text<'a> {
    #[serde(rename = "S")]
    text: &'a str,
}

impl Page {
    pub(super) fn new() -> Self {
        Self {
            body: b"{\"Items\":[".to_vec(),
            count: 0,
            size: 0,
            last: String::new(),
            has_more: false,
        }
    }

    /// Adds the item with this range key, unless the page would be too large. Returns whether the page
    /// continues.
    pub(super) fn add(&mut self, key: &str, item: &[u8], size: usize, limit: Option<u32>) -> bool {
        if self.count > 0 {
            if self.size + size > MAX_SIZE {
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

    /// Returns the response to the Query; `range` is the name of the range key.
    pub(super) fn response(mut self, read: &Read, range: Option<&str>) -> Vec<u8> {
        let hash = (read.hash.name.as_str(), read.hash.value.as_str());
        let keys = [Some(hash), range.map(|range| (range, self.last.as_str()))];
        let keys = keys.into_iter().flatten();
        let tail = Tail {
            count: self.count,
            scanned_count: self.count,
            last_evaluated_key: self
                .has_more
                .then(|| keys.map(|(name, text)| (name, Text { text })).collect()),
            consumed_capacity: capacity(read, self.size),
        };
        self.body.push(b']');
        append_members(&mut self.body, &tail);
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

/// Returns the response to a `GetItem`.
pub(super) fn item_response(read: &Read, item: Option<&[u8]>, size: usize) -> Vec<u8> {
    #[derive(Serialize)]
    #[serde(rename_all = "PascalCase")]
    struct Tail {
        #[serde(skip_serializing_if = "Option::is_none")]
        consumed_capacity: Option<ConsumedCapacity>,
    }
    let tail = Tail {
        consumed_capacity: capacity(read, size),
    };
    let Some(item) = item else {
        return serde_json::to_vec(&tail).unwrap_or_default();
    };
    let mut body = b"{\"Item\":".to_vec();
    body.extend_from_slice(item);
    append_members(&mut body, &tail);
    body
}

/// Appends the members to an object that has one already, and closes it.
fn append_members(object: &mut Vec<u8>, members: &impl Serialize) {
    // Texts and numbers always serialize.
    let members = serde_json::to_vec(members).unwrap_or_default();
    if members.len() > b"{}".len() {
        object.push(b',');
    }
    object.extend(members.into_iter().skip(b"{".len()));
}

fn capacity(read: &Read, size: usize) -> Option<ConsumedCapacity> {
    let mode = read.with_capacity.then(|| "TOTAL".to_owned());
    let units = read_capacity_units_with_consistency(size, read.consistent);
    consumed_capacity(&read.table, units, &mode)
}
