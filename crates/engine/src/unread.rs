//! Reports the items that other programs write and the API does not read, or reads as something else: DynamoDB
//! accepts them without a word.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use encoding::{Finding, findings};
use serde::Deserialize;
use serde_json::{Map, Value};
use shared::items::Table;

use super::row_error::RowError;
use super::row_texts::key_text;
use super::{Engine, readers};

/// The kinds that were reported. Each is reported once by a process.
#[derive(Debug, Default)]
pub(super) struct Reported(Mutex<BTreeSet<Finding>>);

impl Reported {
    fn report(&self, table: &str, finding: Finding) {
        let mut reported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !finding.is_note && reported.insert(finding) {
            let finding = finding.text;
            tracing::warn!(
                table,
                finding,
                "an item was written that the API does not read as it is; feedback check finds all of them"
            );
        }
    }
}

impl Engine {
    /// Reports what is wrong with the stored items that this request has written, without their keys.
    pub(super) async fn report_unread(&self, operation: &str, body: &[u8], reported: &Reported) {
        let writes = writes(operation, body).unwrap_or_default();
        for table in Table::ALL {
            let name = self.tables().name(table).to_owned();
            let of_table = writes.iter().filter(|write| write.table_name == name);
            let keys = of_table.filter_map(|write| write.key_texts(table));
            let keys: Vec<_> = keys.map(Ok::<_, RowError>).collect();
            if keys.is_empty() {
                continue;
            }
            let read_name = name.clone();
            let items = self.read("Query", move |reader| {
                readers::items(reader, &read_name, keys)
            });
            // What cannot be read now is found by a check.
            for item in items.await.unwrap_or_default() {
                let found = str::from_utf8(&item)
                    .ok()
                    .and_then(|json| findings(table, json));
                for finding in found.into_iter().flatten() {
                    reported.report(&name, finding);
                }
            }
        }
    }
}

/// A write of an item, of which the key is needed.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Write {
    table_name: String,
    #[serde(alias = "Key")]
    item: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Batch {
    request_items: HashMap<String, Vec<BatchWrite>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BatchWrite {
    put_request: Option<Put>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Put {
    item: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Transaction {
    transact_items: Vec<TransactWrite>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TransactWrite {
    put: Option<Write>,
    update: Option<Write>,
}

/// Returns what a request puts or updates.
fn writes(operation: &str, body: &[u8]) -> serde_json::Result<Vec<Write>> {
    Ok(match operation {
        "PutItem" | "UpdateItem" => vec![serde_json::from_slice(body)?],
        "BatchWriteItem" => {
            let Batch { request_items } = serde_json::from_slice(body)?;
            let of_table = |(table_name, writes): (String, Vec<BatchWrite>)| {
                let puts = writes.into_iter().filter_map(|write| write.put_request);
                puts.map(move |Put { item }| Write {
                    table_name: table_name.clone(),
                    item,
                })
            };
            request_items.into_iter().flat_map(of_table).collect()
        }
        "TransactWriteItems" => {
            let Transaction { transact_items } = serde_json::from_slice(body)?;
            let writes = transact_items.into_iter();
            writes
                .filter_map(|write| write.put.or(write.update))
                .collect()
        }
        _ => Vec::new(),
    })
}

impl Write {
    fn key_texts(&self, table: Table) -> Option<[String; 2]> {
        let text = |name| Some(key_text(self.item.get(name)?.get("S")?.as_str()?));
        let (hash, range) = table.key_names();
        Some([text(hash)?, range.map_or(Some(String::new()), text)?])
    }
}
