//! Imports of arbitrary records, one after the other and at the same time.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use futures_util::future::join;
use items::{EncodedItem, ItemKey, MAX_SIZE, Table, item_size};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::subsequence;
use serde_json::{Map, Value, json};
use store::{CredentialRead, Error, PageBody, PageRead, ReaderFuture, Store, TableReader};
use tables::{Imported, ItemChange, TableWriter, Tables, WriterFuture};

/// Tables in memory, in whose use tasks take turns.
#[derive(Default)]
struct MemoryTables {
    items: Mutex<HashMap<ItemKey, String>>,
    /// How often the next steps let others go first.
    turns: Mutex<Vec<u8>>,
}

impl MemoryTables {
    async fn let_others_go_first(&self) {
        let turns = self.turns.lock().unwrap().pop();
        for _ in 0..turns.unwrap_or_default() {
            tokio::task::yield_now().await;
        }
    }
}

impl TableWriter for MemoryTables {
    fn get(&self, _: Table, keys: Vec<ItemKey>) -> WriterFuture<'_, HashMap<ItemKey, String>> {
        Box::pin(async move {
            self.let_others_go_first().await;
            let items = self.items.lock().unwrap();
            let found = keys.into_iter().filter_map(|key| items.get_key_value(&key));
            Ok(found
                .map(|(key, json)| (key.clone(), json.clone()))
                .collect())
        })
    }

    fn replace(&self, _: Table, changes: Vec<ItemChange>) -> WriterFuture<'_, Vec<bool>> {
        Box::pin(async move {
            self.let_others_go_first().await;
            let mut items = self.items.lock().unwrap();
            let made = changes.into_iter().map(|change| {
                let now = object(items.get(&change.key));
                let before = object(change.before.as_ref());
                let is_as_before = change
                    .guard
                    .iter()
                    .all(|name| now.get(*name) == before.get(*name));
                if is_as_before {
                    items.insert(change.key, change.after);
                }
                is_as_before
            });
            Ok(made.collect())
        })
    }

    fn all<'a>(
        &'a self,
        _: Table,
        _: &'a mut dyn FnMut(Vec<String>) -> Result<(), Error>,
    ) -> WriterFuture<'a, ()> {
        unreachable!("an import reads items by their keys")
    }

    fn delete(&self, _: Table, _: Vec<ItemKey>) -> WriterFuture<'_, ()> {
        unreachable!("an import deletes nothing")
    }

    fn create_missing(&self) -> WriterFuture<'_, ()> {
        unreachable!("an import creates no tables")
    }
}

fn object(json: Option<&String>) -> Map<String, Value> {
    json.map_or_else(Map::new, |json| serde_json::from_str(json).unwrap())
}

/// The items of one test, all of one table.
struct Fixture {
    table: Table,
    memory: Arc<MemoryTables>,
    tables: Tables,
}

impl Fixture {
    fn new(table: Table, reader: &Store) -> Self {
        let memory = Arc::<MemoryTables>::default();
        let tables = Tables {
            reader: reader.clone(),
            writer: memory.clone(),
        };
        Self {
            table,
            memory,
            tables,
        }
    }

    fn encode(&self, item: &Value) -> EncodedItem {
        let (hash, range) = self.table.key_names();
        let text = |name: &str| item[name]["S"].as_str().unwrap().to_owned();
        let key = ItemKey {
            hash: text(hash),
            range: range.map(text),
        };
        EncodedItem::from_parts(key, item.to_string())
    }

    async fn import(&self, records: &[Value]) -> Imported {
        let records = records.iter().map(|item| self.encode(item)).enumerate();
        self.tables
            .import(self.table, records.collect())
            .await
            .unwrap()
    }

    /// Returns the item with the key of this one.
    fn stored(&self, item: &Value) -> Value {
        let items = self.memory.items.lock().unwrap();
        Value::Object(object(items.get(self.encode(item).key())))
    }
}

struct Unread;

impl TableReader for Unread {
    fn page(&self, _: PageRead) -> ReaderFuture<PageBody> {
        unreachable!("an import reads no pages")
    }

    fn credential(&self, _: String) -> ReaderFuture<CredentialRead> {
        unreachable!("an import reads no credentials")
    }

    fn concurrent_pages(&self) -> usize {
        unreachable!("an import reads no pages")
    }

    fn has_index(&self) -> bool {
        unreachable!("an import reads no pages")
    }
}

/// Returns a store that nothing reads.
fn reader() -> Store {
    Store::new(Arc::new(Unread))
}

/// Runs a future in which time passes at once.
fn run<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true);
    runtime.build().unwrap().block_on(future)
}

fn day(day: u8) -> Value {
    json!({"S": format!("2026-01-{:02}T00:00:00.000Z", day + 1)})
}

/// A user, or what a record says of one.
#[derive(Debug, Clone, Default)]
struct User {
    created: Option<u8>,
    last_seen: Option<u8>,
    facts: BTreeMap<&'static str, u8>,
}

impl User {
    fn instant(&self) -> Option<u8> {
        self.last_seen.or(self.created)
    }

    fn item(&self) -> Value {
        let mut item = json!({"project": {"S": "acme"}, "userId": {"S": "007"}});
        for (name, at) in [("created", self.created), ("lastSeen", self.last_seen)] {
            if let Some(at) = at {
                item[name] = day(at);
            }
        }
        for (name, value) in &self.facts {
            let value = json!({"S": value.to_string()});
            match name.strip_prefix("traits.") {
                Some(name) => item["traits"]["M"][name] = value,
                None => item[*name] = value,
            }
        }
        item
    }
}

/// Returns the user of these records, by the rule.
fn by_the_rule(records: &[User]) -> Value {
    let mut user = User::default();
    let mut newest = None;
    for record in records {
        for (name, value) in &record.facts {
            if record.instant() >= newest || !user.facts.contains_key(name) {
                user.facts.insert(name, *value);
            }
        }
        newest = newest.max(record.instant());
    }
    user.created = records.iter().filter_map(|record| record.created).min();
    let is_seen = records.iter().any(|record| record.last_seen.is_some());
    user.last_seen = newest.filter(|_| is_seen || newest > user.created);
    user.item()
}

/// Returns what a response says, or a list with both instants, one or none.
fn mention() -> impl Strategy<Value = User> {
    let instants = (0..5u8).prop_flat_map(|at| {
        let all = [
            (Some(at), Some(at)),
            (Some(0), Some(at)),
            (Some(at), None),
            (None, None),
        ];
        prop::sample::select(all.to_vec())
    });
    let names = vec![
        "id",
        "email",
        "name",
        "unsubscribed",
        "traits.a",
        "traits.b",
    ];
    let facts = (subsequence(names, 0..=6), vec(0..3u8, 6));
    (instants, facts).prop_map(|((created, last_seen), (names, values))| User {
        created,
        last_seen,
        facts: names.into_iter().zip(values).collect(),
    })
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

#[test]
fn the_facts_of_a_user_are_those_of_the_newest_record_in_any_order_and_number_of_imports() {
    let reader = reader();
    proptest!(cases(2000), |(mentions in vec(mention(), 3), first in 0..4usize)| {
        run(async {
            let fixture = Fixture::new(Table::Users, &reader);
            let records: Vec<_> = mentions.iter().map(User::item).collect();
            fixture.import(&records[..first.min(3)]).await;
            fixture.import(&records[first.min(3)..]).await;
            let expected = by_the_rule(&mentions);
            prop_assert_eq!(fixture.stored(&expected), expected.clone());
            let again = fixture.import(&records).await;
            prop_assert_eq!(again, Imported { unchanged: 1, merged: 2, ..Imported::default() });
            Ok(())
        })?;
    });
}

#[test]
fn two_imports_at_the_same_time_lose_no_fact_of_a_user() {
    let reader = reader();
    proptest!(cases(2000), |(one in mention(), other in mention(), turns in vec(0..4u8, 8))| {
        run(async {
            let fixture = Fixture::new(Table::Users, &reader);
            *fixture.memory.turns.lock().unwrap() = turns;
            join(fixture.import(&[one.item()]), fixture.import(&[other.item()])).await;
            let orders = [[one.clone(), other.clone()], [other, one]];
            let possible = orders.map(|mentions| by_the_rule(&mentions));
            let stored = fixture.stored(&possible[0]);
            prop_assert!(possible.contains(&stored), "{stored} {possible:?}");
            Ok(())
        })?;
    });
}

/// Returns a display with these attributes.
fn display(attributes: Value) -> Value {
    let mut item = json!({"shard": {"S": "acme#0"}, "at": {"S": "2026-01-01T00:00:00.000Z#r"}});
    let Value::Object(attributes) = attributes else {
        panic!("{attributes}")
    };
    item.as_object_mut().unwrap().extend(attributes);
    item
}

#[test]
fn two_imports_at_the_same_time_lose_neither_the_rating_nor_the_person_of_a_display() {
    let reader = reader();
    let rating = json!({"rating": {"N": "9"}, "traits": {"M": {"a": {"S": "x"}}}});
    let person = json!({"userId": {"S": "007"}, "traits": {"M": {"b": {"S": "y"}}}});
    let traits = json!({"M": {"a": {"S": "x"}, "b": {"S": "y"}}});
    let both = json!({"rating": {"N": "9"}, "userId": {"S": "007"}, "traits": traits});
    let [rating, person, both] = [rating, person, both].map(display);
    proptest!(cases(100), |(turns in vec(0..4u8, 8))| {
        run(async {
            let fixture = Fixture::new(Table::Responses, &reader);
            *fixture.memory.turns.lock().unwrap() = turns;
            let [rating, person] = [&rating, &person].map(std::slice::from_ref);
            join(fixture.import(rating), fixture.import(person)).await;
            prop_assert_eq!(fixture.stored(&both), both.clone());
            Ok(())
        })?;
    });
}

#[test]
fn a_rating_takes_the_place_of_a_dismissal_whichever_is_imported_first() {
    let reader = reader();
    let rated = display(json!({"rating": {"N": "9"}}));
    let dismissed = display(json!({"dismissed": {"BOOL": true}}));
    let undecided = display(json!({"dismissed": {"BOOL": false}}));
    for (first, second, expected) in [
        (&rated, &dismissed, &rated),
        (&dismissed, &rated, &rated),
        (&undecided, &dismissed, &dismissed),
    ] {
        let fixture = Fixture::new(Table::Responses, &reader);
        run(fixture.import(std::slice::from_ref(first)));
        run(fixture.import(std::slice::from_ref(second)));
        assert_eq!(fixture.stored(expected), *expected);
    }
}

#[test]
fn of_records_of_a_display_that_do_not_fit_together_the_largest_is_left_out() {
    let rated = display(json!({"rating": {"N": "9"}}));
    let huge = display(json!({"traits": {"M": {"a": {"S": "x".repeat(200_000)}}}}));
    let larger = display(json!({"traits": {"M": {"b": {"S": "x".repeat(300_000)}}}}));
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let fixture = Fixture::new(Table::Responses, &reader());
        let records = order.map(|at| [&rated, &huge, &larger][at].clone());
        let imported = run(fixture.import(&records));
        let left_out = order.iter().position(|at| *at == 2).unwrap();
        let too_large: Vec<_> = imported.too_large.into_values().collect();
        assert_eq!(too_large, [[left_out]]);
        let stored = fixture.stored(&rated);
        assert_eq!(stored["rating"], rated["rating"]);
        assert_eq!(stored["traits"], huge["traits"]);
    }
}

#[test]
fn a_user_who_would_be_too_large_stays_as_stored_and_the_others_are_written() {
    let mention = |user_id: &str, name: &str, length: usize| {
        let traits = json!({"M": {name: {"S": "x".repeat(length)}}});
        json!({"project": {"S": "acme"}, "userId": {"S": user_id}, "traits": traits})
    };
    let stored = mention("full", "stored", 300_000);
    // Each member of a map takes a byte more.
    let room = MAX_SIZE - item_size(&stored.to_string()).unwrap() - "more".len() - 1;
    for (length, is_written) in [(room, true), (room + 1, false)] {
        let fixture = Fixture::new(Table::Users, &reader());
        run(fixture.import(std::slice::from_ref(&stored)));
        let records = [mention("other", "more", 1), mention("full", "more", length)];
        let imported = run(fixture.import(&records));
        let too_large = (!is_written).then(|| (fixture.encode(&stored).key().clone(), vec![1]));
        assert_eq!(imported.too_large, BTreeMap::from_iter(too_large));
        assert_eq!(imported.written, 1 + u64::from(is_written));
        assert_eq!(fixture.stored(&stored) != stored, is_written);
        assert_eq!(fixture.stored(&records[0]), records[0]);
    }
}
