//! Reports the items that other programs write and the API does not read, or reads as something else: DynamoDB
//! accepts them without a word.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use encoding::{Finding, findings};
use serde_json::Value;
use shared::config::Tables;
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
        let Ok(request) = serde_json::from_slice(body) else {
            return;
        };
        for table in Table::ALL {
            let name = self.tables().name(table).to_owned();
            let keys = written(self.tables(), operation, &request, table);
            let keys: Vec<_> = keys.into_iter().map(Ok::<_, RowError>).collect();
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

/// Returns the texts of the keys of the items that a request writes to a table.
fn written(tables: &Tables, operation: &str, request: &Value, table: Table) -> Vec<[String; 2]> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let name = tables.name(table);
    let of_table = |write: &Value| write["TableName"] == name;
    let items: Vec<Value> = match operation {
        "PutItem" if of_table(request) => vec![request["Item"].clone()],
        "UpdateItem" if of_table(request) => vec![request["Key"].clone()],
        "BatchWriteItem" => {
            let writes = list(&request["RequestItems"][name]).into_iter();
            writes
                .map(|mut write| write["PutRequest"]["Item"].take())
                .collect()
        }
        "TransactWriteItems" => {
            let writes = list(&request["TransactItems"]).into_iter();
            let of_write = |write: Value| {
                let [put, update] = ["Put", "Update"].map(|kind| write[kind].clone());
                if of_table(&put) {
                    Some(put["Item"].clone())
                } else {
                    of_table(&update).then(|| update["Key"].clone())
                }
            };
            writes.filter_map(of_write).collect()
        }
        _ => Vec::new(),
    };
    let (hash, range) = table.key_names();
    let text = |item: &Value, name: &str| item[name]["S"].as_str().map(key_text);
    let key = |item: &Value| {
        let range = range.map_or_else(|| Some(String::new()), |name| text(item, name))?;
        Some([text(item, hash)?, range])
    };
    items.iter().filter_map(key).collect()
}
