//! Tests of items as JSON: what is encoded without a map, and what is changed without decoding it.

use model::{Outcome, Timestamp};
use serde_json::Value;

use super::*;
use crate::{AsOf, EncodedItem, RecordId, ResponseRecord, Traits, UserFacts};

fn traits(json: &str) -> Traits {
    Traits::from_json(serde_json::from_str(json).unwrap()).unwrap()
}

const TRAITS: &str =
    r#"{"z":"\u017e\"\n\u0041","a":{"y":[1.50,-0,1e2,100,"é",{}],"\"":null,"b":true},"empty":[]}"#;
const ENCODED: &str = r#"{"M":{"a":{"M":{"\"":{"NULL":true},"b":{"BOOL":true},"y":{"L":[{"N":"1.5"},{"N":"0"},{"N":"100"},{"N":"100"},{"S":"é"},{"M":{}}]}}},"empty":{"L":[]},"z":{"S":"ž\"\nA"}}}"#;

fn is_as_if_from_a_map(item: &EncodedItem) {
    let map: Value = serde_json::from_str(item.json()).unwrap();
    assert_eq!(map.to_string(), item.json());
    assert!(item.json().contains(ENCODED), "{}", item.json());
}

#[test]
fn an_encoded_record_is_the_json_of_its_map() {
    for outcome in [Outcome::Dismissed, Outcome::Rated(9.try_into().unwrap())] {
        let record = ResponseRecord {
            project: "acme".parse().unwrap(),
            id: "\"r\u{1}".parse::<RecordId>().unwrap(),
            created: Timestamp::EPOCH,
            outcome,
            user_id: Some("ž\\".parse().unwrap()),
            traits: Some(traits(TRAITS)),
        };
        is_as_if_from_a_map(&record.item().unwrap());
    }
    let facts = UserFacts {
        id: Some("1".to_owned()),
        user_id: "ž\\".parse().unwrap(),
        last_seen: Some(Timestamp::EPOCH),
        created: Some(Timestamp::EPOCH),
        email: Some("a@b".to_owned()),
        name: Some("\t".to_owned()),
        unsubscribed: Some(false),
        traits: Some(traits(TRAITS)),
        as_of: AsOf::list(Timestamp::EPOCH),
    };
    is_as_if_from_a_map(&facts.item(&"acme".parse().unwrap()).unwrap());
}

#[test]
fn members_are_sorted_and_of_two_with_a_name_the_later_one_counts() {
    let item = r#"{ "b": {"S":"1"}, "a\u0020": {"NULL":true}, "b": {"S":"2"} }"#;
    let mut members = ItemMembers::of_item(item).unwrap();
    assert_eq!(members.json(), r#"{"a ":{"NULL":true},"b":{"S":"2"}}"#);
    members.set("aa".into(), Some(ItemValue::strings(["x", "\""])));
    members.set("b".into(), None);
    members.set("c".into(), None);
    let changed = r#"{"a ":{"NULL":true},"aa":{"SS":["x","\""]}}"#;
    assert_eq!(members.json(), changed);
    for damaged in ["", "{}x", "[]", r#"{"a":1}"#, r#"{"a":{}}"#] {
        assert!(ItemMembers::of_item(damaged).is_none(), "{damaged}");
    }
}

#[test]
fn values_are_compared_by_what_they_mean() {
    let item = r#"{"m":{"M":{"a":{"N":"1"},"b":{"SS":["x"]}}},"n":{"M": {"b":{"SS":["x"]},"a":{"N":"1"}}},"l":{"M":{"a":{"N":"1"},"b":{"L":[{"S":"x"}]}}}}"#;
    let members = ItemMembers::of_item(item).unwrap();
    let [m, n, l] = ["m", "n", "l"].map(|name| members.get(name).unwrap());
    assert!(m.equals(n));
    assert!(m.equals(l));
}
