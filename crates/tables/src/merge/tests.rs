//! Random records: whatever their order, and whoever imports them at the same time, the items are those of a
//! naive model.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::subsequence;

use super::*;
use crate::item::{decode, encode, string};
use aws_sdk_dynamodb::types::AttributeValue;

mod limit;
mod writers;

const NAMES: [&str; 5] = ["email", "name", "traits.a", "traits.b", "traits.email"];
const DAYS: usize = 8;
/// The keys that writers share.
const KEYS: usize = 2;

/// What one record says, by the names of facts; `None` is a `null`.
type Said = BTreeMap<&'static str, Option<u8>>;

fn s(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

/// Returns an item with these attributes and facts.
fn item(attributes: &[(&str, AttributeValue)], said: &Said) -> Item {
    let mut traits = Item::new();
    let owned = attributes.iter();
    let mut item: Item = owned
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    for (fact, value) in said {
        let text = value.map(|value| s(format!("{fact} {value}")));
        match (fact.strip_prefix("traits."), text) {
            (Some(name), text) => {
                let value = text.unwrap_or(AttributeValue::Null(true));
                traits.insert(name.to_owned(), value);
            }
            (None, Some(text)) => drop(item.insert((*fact).to_owned(), text)),
            (None, None) => {}
        }
    }
    if !traits.is_empty() {
        item.insert("traits".to_owned(), AttributeValue::M(traits));
    }
    item
}

/// Returns the facts of an item.
fn facts(item: &Item) -> BTreeMap<String, String> {
    let is_fact = |(name, _): &(&String, _)| ["email", "name"].contains(&name.as_str());
    let traits = item
        .get("traits")
        .into_iter()
        .flat_map(|traits| traits.as_m().unwrap())
        .map(|(name, value)| (format!("traits.{name}"), value));
    let attributes = item.iter().filter(is_fact);
    let all = attributes.map(|(name, value)| (name.clone(), value));
    let known = all.chain(traits).filter(|(_, value)| !value.is_null());
    known
        .map(|(name, value)| (name, value.as_s().unwrap().clone()))
        .collect()
}

fn day(day: usize) -> String {
    format!("2026-01-{:02}T00:00:00.000Z", day + 1)
}

fn user_key(key: usize) -> [(&'static str, AttributeValue); 2] {
    [("project", s("acme")), ("userId", s(format!("u{key}")))]
}

/// What a response record of a day says of its user.
fn user_record(at: usize, said: &Said) -> Item {
    let [project, user_id] = user_key(0);
    let seen = s(day(at));
    let as_of = s(format!("{}#r", day(at)));
    let instants = [("created", seen.clone()), ("lastSeen", seen)];
    let attributes = [&[project, user_id], &instants[..], &[("asOf", as_of)]].concat();
    item(&attributes, said)
}

/// A user whom another program wrote: with what it says, a `lastSeen`, and an `asOf` with older facts that
/// were there before that.
type Foreign = (Said, Option<usize>, bool);

fn foreign_user((said, seen, has_as_of): &Foreign) -> Item {
    let mut attributes = user_key(0).to_vec();
    attributes.extend(seen.map(|seen| ("lastSeen", s(day(seen)))));
    if *has_as_of && let Some(1..) = seen {
        let names = AttributeValue::Ss(NAMES.map(str::to_owned).to_vec());
        let older = Item::from([(format!("{}#r", day(0)), names)]);
        let before = ("asOf", s(format!("{}#s", day(0))));
        attributes.extend([before, ("older", AttributeValue::M(older))]);
    }
    item(&attributes, said)
}

fn said() -> impl Strategy<Value = Said> {
    let facts = subsequence(NAMES.to_vec(), 0..NAMES.len());
    (facts, vec(option::weighted(0.8, 0..3u8), NAMES.len()))
        .prop_map(|(facts, values)| facts.into_iter().zip(values).collect())
}

fn foreign() -> impl Strategy<Value = Option<Foreign>> {
    option::of((said(), option::of(0..DAYS), any::<bool>()))
}

/// Records of different days, in any order.
fn records() -> impl Strategy<Value = Vec<(usize, Said)>> {
    let days = Just((0..DAYS).collect::<Vec<_>>()).prop_shuffle();
    (days, vec(said(), 1..DAYS)).prop_map(|(days, said)| days.into_iter().zip(said).collect())
}

/// Each fact as the newest that has it says. What another program says is as new as the day when it saw the
/// user, but older than the records of that day.
fn expected(stored: Option<&Foreign>, records: &[(usize, Said)]) -> BTreeMap<String, String> {
    let of_stored = stored.map(|(said, seen, _)| (seen.map_or(0, |seen| 2 * seen + 1), said));
    let of_records = records.iter().map(|(day, said)| (2 * day + 2, said));
    let mut in_order: Vec<_> = of_stored.into_iter().chain(of_records).collect();
    in_order.sort_by_key(|(age, _)| *age);
    let all = in_order.into_iter().flat_map(|(_, said)| said);
    let known = all.filter_map(|(fact, value)| Some((fact, (*value)?)));
    known
        .map(|(fact, value)| ((*fact).to_owned(), format!("{fact} {value}")))
        .collect()
}

fn numbered(items: impl IntoIterator<Item = Item>) -> Vec<(usize, Item)> {
    items.into_iter().enumerate().collect()
}

/// Merges records as their JSON; returns the item, if any record changed it, and how many did.
fn merge_all(
    table: Table,
    stored: Option<&Item>,
    records: Vec<(usize, Item)>,
) -> (Option<Item>, usize) {
    let stored_json = stored.map(|item| encode(item).unwrap());
    let encoded: Vec<_> = records
        .into_iter()
        .map(|(position, record)| (position, encode(&record).unwrap()))
        .collect();
    let texts = encoded
        .iter()
        .map(|(position, record)| (*position, record.as_str()));
    let merged = super::merge_all(table, stored_json.as_deref(), texts).unwrap();
    let item = merged.item.map(|json| decode(&json).unwrap());
    (item, merged.changes)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn every_order_of_records_makes_the_same_user(
        stored in foreign(), records in records(),
        other in any::<prop::sample::Index>(), cuts in vec(any::<bool>(), DAYS),
    ) {
        let before = stored.as_ref().map(foreign_user);
        let mut items = numbered(records.iter().map(|(at, said)| user_record(*at, said)));
        let at_once = merge_all(Table::Users, before.as_ref(), items.clone()).0.or(before.clone());
        prop_assert_eq!(facts(at_once.as_ref().unwrap()), expected(stored.as_ref(), &records));

        // The same, in another order and over several imports.
        let length = items.len();
        let cut = other.index(length);
        items.rotate_left(cut);
        items[..length - cut].reverse();
        let mut user = before.clone();
        for import in items.chunk_by(|one, _| cuts[one.0]) {
            user = merge_all(Table::Users, user.as_ref(), import.to_vec()).0.or(user);
        }
        prop_assert_eq!(&user, &at_once);

        // And again: nothing changes.
        prop_assert_eq!(merge_all(Table::Users, user.as_ref(), items), (None, 0));
    }
}

#[test]
fn of_one_instant_the_larger_id_is_newer_and_a_list_newest_and_of_equals_the_later_import_wins() {
    let said = |as_of: &str, value| {
        let as_of = [("asOf", s(format!("{}{as_of}", day(0))))];
        let said = Said::from([("email", Some(value))]);
        item(&[&user_key(0)[..], &as_of].concat(), &said)
    };
    for (records, email) in [
        ([said("#a", 0), said("#b", 1)], "email 1"),
        ([said("#b", 0), said("#a", 1)], "email 0"),
        ([said("$", 0), said("#b", 1)], "email 0"),
        ([said("#a", 0), said("#a", 1)], "email 1"),
    ] {
        let user = merge_all(Table::Users, None, numbered(records)).0.unwrap();
        assert_eq!(facts(&user)["email"], email);
    }
}

#[test]
fn a_record_that_is_rated_in_one_import_and_dismissed_in_another_is_the_same_in_both_orders() {
    let key = [("shard", s("p#0")), ("at", s(day(0) + "#r"))];
    let of = |outcome| item(&[&key[..], &[outcome]].concat(), &Said::new());
    let rated = of(("rating", AttributeValue::N("9".to_owned())));
    let dismissed = of(("dismissed", AttributeValue::Bool(true)));
    for [first, second] in [[&rated, &dismissed], [&dismissed, &rated]] {
        let (changed, _) = merge_all(Table::Responses, Some(first), vec![(0, second.clone())]);
        assert_eq!(changed.as_ref().unwrap_or(first), &rated);
        let both = numbered([first.clone(), second.clone()]);
        assert_eq!(
            merge_all(Table::Responses, None, both).0.as_ref(),
            Some(&rated)
        );
    }
}

#[test]
fn a_display_that_another_program_calls_not_dismissed_is_dismissed_by_a_record() {
    let key = [("shard", s("p#0")), ("at", s(day(0) + "#r"))];
    let [stored, record] = [false, true].map(|dismissed| {
        let dismissed = ("dismissed", AttributeValue::Bool(dismissed));
        item(&[&key[..], &[dismissed]].concat(), &Said::new())
    });
    let merged = merge_all(Table::Responses, Some(&stored), vec![(0, record.clone())]);
    assert_eq!(merged, (Some(record), 1));
}
