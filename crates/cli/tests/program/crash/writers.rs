//! Programs that write through the DynamoDB address of a `serve` that is killed, or whose disk is full.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::disks::{Disk, IGNORE_FILE_LIMIT};
use super::power_disk::PowerDisk;
use super::{Random, Wrong, is_whole};
use crate::http::{Connection, put_user};
use crate::process::{SERVE, Served, feedback, restricted};

const WRITERS: usize = 4;
const KEYS: u64 = 30;
/// The latest moment at which a `serve` is killed: after its start, and after its first writes.
const STARTING: Duration = Duration::from_millis(200);
const WRITING: Duration = Duration::from_millis(300);
/// More new users than the log has room for that it reuses, a few megabytes.
const NEW_USERS: u64 = 1000;

/// The number that an item holds, if the item exists.
type Content = Option<u64>;

/// A data folder that is served, killed and served again.
pub(super) struct Store {
    folder: PathBuf,
    random: Random,
    writers: Vec<Writer>,
    wrong: Wrong,
}

/// A program with keys of its own, so that it knows what they hold.
struct Writer {
    name: usize,
    random: Random,
    acknowledged: BTreeMap<String, Content>,
    /// What was sent afterwards and not acknowledged: it may be stored or not, each key by itself.
    uncertain: BTreeMap<String, Vec<Content>>,
    acknowledgements: u64,
}

impl Store {
    pub(super) fn new(folder: &Path, mut random: Random) -> Self {
        let writers = (0..WRITERS).map(|name| Writer {
            name,
            random: Random(random.below(u64::MAX)),
            acknowledged: BTreeMap::new(),
            uncertain: BTreeMap::new(),
            acknowledgements: 0,
        });
        Self {
            folder: folder.to_owned(),
            writers: writers.collect(),
            random,
            wrong: Wrong::default(),
        }
    }

    /// Serves the folder, checks what it holds, writes, and kills the process at a random moment. Sometimes
    /// kills another one before that, which has not started completely.
    pub(super) fn kill(&mut self) {
        if self.random.below(3) == 0 {
            let mut starting = feedback(&self.serve()).spawn().unwrap();
            sleep(self.random.duration_up_to(STARTING));
            starting.kill().unwrap();
            starting.wait().unwrap();
        }
        let moment = self.random.duration_up_to(WRITING);
        self.write_during(|_| sleep(moment));
    }

    /// Fills the disk up until a write is refused, and empties it again a moment later. Afterwards no write
    /// is refused, and no read ever is.
    pub(super) fn fill(&mut self, disk: &impl Disk) {
        let before = self.random.duration_up_to(WRITING);
        let left = self.random.below(64) << 10;
        let full = self.random.duration_up_to(WRITING);
        let first = self.random.below(1 << 40);
        let was_full = self.write_during(|served| {
            sleep(before);
            let process = served.process.id();
            disk.fill(process, left);
            // What the writers replace may fit where something was before; new users need room.
            let was_full = (first..first + NEW_USERS).any(|number| {
                let is_stored = put_new_user(served.dynamodb(), number);
                // A checkpoint may have freed room.
                disk.fill(process, 0);
                !is_stored
            });
            sleep(full);
            stored(served.dynamodb());
            disk.empty(process);
            put_user(served.dynamodb(), "not of a writer");
            was_full
        });
        assert!(was_full, "the disk was never full");
    }

    /// Serves the folder, checks what it holds, writes, and cuts the power at a random moment.
    pub(super) fn lose_power(&mut self, disk: &PowerDisk) {
        let moment = self.random.duration_up_to(WRITING);
        let after = self.random.duration_up_to(WRITING);
        let function = |_: &Served| {
            disk.cut_power_after(moment);
            sleep(after);
        };
        self.write_while(|| disk.has_power(), function);
        disk.restore();
    }

    /// Serves the folder, checks what it holds, writes while the function runs, and kills the process.
    /// Returns what the function does.
    fn write_during<T>(&mut self, function: impl FnOnce(&Served) -> T) -> T {
        self.write_while(|| true, function)
    }

    /// Does the same; what is answered when the condition does not hold is not acknowledged.
    fn write_while<T>(
        &mut self,
        holds: impl Fn() -> bool + Sync,
        function: impl FnOnce(&Served) -> T,
    ) -> T {
        let restrictions = format!("{IGNORE_FILE_LIMIT} && exec");
        let mut served = Served::ready(restricted(&restrictions, &self.serve()).spawn().unwrap());
        self.check(served.dynamodb());
        let result = std::thread::scope(|scope| {
            for writer in &mut self.writers {
                let mut connection = Connection::open(served.dynamodb()).unwrap();
                let holds = &holds;
                scope.spawn(move || while writer.write(&mut connection, holds).is_ok() {});
            }
            let result = function(&served);
            served.signal("KILL");
            result
        });
        served.wait();
        result
    }

    fn serve(&self) -> String {
        format!("{SERVE} --data {}", self.folder.display())
    }

    pub(super) fn acknowledgements(&self) -> u64 {
        let writers = self.writers.iter();
        writers.map(|writer| writer.acknowledgements).sum()
    }

    /// Serves the folder a last time, and returns what was wrong with it from the start.
    pub(super) fn verdict(mut self) -> Wrong {
        let served = Served::with_data(&self.folder);
        self.check(served.dynamodb());
        self.wrong
    }

    /// Compares what is stored with what was acknowledged.
    fn check(&mut self, address: &str) {
        self.wrong.corrupt += usize::from(!is_whole(&self.folder));
        let mut stored = stored(address);
        for writer in &mut self.writers {
            self.wrong.lost += writer.lost(&mut stored);
        }
        self.wrong.invented += stored.len();
    }
}

/// Returns all items of the project.
fn stored(address: &str) -> BTreeMap<String, u64> {
    let query = json!({
        "TableName": "users", "ConsistentRead": true,
        "KeyConditionExpression": "#project = :project",
        "ExpressionAttributeNames": {"#project": "project"},
        "ExpressionAttributeValues": {":project": {"S": "crash"}},
    });
    let mut connection = Connection::open(address).unwrap();
    let page = connection.operate("Query", &query.to_string()).unwrap();
    let page: Value = serde_json::from_str(&page).unwrap();
    assert!(page.get("LastEvaluatedKey").is_none(), "one page holds all");
    let items = page["Items"].as_array().unwrap().iter();
    let stored = items.map(|item| {
        let [name, number] = [&item["userId"]["S"], &item["number"]["N"]];
        let number = number.as_str().unwrap().parse().unwrap();
        (name.as_str().unwrap().to_owned(), number)
    });
    stored.collect()
}

/// Puts a user of a hundred kilobytes that no writer has; returns whether it is stored.
fn put_new_user(address: &str, number: u64) -> bool {
    let item = json!({
        "project": {"S": "new"}, "userId": {"S": number.to_string()},
        "padding": {"S": "x".repeat(100 << 10)},
    });
    let input = json!({"TableName": "users", "Item": item});
    let mut connection = Connection::open(address).unwrap();
    is_stored(&connection.exchange("PutItem", &input.to_string()).unwrap())
}

/// Returns whether a write succeeded. If not, the response is an error in DynamoDB's form, in one line.
fn is_stored((status, response): &(u16, String)) -> bool {
    if *status == 200 {
        return true;
    }
    let error: Value = serde_json::from_str(response).unwrap_or_default();
    let message = error["message"].as_str().or(error["Message"].as_str());
    let is_line = message.is_some_and(|message| message.lines().count() == 1);
    let is_error = *status == 500 && error["__type"].is_string();
    assert!(is_error && is_line, "{status} {response}");
    false
}

impl Writer {
    /// Writes something, and notes whether it was acknowledged while the condition held.
    fn write(
        &mut self,
        connection: &mut Connection,
        holds: impl Fn() -> bool,
    ) -> std::io::Result<()> {
        let (operation, input, written) = self.next();
        let response = connection.exchange(operation, &input.to_string());
        if let Ok((200, response)) = &response
            && holds()
        {
            assert!(!response.contains("\"UnprocessedItems\":{\""), "{response}");
            self.uncertain.retain(|key, _| !written.contains_key(key));
            self.acknowledged.extend(written);
            self.acknowledgements += 1;
        } else {
            for (key, content) in written {
                self.uncertain.entry(key).or_default().push(content);
            }
        }
        is_stored(&response?);
        Ok(())
    }

    /// Returns the next operation, its input, and what it makes of which keys.
    fn next(&mut self) -> (&'static str, Value, BTreeMap<String, Content>) {
        let number = self.random.below(1 << 40);
        let name = format!("writer-{}-{:02}", self.name, self.random.below(KEYS));
        let key = json!({"project": {"S": "crash"}, "userId": {"S": name}});
        let padding = "x".repeat(usize::try_from(self.random.below(6 << 10)).unwrap());
        let item = |name: &str| {
            json!({
                "project": {"S": "crash"}, "userId": {"S": name},
                "number": {"N": number.to_string()}, "padding": {"S": padding},
            })
        };
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

    /// Takes the keys of this writer out of what is stored, and returns how many do not hold what they must.
    /// What they hold is what the next writes find.
    fn lost(&mut self, stored: &mut BTreeMap<String, u64>) -> usize {
        let mut lost = 0;
        for key in 0..KEYS {
            let name = format!("writer-{}-{key:02}", self.name);
            let found = stored.remove(&name);
            let acknowledged = self.acknowledged.get(&name).copied().flatten();
            let uncertain = self.uncertain.remove(&name).unwrap_or_default();
            if found != acknowledged && !uncertain.contains(&found) {
                eprintln!(
                    "{name}: {acknowledged:?} was acknowledged, {uncertain:?} was not, {found:?} is stored"
                );
                lost += 1;
            }
            self.acknowledged.insert(name, found);
        }
        lost
    }
}
