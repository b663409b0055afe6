//! Reports the items that other programs write and the API does not read, or reads as something else: DynamoDB
//! accepts them without a word.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use encoding::{Finding, ItemMembers, findings};
use model::items::Table;
use serde_json::Value;

use super::folder_store::FolderStore;

/// The kinds of unread items that this process has reported.
static REPORTED: Mutex<BTreeSet<Finding>> = Mutex::new(BTreeSet::new());

/// Reports what is wrong with the stored items that this request has written, without their keys: each kind
/// once in the life of the process.
pub(super) async fn report(store: &FolderStore, operation: &str, body: &[u8]) {
    const OPERATIONS: [&str; 4] = [
        "PutItem",
        "UpdateItem",
        "BatchWriteItem",
        "TransactWriteItems",
    ];
    if !OPERATIONS.contains(&operation) {
        return;
    }
    let body = serde_json::from_slice(body).unwrap_or_default();
    let writes = writes(&body);
    for table in Table::ALL {
        let name = store.tables().name(table);
        let of_table = writes.iter().filter(|(written, _)| *written == name);
        let keys: Vec<_> = of_table.map(|(_, item)| item.to_string()).collect();
        if keys.is_empty() {
            continue;
        }
        // Items that cannot be read now are found by a check.
        let stored = store.get(table, keys).await.unwrap_or_default();
        let items = stored.iter().filter_map(|item| ItemMembers::of_item(item));
        for finding in items.flat_map(|item| findings(table, &item)) {
            let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
            if !finding.is_note() && reported.insert(finding) {
                tracing::warn!(
                    table = name,
                    finding = finding.0,
                    "an item was written that the API does not read as it is; feedback check finds all of them"
                );
            }
        }
    }
}

/// Returns the tables that a request writes, and of each item that it puts or updates the key, among other
/// attributes.
fn writes(body: &Value) -> Vec<(&str, &Value)> {
    let transaction = body.get("TransactItems").and_then(Value::as_array);
    let single_writes = transaction
        .into_iter()
        .flatten()
        .filter_map(|write| write.get("Put").or(write.get("Update")))
        .chain([body])
        .filter_map(|write| {
            let item = write.get("Item").or(write.get("Key"))?;
            Some((write.get("TableName")?.as_str()?, item))
        });
    let batch = body.get("RequestItems").and_then(Value::as_object);
    let puts = batch.into_iter().flatten().flat_map(|(table, writes)| {
        let of_table = writes.as_array().into_iter().flatten();
        let items = of_table.filter_map(|write| write.pointer("/PutRequest/Item"));
        items.map(|item| (table.as_str(), item))
    });
    single_writes.chain(puts).collect()
}
