//! Tests that rows are written and read as dynoxide would.

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
        let (body_members, members) = (body.as_object_mut().unwrap(), members.as_object().unwrap());
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
async fn an_item_that_is_stored_as_it_is_is_not_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_with(folder.path(), &["table"], &json!({})).await;
    let key = |range: &str| {
        Item::from(
            [("h", "acme"), ("r", range)]
                .map(|(name, text)| (name.to_owned(), AttributeValue::S(text.to_owned()))),
        )
    };
    let (item, _) = item();
    let mut changed = item.clone();
    changed.extend(key("008"));
    let stored = vec![item.clone(), changed.clone()];
    engine.put_items("table", Arc::new(stored)).await.unwrap();
    changed.insert("f".to_owned(), AttributeValue::Bool(true));
    let keys = Arc::new(vec![key("000"), key("007"), key("008")]);
    // In other orders of its members than the stored one.
    let rebuilt: Item = item.clone().into_iter().collect();
    let items = [Some(&item), Some(&rebuilt), Some(&changed)];
    let compared = engine.compare_items("table", keys, &items).await.unwrap();
    changed.insert("f".to_owned(), AttributeValue::Bool(false));
    assert_eq!(compared, Some(vec![(1, None), (2, Some(changed))]));
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
