//! Reports the items that other programs write and the API does not read, or reads as something else: DynamoDB
//! accepts them without a word.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use encoding::{Finding, findings};
use model::items::Table;
use serde_json::Value;

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
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let writes = writes(operation, &body);
        for table in Table::ALL {
            let name = self.tables().name(table).to_owned();
            let of_table = writes.iter().filter(|(written, _)| *written == name);
            let keys = of_table.filter_map(|(_, item)| key_texts(table, item));
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
                for finding in findings(table, &item).into_iter().flatten() {
                    reported.report(&name, finding);
                }
            }
        }
    }
}

/// Returns the tables that a request writes, and of each item that it puts or updates the key, among other
/// attributes.
fn writes<'a>(operation: &str, body: &'a Value) -> Vec<(&'a str, &'a Value)> {
    let elements = |list: Option<&'a Value>| list.and_then(Value::as_array).into_iter().flatten();
    let write = |write: &'a Value| {
        let item = write.get("Item").or(write.get("Key"))?;
        Some((write.get("TableName")?.as_str()?, item))
    };
    match operation {
        "PutItem" | "UpdateItem" => write(body).into_iter().collect(),
        "BatchWriteItem" => {
            let tables = body.get("RequestItems").and_then(Value::as_object);
            let puts = tables.into_iter().flatten().flat_map(|(table, writes)| {
                let put =
                    |write: &'a Value| Some((table.as_str(), write.pointer("/PutRequest/Item")?));
                elements(Some(writes)).filter_map(put)
            });
            puts.collect()
        }
        "TransactWriteItems" => elements(body.get("TransactItems"))
            .filter_map(|of| write(of.get("Put").or(of.get("Update"))?))
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns the texts of the key of an item.
fn key_texts(table: Table, item: &Value) -> Option<[String; 2]> {
    let text = |name| Some(key_text(item.get(name)?.get("S")?.as_str()?));
    let (hash, range) = table.key_names();
    Some([text(hash)?, range.map_or(Some(String::new()), text)?])
}
