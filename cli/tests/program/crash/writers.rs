//! Programs that write through the DynamoDB address of a `serve` that is killed.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::Random;
use crate::http::Connection;
use crate::process::{FREE_PORTS, Served, feedback};

const WRITERS: usize = 4;
const KEYS: u64 = 30;
/// The latest moment at which a `serve` is killed: after its start, and after its first writes.
const STARTING: Duration = Duration::from_millis(200);
const WRITING: Duration = Duration::from_millis(300);

/// The number that an item holds, if the item exists.
type Content = Option<u64>;

/// A data folder that is served, killed and served again.
pub(super) struct Store {
    folder: tempfile::TempDir,
    random: Random,
    writers: Vec<Writer>,
}

/// A program with keys of its own, so that it knows what they hold.
struct Writer {
    name: usize,
    random: Random,
    acknowledged: BTreeMap<String, Content>,
    /// What was sent and not answered: it may be stored or not, each key by itself.
    unanswered: BTreeMap<String, Content>,
    answers: u64,
}

impl Store {
    pub(super) fn new(mut random: Random) -> Self {
        let writers = (0..WRITERS).map(|name| Writer {
            name,
            random: Random(random.below(u64::MAX)),
            acknowledged: BTreeMap::new(),
            unanswered: BTreeMap::new(),
            answers: 0,
        });
        Self {
            folder: tempfile::tempdir().unwrap(),
            writers: writers.collect(),
            random,
        }
    }

    /// Serves the folder, checks what it holds, writes, and kills the process at a random moment. Sometimes
    /// kills another one before that, which has not started completely.
    pub(super) fn kill(&mut self) {
        if self.random.below(3) == 0 {
            let data = ["--data", self.folder.path().to_str().unwrap()];
            let mut starting = feedback(&[&FREE_PORTS[..], &data].concat())
                .spawn()
                .unwrap();
            std::thread::sleep(self.random.duration_up_to(STARTING));
            starting.kill().unwrap();
            starting.wait().unwrap();
        }
        let mut served = Served::with_data(self.folder.path());
        self.check(served.dynamodb());
        let moment = self.random.duration_up_to(WRITING);
        std::thread::scope(|scope| {
            for writer in &mut self.writers {
                let mut connection = Connection::open(served.dynamodb()).unwrap();
                scope.spawn(move || while writer.write(&mut connection).is_ok() {});
            }
            std::thread::sleep(moment);
            served.signal("KILL");
        });
        served.wait();
    }

    pub(super) fn acknowledged(&self) -> u64 {
        self.writers.iter().map(|writer| writer.answers).sum()
    }

    /// Compares what is stored with what was acknowledged.
    fn check(&mut self, address: &str) {
        let database = self.folder.path().join("tables.sqlite");
        let database = rusqlite::Connection::open(database).unwrap();
        let verdict = database.query_row("PRAGMA integrity_check", [], |row| row.get(0));
        assert_eq!(verdict, Ok("ok".to_owned()));
        let mut stored = stored(address);
        for writer in &mut self.writers {
            writer.check(&mut stored);
        }
        assert_eq!(stored, BTreeMap::new(), "nobody wrote these");
    }
}

/// Returns all items of the project.
fn stored(address: &str) -> BTreeMap<String, u64> {
    let query = json!({
        "TableName": "users", "ConsistentRead": true, "KeyConditionExpression": "#project = :project", "ExpressionAttributeNames": {"#project": "project"},
        "ExpressionAttributeValues": {":project": {"S": "crash"}},
    });
    let mut connection = Connection::open(address).unwrap();
    let page = connection.operate("Query", &query.to_string()).unwrap();
    let page: Value = serde_json::from_str(&page).unwrap();
    assert!(page.get("LastEvaluatedKey").is_none(), "one page holds all");
    let items = page["Items"].as_array().unwrap().iter();
    let number = |item: &Value| item["number"]["N"].as_str().unwrap().parse().unwrap();
    items
        .map(|item| {
            (
                item["userId"]["S"].as_str().unwrap().to_owned(),
                number(item),
            )
        })
        .collect()
}

impl Writer {
    /// Writes something, and notes what was acknowledged, or that the answer is unknown.
    fn write(&mut self, connection: &mut Connection) -> std::io::Result<()> {
        let (operation, input, written) = self.next();
        match connection.operate(operation, &input.to_string()) {
            Ok(response) => {
                assert!(!response.contains("\"UnprocessedItems\":{\""), "{response}");
                self.acknowledged.extend(written);
                self.answers += 1;
                Ok(())
            }
            Err(error) => {
                self.unanswered.extend(written);
                Err(error)
            }
        }
    }

    /// Returns the next operation, its input, and what it makes of which keys.
    fn next(&mut self) -> (&'static str, Value, BTreeMap<String, Content>) {
        let number = self.random.below(1 << 40);
        let name = format!("writer-{}-{:02}", self.name, self.random.below(KEYS));
        let key = json!({"project": {"S": "crash"}, "userId": {"S": name}});
        let item = |name: &str| json!({"project": {"S": "crash"}, "userId": {"S": name}, "number": {"N": number.to_string()}});
        match self.random.below(4) {
            0 => (
                "PutItem",
                json!({"TableName": "users", "Item": item(&name)}),
                [(name, Some(number))].into(),
            ),
            1 => (
                "DeleteItem",
                json!({"TableName": "users", "Key": key}),
                [(name, None)].into(),
            ),
            2 => (
                "UpdateItem",
                json!({
                    "TableName": "users", "Key": key, "UpdateExpression": "SET #number = :number",
                    "ExpressionAttributeNames": {"#number": "number"},
                    "ExpressionAttributeValues": {":number": {"N": number.to_string()}},
                }),
                [(name, Some(number))].into(),
            ),
            _ => {
                let first = self.random.below(KEYS - 10);
                let names = (first..first + 10).map(|key| format!("writer-{}-{key:02}", self.name));
                let written: BTreeMap<_, _> = names.map(|name| (name, Some(number))).collect();
                let puts = written
                    .keys()
                    .map(|name| json!({"PutRequest": {"Item": item(name)}}));
                let input = json!({"RequestItems": {"users": puts.collect::<Value>()}});
                ("BatchWriteItem", input, written)
            }
        }
    }

    /// Takes the keys of this writer out of what is stored, and checks what they hold. That is what the next
    /// writes find.
    fn check(&mut self, stored: &mut BTreeMap<String, u64>) {
        for key in 0..KEYS {
            let name = format!("writer-{}-{key:02}", self.name);
            let found = stored.remove(&name);
            let acknowledged = self.acknowledged.get(&name).copied().flatten();
            let unanswered = self.unanswered.get(&name);
            assert!(
                found == acknowledged || unanswered == Some(&found),
                "{name}: {acknowledged:?} was acknowledged, {unanswered:?} was not, {found:?} is stored"
            );
            self.acknowledged.insert(name, found);
        }
        self.unanswered.clear();
    }
}
