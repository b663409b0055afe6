//! Tests that items are written and read as dynoxide would, and of what no other process can bring about.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{FutureExt as _, SinkExt as _};
use items::{ItemMembers, Partition, Table};
use rusqlite::Connection;
use serde_json::{Value, json};
use store::{Error, PageRead, TableReader as _};
use tables::{ItemChange, TableWriter};
use tokio::net::UnixListener;
use tokio::task::JoinHandle;

use super::dynamodb_operations::Operation;
use super::folder_socket::{self, VERSION};
use super::{DataFolder, FolderStore, ServedFolder, SocketServer, back_up};

async fn run(store: &FolderStore, operation: &str, body: &Value) -> Value {
    let operation = Operation::named(operation).unwrap();
    let reply = store.operate(operation, body.to_string().into());
    serde_json::from_str(&reply.await.unwrap()).unwrap()
}

async fn open(folder: &Path) -> FolderStore {
    let folder = Arc::new(DataFolder::open(folder).unwrap());
    let store = FolderStore::open(folder).unwrap();
    store.create_missing_tables().await.unwrap();
    store
}

/// Makes the changes that write these users.
fn puts(items: &[String]) -> Vec<ItemChange> {
    let put = |json: &String| ItemChange {
        key: ItemMembers::of_item(json)
            .unwrap()
            .key(Table::Users)
            .unwrap(),
        before: None,
        after: json.clone(),
        guard: &[],
    };
    items.iter().map(put).collect()
}

/// Writes users, whatever is stored of them.
async fn put(store: &impl TableWriter, items: &[String]) -> Vec<bool> {
    let mut changes = puts(items);
    let keys = changes.iter().map(|change| change.key.clone()).collect();
    let mut stored = store.get(Table::Users, keys).await.unwrap();
    for change in &mut changes {
        change.before = stored.remove(&change.key);
    }
    store.replace(Table::Users, changes).await.unwrap()
}

fn user(id: &str) -> String {
    json!({"project": {"S": "acme"}, "userId": {"S": id}}).to_string()
}

/// An item with attributes of all types, in DynamoDB's JSON.
fn item() -> Value {
    json!({
        "project": {"S": "acme"}, "userId": {"S": "007"}, "n": {"N": "12300"}, "b": {"B": "AP8="},
        "f": {"BOOL": false},
        "m": {"M": {"l": {"L": [{"S": "ž\"\n"}, {"NULL": true}, {"N": "-0.5"}]}}},
        "ss": {"SS": ["x", "yy"]}, "ns": {"NS": ["1", "2.5"]}, "bs": {"BS": ["eg=="]},
    })
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
    let item = item();
    let store_of_ours = open(ours.path()).await;
    put(&store_of_ours, &[item.to_string()]).await;
    let put = json!({"TableName": "users", "Item": item});
    run(&open(theirs.path()).await, "PutItem", &put).await;
    assert_eq!(row(ours.path()), row(theirs.path()));
}

#[tokio::test]
async fn changes_are_one_transaction_and_keep_the_places_of_rows() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let user = |id: &str, flag: bool| {
        json!({"f": {"BOOL": flag}, "project": {"S": "acme"}, "userId": {"S": id}}).to_string()
    };
    put(&store, &[user("007", false), user("008", false)]).await;
    let mut broken = puts(&[user("007", true), user("009", true)]);
    broken[1].after = "no item".to_owned();
    assert!(store.replace(Table::Users, broken).await.is_err());
    put(&store, &[user("007", true)]).await;
    let database = Connection::open(folder.path().join("tables.sqlite")).unwrap();
    let mut statement = database
        .prepare("SELECT sk, item_json, item_size FROM users ORDER BY rowid")
        .unwrap();
    let found = statement.query_map([], |row| row.try_into()).unwrap();
    let rows: Vec<(String, String, i64)> = found.map(Result::unwrap).collect();
    let row = |id: &str, flag: bool| {
        let json = format!(
            r#"{{"f":{{"BOOL":{flag}}},"project":{{"S":"acme"}},"userId":{{"S":"{id}"}}}}"#
        );
        (format!("S:{id}"), json, 22)
    };
    assert_eq!(rows, [row("007", true), row("008", false)]);
}

#[tokio::test]
async fn an_item_is_changed_only_if_it_is_as_it_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let user = |email: &str, name: &str| {
        json!({"email": {"S": email}, "name": {"S": name}, "project": {"S": "acme"}, "userId": {"S": "007"}}).to_string()
    };
    let change = |before: Option<String>, after: String| ItemChange {
        before,
        ..puts(&[after]).remove(0)
    };
    for (before, after, is_made) in [
        (None, user("a", "A"), true),
        // Another program has created it meanwhile.
        (None, user("b", "B"), false),
        (Some(user("b", "A")), user("c", "C"), false),
        (Some(user("a", "A")), user("d", "D"), true),
    ] {
        let changes = vec![change(before, after.clone())];
        let key = changes[0].key.clone();
        let made = store.replace(Table::Users, changes).await.unwrap();
        assert_eq!(made, [is_made]);
        let stored = store.get(Table::Users, vec![key.clone()]).await.unwrap();
        assert_eq!(stored[&key] == after, is_made);
    }
}

/// Returns the read of all users of a project.
fn users(project: &str) -> PageRead {
    PageRead::of(Partition::Users(project.to_owned()))
}

/// Keeps the thread that writes busy until something is sent, or the sender is dropped.
async fn block_writer(store: &FolderStore) -> (Sender<()>, JoinHandle<Result<(), Error>>) {
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (busy, is_busy) = tokio::sync::oneshot::channel();
    let blocking = store.clone();
    let blocked = tokio::spawn(async move {
        let block = move |_: &mut Connection| {
            busy.send(()).unwrap();
            let _ = released.recv();
            Ok(())
        };
        blocking.write("block", block).await
    });
    is_busy.await.unwrap();
    (release, blocked)
}

/// `DataFolder::connect` says why.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_the_thread_of_dynoxide_changes_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    // The log has something to move into the database.
    put(&store, &[user("001")]).await;
    let files = || {
        ["tables.sqlite", "tables.sqlite-wal"]
            .map(|name| std::fs::read(folder.path().join(name)).unwrap())
    };
    let (release, blocked) = block_writer(&store).await;
    let before = files();

    let delete = puts(&[user("003")]).remove(0).key;
    let put_item =
        json!({"TableName": "users", "Item": {"project": {"S": "acme"}, "userId": {"S": "004"}}});
    let one_more = [user("002")];
    let mut writes = Box::pin(futures_util::future::join4(
        store.create_missing_tables(),
        put(&store, &one_more),
        store.delete(Table::Users, vec![delete]),
        run(&store, "PutItem", &put_item),
    ));
    assert!((&mut writes).now_or_never().is_none());
    let mut none = |_| panic!("there is no credential");
    store.all(Table::Credentials, &mut none).await.unwrap();
    let page = store.page(users("acme")).await.unwrap();
    assert!(page.as_ref().starts_with(br#"{"Items":[{"#));
    let copy = tempfile::NamedTempFile::new().unwrap();
    assert_eq!(back_up(folder.path(), copy.path()).unwrap().users, 1);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!((&mut writes).now_or_never().is_none());
    assert!(files() == before);

    release.send(()).unwrap();
    blocked.await.unwrap().unwrap();
    let (created, written, deleted, operated) = writes.await;
    assert!(created.is_ok() && deleted.is_ok());
    assert_eq!(written, [true]);
    assert_eq!(operated, json!({}));
    assert!(files() != before);
}

#[tokio::test]
async fn a_served_folder_that_works_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let _server = SocketServer::start(store.clone()).unwrap();
    let served = ServedFolder::connect(folder.path()).await.unwrap().unwrap();
    let (release, _) = block_writer(&store).await;
    let one = [user("001")];
    let mut write = Box::pin(put(&served, &one));
    // A paused clock would show a silent server before the call has arrived there, and before its reply is here.
    let arrived = tokio::time::timeout(Duration::from_millis(50), &mut write);
    assert!(arrived.await.is_err());
    tokio::time::pause();
    let hour = tokio::time::timeout(Duration::from_hours(1), &mut write);
    assert!(hour.await.is_err());
    tokio::time::resume();
    drop(release);
    assert_eq!(write.await, [true]);
}

#[tokio::test]
async fn a_served_folder_that_is_silent_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()).await);
    let listener = UnixListener::bind(folder.path().join("serve.sock")).unwrap();
    let connected = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut messages = folder_socket::messages(stream);
        messages.send(Bytes::from(VERSION)).await.unwrap();
        messages
    });
    let served = ServedFolder::connect(folder.path()).await.unwrap().unwrap();
    let _stopped = connected.await.unwrap();
    tokio::time::pause();
    let error = served.create_missing().await.unwrap_err().to_string();
    assert!(error.contains("does not answer"), "{error}");
}

#[tokio::test]
async fn items_that_no_message_has_room_for_are_read_and_written_in_several() {
    const ITEMS: usize = 13;
    let folder = tempfile::tempdir().unwrap();
    let _server = SocketServer::start(open(folder.path()).await).unwrap();
    let served = ServedFolder::connect(folder.path()).await.unwrap().unwrap();
    // Such a character has seven bytes in a message, so all have more than 32 MB.
    let name = "\u{1}".repeat(390_000);
    let user = |n: usize| {
        json!({"name": {"S": name}, "project": {"S": "acme"}, "userId": {"S": n.to_string()}})
            .to_string()
    };
    let items: Vec<_> = (0..ITEMS).map(user).collect();
    assert_eq!(put(&served, &items).await, [true; ITEMS]);
    let keys = puts(&items).into_iter().map(|it| it.key);
    let stored = served.get(Table::Users, keys.collect()).await.unwrap();
    assert_eq!(stored.len(), ITEMS);
    let mut count = 0;
    let mut read = |items: Vec<String>| {
        count += items.len();
        Ok(())
    };
    served.all(Table::Users, &mut read).await.unwrap();
    assert_eq!(count, ITEMS);
}

#[tokio::test]
async fn a_folder_that_was_moved_is_not_read_at_its_former_path() {
    let parent = tempfile::tempdir().unwrap();
    let [path, moved] = ["data", "moved"].map(|name| parent.path().join(name));
    let store = open(&path).await;
    store.page(users("acme")).await.unwrap();
    std::fs::rename(&path, moved).unwrap();
    let other = open(&path).await;
    put(&other, &[user("001")]).await;
    let error = store.page(users("acme")).await.unwrap_err().to_string();
    assert!(error.contains("was moved: start serve again"), "{error}");
}

/// Returns how often the files of a folder contain this text.
fn occurrences(folder: &Path, text: &str) -> usize {
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    let count = |file: Vec<u8>| String::from_utf8_lossy(&file).matches(text).count();
    files.map(count).sum()
}

/// `secure_delete` alone leaves some of them in unused parts of pages.
#[tokio::test]
async fn no_file_holds_what_was_deleted_or_replaced_among_sixty_thousand_items() {
    const ITEMS: usize = 60_000;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let user = |n: usize, text: &str| {
        // In no order, and a few are longer than a page.
        let id = n * 7_919 % ITEMS;
        let padding = "x".repeat(if n % 100 == 7 { 9_000 } else { id % 120 });
        json!({"project": {"S": "acme"}, "userId": {"S": format!("{text}-{id}")},
               "name": {"S": format!("{text} {padding}")}})
        .to_string()
    };
    let of = |n: usize| if n % 150 == 7 { "erased" } else { "kept" };
    for chunk in 0..ITEMS / 2_000 {
        let of_chunk = chunk * 2_000..(chunk + 1) * 2_000;
        let items: Vec<_> = of_chunk.map(|n| user(n, of(n))).collect();
        put(&store, &items).await;
    }
    // A reader that waits, as those of `serve` do.
    store.page(users("acme")).await.unwrap();
    let kept = (0..ITEMS).filter(|n| of(*n) == "kept");
    let replaced: Vec<_> = kept.step_by(150).map(|n| user(n, "kept")).collect();
    for text in ["replaced", "new"] {
        let changed = replaced.iter().map(|item| {
            let mut item: Value = serde_json::from_str(item).unwrap();
            item["name"]["S"] = json!(text.repeat(30));
            item.to_string()
        });
        let changed: Vec<_> = changed.collect();
        put(&store, &changed).await;
    }
    let erased = (0..ITEMS).filter(|n| of(*n) == "erased");
    let erased: Vec<_> = erased.map(|n| user(n, "erased")).collect();
    assert_eq!((erased.len(), replaced.len()), (400, 398));
    let keys = puts(&erased).into_iter().map(|it| it.key);
    store.delete(Table::Users, keys.collect()).await.unwrap();
    let left = |text: &str| occurrences(folder.path(), text);
    assert!(left("erased") > 0 && left("replaced") > 0);

    store.rewrite().await.unwrap();
    assert_eq!((left("erased"), left("replaced")), (0, 0));
    assert!(left("newnew") >= replaced.len());
    let backups = tempfile::tempdir().unwrap();
    let copied = back_up(folder.path(), &backups.path().join("backup.sqlite")).unwrap();
    let stored = u64::try_from(ITEMS - erased.len()).unwrap();
    assert_eq!(copied.users, stored);
    let [erased, replaced] = ["erased", "replaced"].map(|text| occurrences(backups.path(), text));
    assert_eq!((erased, replaced), (0, 0));
    // They stay writable.
    put(&store, &[user(7, "later")]).await;
}
