//! Reads and writes many rows of dynoxide's tables at a time, without dynoxide.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::storage::compute_hash_prefix;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::attributes;
use super::folder::DataFolder;
use super::rows::{Unanswered, bytes, key_text};
use super::schema::{Keys, Schemas};
use crate::store::{Item, item_size};

/// A connection for large transactions of random keys.
pub(super) struct Bulk {
    connection: Connection,
    schemas: Schemas,
}

impl Bulk {
    /// Opens it with a cache for the pages of the indexes, and a log that holds several transactions.
    pub(super) fn open(folder: &DataFolder) -> rusqlite::Result<Self> {
        let connection = folder.connect()?;
        connection.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA cache_size = -24576; PRAGMA wal_autocheckpoint = 16384",
        )?;
        Ok(Self {
            connection,
            schemas: Schemas::default(),
        })
    }

    /// Reads the JSON of the items with these keys, in their order; keys without an item are skipped.
    pub(super) fn read(&mut self, table: &str, keys: &[Item]) -> Result<Vec<Vec<u8>>, Unanswered> {
        let transaction = self.connection.transaction()?;
        let names = self.schemas.keys(&transaction, table)?;
        let names = names.ok_or(Unanswered::Unfit)?;
        let sql = format!("SELECT item_json FROM \"{table}\" WHERE pk = ?1 AND sk = ?2");
        let mut statement = transaction.prepare_cached(&sql)?;
        let mut items = Vec::new();
        for key in keys {
            let mut rows = statement.query(key_texts(names, key).ok_or(Unanswered::Unfit)?)?;
            if let Some(row) = rows.next()? {
                items.push(bytes(row, 0)?.to_vec());
            }
        }
        Ok(items)
    }

    /// Writes the items in one transaction, replacing those with the same key. They must be as DynamoDB
    /// returns them. Writes nothing to a table with indexes or a stream, which dynoxide maintains.
    pub(super) fn put(&mut self, table: &str, items: &[Item]) -> Result<(), Unanswered> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let names = self.schemas.keys(&transaction, table)?;
        let names = names
            .filter(|names| names.is_plain)
            .ok_or(Unanswered::Unfit)?;
        put(&transaction, table, names, items)?;
        transaction.commit()?;
        Ok(())
    }
}

fn put(
    transaction: &Transaction<'_>,
    table: &str,
    names: &Keys,
    items: &[Item],
) -> Result<(), Unanswered> {
    let sql = format!(
        "INSERT OR REPLACE INTO \"{table}\" (pk, sk, item_json, item_size, hash_prefix) VALUES (?1, ?2, ?3, ?4, ?5)"
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    // The items of a transaction have few hash keys.
    let mut prefixes: HashMap<String, String> = HashMap::new();
    for item in items {
        let [pk, sk] = key_texts(names, item).ok_or(Unanswered::Unfit)?;
        let prefix = prefixes.entry(pk.clone());
        let prefix = prefix.or_insert_with(|| hash_prefix(names, item));
        let json = attributes::encode(item).ok_or(Unanswered::Unfit)?;
        // A size fits.
        let size = i64::try_from(item_size(item)).unwrap_or(i64::MAX);
        statement.execute((&pk, &sk, &json, size, &*prefix))?;
    }
    Ok(())
}

/// Returns what dynoxide orders partitions by in a Scan.
fn hash_prefix(names: &Keys, item: &Item) -> String {
    let hash = text(item, &names.hash).unwrap_or_default();
    compute_hash_prefix(&dynoxide::AttributeValue::S(hash.to_owned()))
}

/// Returns the stored texts of the keys of an item; `None` if it has none.
fn key_texts(names: &Keys, item: &Item) -> Option<[String; 2]> {
    let range = match &names.range {
        Some(range) => key_text(text(item, range)?),
        None => String::new(),
    };
    Some([key_text(text(item, &names.hash)?), range])
}

fn text<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    let value = item.get(name).map(AttributeValue::as_s);
    value?.ok().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::embedded::Engine;
    use aws_sdk_dynamodb::primitives::Blob;
    use serde_json::{Value, json};

    async fn run(engine: &Engine, operation: &str, body: &Value) {
        let reply = engine.run(operation, &body.to_string()).await;
        assert_eq!(reply.status, 200, "{:?}", String::from_utf8(reply.body));
    }

    /// Opens an engine with tables of these names, and creates them with these members.
    async fn engine_with(folder: &Path, tables: &[&str], members: &Value) -> Engine {
        let folder = Arc::new(DataFolder::open(folder).unwrap());
        let engine = Engine::open(folder).unwrap();
        for table in tables {
            let mut body = json!({
                "TableName": table,
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "S"}, {"AttributeName": "r", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}, {"AttributeName": "r", "KeyType": "RANGE"}],
            });
            let (body_members, members) =
                (body.as_object_mut().unwrap(), members.as_object().unwrap());
            body_members.extend(members.clone());
            run(&engine, "CreateTable", &body).await;
        }
        engine
    }

    /// An item with attributes of all types, in the types of the SDK and in DynamoDB's JSON.
    fn item() -> (Item, Value) {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let number = |digits: &str| AttributeValue::N(digits.to_owned());
        let nested = AttributeValue::L(vec![
            text("ž\"\n"),
            AttributeValue::Null(true),
            number("-0.5"),
        ]);
        let attributes = [
            ("h", text("acme")),
            ("r", text("007")),
            ("n", number("12300")),
            ("b", AttributeValue::B(Blob::new([0, 255]))),
            ("f", AttributeValue::Bool(false)),
            (
                "m",
                AttributeValue::M(HashMap::from([("l".to_owned(), nested)])),
            ),
            (
                "ss",
                AttributeValue::Ss(vec!["x".to_owned(), "yy".to_owned()]),
            ),
            (
                "ns",
                AttributeValue::Ns(vec!["1".to_owned(), "2.5".to_owned()]),
            ),
            ("bs", AttributeValue::Bs(vec![Blob::new("z")])),
        ];
        let json = json!({
            "h": {"S": "acme"}, "r": {"S": "007"}, "n": {"N": "12300"}, "b": {"B": "AP8="}, "f": {"BOOL": false},
            "m": {"M": {"l": {"L": [{"S": "ž\"\n"}, {"NULL": true}, {"N": "-0.5"}]}}},
            "ss": {"SS": ["x", "yy"]}, "ns": {"NS": ["1", "2.5"]}, "bs": {"BS": ["eg=="]},
        });
        let attributes = attributes.into_iter();
        (
            attributes
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            json,
        )
    }

    #[tokio::test]
    async fn a_row_is_the_one_that_dynoxide_writes() {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine_with(folder.path(), &["ours", "theirs"], &json!({})).await;
        let (item, json) = item();
        assert!(
            engine
                .put_items("ours", Arc::new(vec![item]))
                .await
                .unwrap()
        );
        run(
            &engine,
            "PutItem",
            &json!({"TableName": "theirs", "Item": json}),
        )
        .await;
        let row = |table: &str| {
            let database = Connection::open(folder.path().join("tables.sqlite")).unwrap();
            let sql =
                format!("SELECT pk, sk, item_json, item_size, hash_prefix, cached_at FROM {table}");
            let row: (String, String, String, i64, String, Option<f64>) =
                database.query_row(&sql, [], |row| row.try_into()).unwrap();
            let item: Value = serde_json::from_str(&row.2).unwrap();
            (row.0, row.1, item, row.3, row.4, row.5)
        };
        assert_eq!(row("ours"), row("theirs"));
    }

    #[tokio::test]
    async fn what_was_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine_with(folder.path(), &["table"], &json!({})).await;
        let (item, _) = item();
        let other = Item::from(
            [("h", "acme"), ("r", "008")]
                .map(|(name, text)| (name.to_owned(), AttributeValue::S(text.to_owned()))),
        );
        engine
            .put_items("table", Arc::new(vec![item.clone()]))
            .await
            .unwrap();
        let read = engine
            .get_items("table", Arc::new(vec![other, item.clone()]))
            .await;
        assert_eq!(read.unwrap(), Some(vec![item]));
    }

    #[tokio::test]
    async fn a_table_with_an_index_or_a_stream_is_left_to_dynoxide() {
        let index = json!({"GlobalSecondaryIndexes": [{
            "IndexName": "index", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [{"AttributeName": "r", "KeyType": "HASH"}]}]});
        let stream =
            json!({"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}});
        for members in [index, stream] {
            let folder = tempfile::tempdir().unwrap();
            let engine = engine_with(folder.path(), &["table"], &members).await;
            let (item, _) = item();
            let keys = Arc::new(vec![item]);
            assert!(
                !engine.put_items("table", keys.clone()).await.unwrap(),
                "{members}"
            );
            assert_eq!(
                engine.get_items("table", keys).await.unwrap(),
                Some(Vec::new())
            );
        }
    }
}
