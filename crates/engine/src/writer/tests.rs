//! Tests that rows are written and read as dynoxide would.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use super::*;
use crate::{DataFolder, Engine};
use encoding::encode;
use shared::items::{PagedTable, Partition};
use shared::store::{
    Attributes, Consistency, Error, ErrorKind, KeyRange, LocalStore as _, PageRead,
};

fn tables() -> Tables {
    Tables {
        users: "users".to_owned(),
        responses: "responses".to_owned(),
        credentials: "credentials".to_owned(),
    }
}

async fn run(engine: &Engine, operation: &str, body: &Value) -> Value {
    let reply = engine
        .run(operation.to_owned(), body.to_string().into())
        .await;
    assert_eq!(reply.status, 200, "{:?}", String::from_utf8(reply.body));
    serde_json::from_slice(&reply.body).unwrap()
}

async fn engine(folder: &Path) -> Engine {
    let folder = Arc::new(DataFolder::open(folder).unwrap());
    let engine = Engine::open(folder, tables()).unwrap();
    engine.create_missing_tables().await.unwrap();
    engine
}

fn user(id: &str) -> Item {
    let key = [("project", "acme"), ("userId", id)];
    key.map(|(name, text)| (name.to_owned(), AttributeValue::S(text.to_owned())))
        .into()
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
        ("project", text("acme")),
        ("userId", text("007")),
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
        "project": {"S": "acme"}, "userId": {"S": "007"}, "n": {"N": "12300"}, "b": {"B": "AP8="},
        "f": {"BOOL": false},
        "m": {"M": {"l": {"L": [{"S": "ž\"\n"}, {"NULL": true}, {"N": "-0.5"}]}}},
        "ss": {"SS": ["x", "yy"]}, "ns": {"NS": ["1", "2.5"]}, "bs": {"BS": ["eg=="]},
    });
    let attributes = attributes.map(|(name, value)| (name.to_owned(), value));
    (attributes.into(), json)
}

/// Returns the columns of the only row of a table.
fn row(folder: &Path) -> (String, String, Value, i64, String, Option<f64>) {
    let database = Connection::open(folder.join("tables.sqlite")).unwrap();
    let sql = "SELECT pk, sk, item_json, item_size, hash_prefix, cached_at FROM users";
    let row: (String, String, String, i64, String, Option<f64>) =
        database.query_row(sql, [], |row| row.try_into()).unwrap();
    let item = serde_json::from_str(&row.2).unwrap();
    (row.0, row.1, item, row.3, row.4, row.5)
}

#[tokio::test]
async fn a_row_is_the_one_that_dynoxide_writes() {
    let [ours, theirs] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (item, json) = item();
    let engine_of_ours = engine(ours.path()).await;
    engine_of_ours.put(Table::USERS, vec![item]).await.unwrap();
    let put = json!({"TableName": "users", "Item": json});
    run(&engine(theirs.path()).await, "PutItem", &put).await;
    assert_eq!(row(ours.path()), row(theirs.path()));
}

#[tokio::test]
async fn a_transaction_that_fails_puts_nothing_and_one_that_succeeds_keeps_the_places_of_rows() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path()).await;
    let put = |id: &'static str, flag: bool, fails: bool| {
        engine.transact(PagedTable::Users, move |rows| {
            let mut item = user(id);
            item.insert("f".to_owned(), AttributeValue::Bool(flag));
            let stored = rows.get(["acme", id])?;
            rows.put(["acme", id], stored.as_ref(), &encode(&item).unwrap())?;
            let refused = || Error::new(ErrorKind::Refused, "test", "refused");
            if fails {
                Err(refused())
            } else {
                Ok(stored.is_some())
            }
        })
    };
    assert!(!put("007", false, false).await.unwrap());
    assert!(!put("008", false, false).await.unwrap());
    assert!(put("007", true, true).await.is_err());
    assert!(put("009", true, true).await.is_err());
    assert!(put("007", true, false).await.unwrap());
    let database = Connection::open(folder.path().join("tables.sqlite")).unwrap();
    let mut rows = database
        .prepare("SELECT sk, item_json, item_size FROM users ORDER BY rowid")
        .unwrap();
    let rows = rows.query_map([], |row| row.try_into()).unwrap();
    let rows: Vec<(String, String, i64)> = rows.map(Result::unwrap).collect();
    let row = |id: &str, flag: bool| {
        let json = format!(
            r#"{{"f":{{"BOOL":{flag}}},"project":{{"S":"acme"}},"userId":{{"S":"{id}"}}}}"#
        );
        (format!("S:{id}"), json, 22)
    };
    assert_eq!(rows, [row("007", true), row("008", false)]);
}

/// `DataFolder::connect` says why.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_the_thread_of_dynoxide_changes_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let data = Arc::new(DataFolder::open(folder.path()).unwrap());
    let engine = Engine::open(data.clone(), tables()).unwrap();
    engine.create_missing_tables().await.unwrap();
    // The log has something to move into the database.
    let first = vec![user("001")];
    engine.put(Table::USERS, first.clone()).await.unwrap();
    let files = || {
        ["tables.sqlite", "tables.sqlite-wal"]
            .map(|name| std::fs::read(folder.path().join(name)).unwrap())
    };
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (busy, is_busy) = tokio::sync::oneshot::channel();
    let blocking = engine.clone();
    let blocked = tokio::spawn(async move {
        let block = move |_: &mut Writer| {
            busy.send(()).unwrap();
            released.recv().unwrap();
            Ok(())
        };
        blocking.with_writer(block).await
    });
    is_busy.await.unwrap();
    let before = files();

    let mut writes = tokio::task::JoinSet::new();
    let it = engine.clone();
    writes.spawn(async move { it.create_missing_tables().await.is_ok() });
    let it = engine.clone();
    writes.spawn(async move { it.put(Table::USERS, vec![user("002")]).await.is_ok() });
    let it = engine.clone();
    writes.spawn(async move { it.delete(Table::USERS, vec![user("003")]).await.is_ok() });
    let it = engine.clone();
    writes.spawn(async move { it.transact(PagedTable::Users, |_| Ok(())).await.is_ok() });
    let it = engine.clone();
    writes.spawn(async move {
        let put = json!({"TableName": "users", "Item": {"project": {"S": "acme"}, "userId": {"S": "004"}}});
        it.run("PutItem".to_owned(), put.to_string().into()).await.status == 200
    });
    let address = ([127, 0, 0, 1], 1).into();
    data.note(address, address, tables());
    assert_eq!(engine.credentials().await.unwrap(), []);
    let page = PageRead {
        partition: Partition {
            table: PagedTable::Users,
            key: "acme".to_owned(),
        },
        range: KeyRange::All,
        after: None,
        limit: None,
        attributes: Attributes::All,
        consistency: Consistency::Eventual,
    };
    assert!(engine.page(page).await.unwrap().keys.is_some());
    let copy = tempfile::NamedTempFile::new().unwrap();
    assert_eq!(crate::back_up(folder.path(), copy.path()).unwrap().users, 1);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(writes.try_join_next().is_none());
    assert!(files() == before);

    release.send(()).unwrap();
    blocked.await.unwrap().unwrap().unwrap();
    assert_eq!(writes.join_all().await, [true; 5]);
    assert!(files() != before);
}
