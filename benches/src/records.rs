//! The records that the stub serves: like those of an app, with six traits.

use serde_json::{Map, Value, json};

/// An attribute map in DynamoDB's JSON.
pub(crate) type Item = Map<String, Value>;

const PLANS: [&str; 4] = ["free", "pro", "team", "enterprise"];
const COUNTRIES: [&str; 4] = ["Finland", "Germany", "United States", "Japan"];
const BROWSERS: [&str; 3] = ["Firefox 128", "Chrome 126", "Safari 17.5"];

fn one_of<'a>(list: &[&'a str], n: usize) -> &'a str {
    list.get(n % list.len()).copied().unwrap_or_default()
}

/// Returns the traits of the `n`th record.
fn traits(n: usize) -> Value {
    json!({"M": {
        "plan": {"S": one_of(&PLANS, n * 7 / 3)},
        "country": {"S": one_of(&COUNTRIES, n * 5 / 2)},
        "browser": {"S": one_of(&BROWSERS, n)},
        "company": {"S": format!("Company {:03}", n % 20)},
        "seats": {"N": (n % 99 + 1).to_string()},
        "admin": {"BOOL": n.is_multiple_of(5)},
    }})
}

/// Returns the `n`th response record of a page.
pub(crate) fn response(n: usize) -> Item {
    let mut item = Item::new();
    item.insert("shard".to_owned(), json!({"S": "acme#0"}));
    item.insert("at".to_owned(), json!({"S": sort_key(n)}));
    item.insert("userId".to_owned(), json!({"S": format!("user-{n:06}")}));
    match n % 10 {
        8 => drop(item.insert("dismissed".to_owned(), json!({"BOOL": true}))),
        9 => {}
        _ => drop(item.insert("rating".to_owned(), json!({"N": (n * 3 % 11).to_string()}))),
    }
    item.insert("traits".to_owned(), traits(n));
    item
}

/// Returns the `n`th user of a page.
pub(crate) fn user(n: usize) -> Item {
    let user = json!({
        "project": {"S": "acme"}, "userId": {"S": format!("user-{n:06}")}, "id": {"S": format!("{n:024x}")},
        "created": {"S": "2024-01-01T00:00:00.000Z"}, "lastSeen": {"S": "2024-05-06T07:08:09.123Z"},
        "email": {"S": format!("user-{n:06}@example.org")}, "name": {"S": format!("User {n}")},
        "unsubscribed": {"BOOL": false}, "traits": traits(n),
    });
    match user {
        Value::Object(item) => item,
        _ => Item::new(),
    }
}

/// Returns the sort key of a record. The records of a page of 1 MB are spread over a year of 336 days.
fn sort_key(n: usize) -> String {
    let minutes = n * 80;
    let (month, day) = (minutes / 40_320 % 12 + 1, minutes / 1440 % 28 + 1);
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    format!("2024-{month:02}-{day:02}T{hour:02}:{minute:02}:00.000Z#{n:024x}")
}

/// Returns the size of an item in bytes as DynamoDB counts it.
pub(crate) fn size(item: &Item) -> usize {
    item.iter()
        .map(|(name, value)| name.len() + value_size(value))
        .sum()
}

fn value_size(typed: &Value) -> usize {
    match typed.as_object().and_then(|typed| typed.iter().next()) {
        Some((kind, value)) => match (kind.as_str(), value) {
            ("S", Value::String(text)) => text.len(),
            ("N", Value::String(digits)) => digits.len().div_ceil(2) + 1,
            ("M", Value::Object(members)) => 3 + members.len() + size(members),
            _ => 1,
        },
        None => 0,
    }
}
