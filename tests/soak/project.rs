//! A project whose records and users are known: the pages in which a store returns them.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::injector::{Of, Read};
use crate::support::{credential_of, sha256};

/// How many items a page has at most.
pub(super) const PAGE: usize = 15;
const USERS: usize = 80;
/// How many records each shard has: last pages that are full, others that are not, shards of one page, and empty
/// ones.
const RECORDS: [usize; 16] = [45, 52, 31, 9, 0, 15, 16, 3, 1, 22, 0, 30, 7, 14, 17, 2];
/// The plans of users and records in turn.
const PLANS: [&str; 2] = ["pro", "free"];

/// Items in the order of their range keys.
pub(super) type Rows = Vec<(String, Value)>;

static SHARDS: LazyLock<[Rows; 16]> =
    LazyLock::new(|| std::array::from_fn(|shard| records(shard).map(Record::row).collect()));

static USER_ROWS: LazyLock<Rows> = LazyLock::new(|| (0..USERS).map(user_row).collect());

struct Record {
    at: String,
    rating: Option<usize>,
    dismissed: bool,
    plan: &'static str,
}

fn records(shard: usize) -> impl Iterator<Item = Record> {
    (0..RECORDS[shard]).map(move |n| {
        let month = n * 3 / RECORDS[shard];
        Record {
            at: format!(
                "2026-{:02}-15T{:02}:{:02}:00.000Z#{shard}",
                month + 1,
                n / 60,
                n % 60
            ),
            rating: (n % 3 != 0).then_some((n + shard) % 11),
            dismissed: n.is_multiple_of(4),
            plan: PLANS[n % 2],
        }
    })
}

impl Record {
    fn row(self) -> (String, Value) {
        let mut item = json!({"at": {"S": self.at}, "traits": {"M": {"plan": {"S": self.plan}}}});
        if let Some(rating) = self.rating {
            item["rating"] = json!({"N": rating.to_string()});
        }
        if self.dismissed {
            item["dismissed"] = json!({"BOOL": true});
        }
        (self.at, item)
    }
}

fn user_id(n: usize) -> String {
    format!("user-{n:03}")
}

fn user_row(n: usize) -> (String, Value) {
    let user_id = user_id(n);
    let item = json!({
        "project": {"S": "p"}, "userId": {"S": user_id}, "id": {"S": format!("id-{n}")}, "name": {"S": format!("Name {n}")},
        "traits": {"M": {"plan": {"S": PLANS[n % 2]}, "seats": {"N": n.to_string()}}},
    });
    (user_id, item)
}

/// Makes the secret of this number, of a Read Key or a password.
pub(super) fn secret(number: u64, is_key: bool) -> String {
    let mut secrets = (0..).map(|attempt| format!("secret {number} {attempt}"));
    let is_right = |secret: &String| is_of_key(&sha256(secret)) == is_key;
    secrets.find(is_right).unwrap()
}

/// Returns whether the store has a Read Key under this digest; under any other it has a credential for users.
pub(super) fn is_of_key(digest: &str) -> bool {
    digest.ends_with(|last| ('0'..='7').contains(&last))
}

/// Returns the rows of each shard, and those of the users.
pub(super) fn all_rows() -> (&'static [Rows; 16], &'static Rows) {
    (&SHARDS, &USER_ROWS)
}

/// Returns the healthy response of the store: the credential, or the requested page.
pub(super) fn response(operation: &str, input: &Value) -> Value {
    if operation == "GetItem" {
        let digest = input["Key"]["digest"]["S"].as_str().unwrap();
        return credential_of("p", is_of_key(digest));
    }
    let (rows, range) = rows(input);
    let begin = rows.partition_point(|(key, _)| Some(key.as_str()) <= start_key(input, range));
    page(&rows[begin..], range, input)
}

/// Returns the page before the requested one, which ends with the key that the requested one begins after; `None` if
/// the request is for the first page.
pub(super) fn page_before(input: &Value) -> Option<Value> {
    let (rows, range) = rows(input);
    let key = start_key(input, range)?;
    let end = rows.partition_point(|(other, _)| other.as_str() <= key);
    let begin = end.saturating_sub(page_size(input));
    let mut page = page(&rows[begin..end], range, input);
    page["LastEvaluatedKey"] = input["ExclusiveStartKey"].clone();
    Some(page)
}

/// Returns what a request reads.
pub(super) fn read_of(operation: &str, input: &Value) -> Read {
    let values = &input["ExpressionAttributeValues"];
    let of = if operation == "GetItem" {
        Of::Credential
    } else if let Some(shard) = values[":shard"]["S"].as_str() {
        Of::Records(shard_of(shard))
    } else if values[":userId"].is_null() {
        Of::Users
    } else {
        Of::User
    };
    Read {
        of,
        is_later: !input["ExclusiveStartKey"].is_null(),
    }
}

/// Returns the number of the shard with this hash key.
pub(super) fn shard_of(key: &str) -> u64 {
    u64::from_str_radix(key.rsplit_once('#').unwrap().1, 16).unwrap()
}

/// Returns the rows that the Query is about, and the name of their range key.
fn rows(input: &Value) -> (&'static [(String, Value)], &'static str) {
    let values = &input["ExpressionAttributeValues"];
    if let Some(shard) = values[":shard"]["S"].as_str() {
        let rows = &SHARDS[usize::try_from(shard_of(shard)).unwrap()];
        let [start, end] = [":start", ":end"].map(|name| values[name]["S"].as_str().unwrap());
        let begin = rows.partition_point(|(key, _)| key.as_str() < start);
        let end = rows.partition_point(|(key, _)| key.as_str() <= end);
        return (&rows[begin..end], "at");
    }
    let rows = &USER_ROWS[..];
    let Some(user_id) = values[":userId"]["S"].as_str() else {
        return (rows, "userId");
    };
    let at = rows.iter().position(|(key, _)| key == user_id).unwrap();
    (&rows[at..=at], "userId")
}

fn start_key<'a>(input: &'a Value, range: &str) -> Option<&'a str> {
    input["ExclusiveStartKey"][range]["S"].as_str()
}

fn page_size(input: &Value) -> usize {
    let limit = input["Limit"]
        .as_u64()
        .map(|limit| usize::try_from(limit).unwrap());
    limit.map_or(PAGE, |limit| limit.min(PAGE))
}

fn page(rows: &[(String, Value)], range: &str, input: &Value) -> Value {
    let size = page_size(input).min(rows.len());
    let items: Vec<_> = rows[..size].iter().map(|(_, item)| item).collect();
    let mut page = json!({
        "ConsumedCapacity": {"CapacityUnits": 0.5, "TableName": input["TableName"]}, "Count": size, "Items": items, "ScannedCount": size,
    });
    // DynamoDB returns a key with a page that is full, even if it is the last one.
    if size == page_size(input)
        && let Some((key, _)) = rows[..size].last()
    {
        let values = &input["ExpressionAttributeValues"];
        page["LastEvaluatedKey"] = match range {
            "at" => json!({"shard": values[":shard"], "at": {"S": key}}),
            _ => json!({"project": values[":project"], "userId": {"S": key}}),
        };
    }
    page
}
