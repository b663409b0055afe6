//! Items that are changed attribute by attribute, without decoding what is not changed.

use std::borrow::Cow;
use std::mem::discriminant;
use std::str::FromStr;

use crate::json::{Json, Scalar};
use crate::table::{ItemKey, Table};
use crate::transcode::{append_string, transcode};

/// The members of an item or a map, sorted by name.
#[derive(Debug, Clone, Default)]
pub struct ItemMembers<'a>(Vec<(Cow<'a, str>, ItemValue<'a>)>);

/// An attribute in DynamoDB's JSON.
#[derive(Debug, Clone)]
pub struct ItemValue<'a>(Cow<'a, str>);

impl<'a> ItemMembers<'a> {
    /// Reads an item; returns `None` if it is none.
    pub fn of_item(json: &'a str) -> Option<Self> {
        Json::read(json, Self::read)
    }

    fn read(json: &mut Json<'a>) -> Option<Self> {
        // Most items have so many attributes: no growing in steps.
        let mut members = Vec::with_capacity(12);
        json.object(|json, name| {
            let value = json.typed_text()?;
            members.push((name, ItemValue(Cow::Borrowed(value))));
            Some(())
        })?;
        if !members.is_sorted_by(|(one, _), (other, _)| one < other) {
            // Of two members with one name, the later one counts.
            members.reverse();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            members.dedup_by(|(one, _), (other, _)| one == other);
        }
        Some(Self(members))
    }

    fn into_owned<'b>(self) -> ItemMembers<'b> {
        let members = self.0.into_iter().map(|(name, ItemValue(value))| {
            let name = Cow::Owned(name.into_owned());
            (name, ItemValue(Cow::Owned(value.into_owned())))
        });
        ItemMembers(members.collect())
    }

    /// Returns the key of an item of a table; `None` if it has none.
    pub fn key(&self, table: Table) -> Option<ItemKey> {
        let (hash, range) = table.key_names();
        let text = |name| Some(self.string(name)?.into_owned());
        Some(ItemKey {
            hash: text(hash)?,
            range: match range {
                Some(name) => Some(text(name)?),
                None => None,
            },
        })
    }

    pub fn get(&self, name: &str) -> Option<&ItemValue<'a>> {
        let (_, value) = self.0.get(self.place(name).ok()?)?;
        Some(value)
    }

    /// Returns a member that is a string.
    pub fn string(&self, name: &str) -> Option<Cow<'a, str>> {
        match &self.get(name)?.0 {
            Cow::Borrowed(json) => scalar(json)?.string(),
            Cow::Owned(json) => Some(Cow::Owned(scalar(json)?.string()?.into_owned())),
        }
    }

    /// Returns a member as requests decode it.
    pub fn scalar(&self, name: &str) -> Scalar<'_> {
        let value = self.get(name).and_then(ItemValue::scalar);
        value.unwrap_or_default()
    }

    /// Parses a member that is a string.
    pub fn parsed<T: FromStr>(&self, name: &str) -> Option<T> {
        self.string(name)?.parse().ok()
    }

    /// Sets a member; `None` removes it. Returns its value before.
    pub fn set(
        &mut self,
        name: Cow<'a, str>,
        value: Option<ItemValue<'a>>,
    ) -> Option<ItemValue<'a>> {
        match (self.place(&name), value) {
            (Ok(place), Some(value)) => {
                let (_, known) = self.0.get_mut(place)?;
                Some(std::mem::replace(known, value))
            }
            (Err(place), Some(value)) => {
                self.0.insert(place, (name, value));
                None
            }
            (Ok(place), None) => Some(self.0.remove(place).1),
            (Err(_), None) => None,
        }
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(name))
    }

    /// Returns the members in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&Cow<'a, str>, &ItemValue<'a>)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    /// Returns whether the members are equal, if they are those of items.
    pub fn equals(&self, other: &Self) -> bool {
        let mut pairs = self.iter().zip(other.iter());
        self.0.len() == other.0.len()
            && pairs.all(|((one, value), (name, of_other))| one == name && value.equals(of_other))
    }

    pub fn json(&self) -> String {
        let mut json = String::with_capacity(512);
        self.append_json(&mut json);
        json
    }

    fn append_json(&self, out: &mut String) {
        out.push('{');
        for (n, (name, value)) in self.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            append_string(name, out);
            out.push(':');
            out.push_str(&value.0);
        }
        out.push('}');
    }
}

impl<'a> ItemValue<'a> {
    pub fn string(text: &str) -> Self {
        let mut json = r#"{"S":"#.to_owned();
        append_string(text, &mut json);
        json.push('}');
        Self(Cow::Owned(json))
    }

    pub fn map(members: &ItemMembers<'_>) -> Self {
        let mut json = r#"{"M":"#.to_owned();
        members.append_json(&mut json);
        json.push('}');
        Self(Cow::Owned(json))
    }

    /// Returns the members of a map.
    pub fn members(&self) -> Option<ItemMembers<'a>> {
        match &self.0 {
            Cow::Borrowed(json) => map(json),
            Cow::Owned(json) => map(json).map(ItemMembers::into_owned),
        }
    }

    pub fn is_null(&self) -> bool {
        self.scalar() == Some(Scalar::Null)
    }

    pub(crate) fn is_binary(&self) -> bool {
        self.0.starts_with(r#"{"B":"#)
    }

    /// Returns whether both are strings, numbers, or booleans.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self.scalar(), other.scalar()) {
            (Some(one), Some(other)) => discriminant(&one) == discriminant(&other),
            _ => false,
        }
    }

    /// Returns the value as plain JSON, which lacks sets and binary values (contract, section 3).
    pub(crate) fn plain(&self) -> Option<String> {
        let mut plain = String::new();
        let is_known = Json::read(&self.0, |json| transcode(json, &mut plain));
        (is_known == Some(true)).then_some(plain)
    }

    /// Returns whether the values are the same in plain JSON.
    pub fn equals(&self, other: &Self) -> bool {
        self.0 == other.0 || self.plain().is_some_and(|it| Some(it) == other.plain())
    }

    fn scalar(&self) -> Option<Scalar<'_>> {
        scalar(&self.0)
    }
}

fn scalar(json: &str) -> Option<Scalar<'_>> {
    Json::read(json, Scalar::read)
}

fn map(json: &str) -> Option<ItemMembers<'_>> {
    Json::read(json, |json| {
        json.typed(|json, kind| (kind == "M").then(|| ItemMembers::read(json))?)
    })
}

#[cfg(test)]
mod tests {
    use model::{Outcome, Timestamp};
    use serde_json::Value;

    use super::*;
    use crate::{EncodedItem, RecordId, ResponseRecord, Traits, UserFacts};

    fn traits(json: &str) -> Traits {
        Traits::from_json(serde_json::from_str(json).unwrap()).unwrap()
    }

    const TRAITS: &str = r#"{"z":"\u017e\"\n\u0041","a":{"y":[1.50,-0,1e2,100,"é",{}],"\"":null,"b":true},"empty":[]}"#;
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
        };
        is_as_if_from_a_map(&facts.item(&"acme".parse().unwrap()).unwrap());
    }

    #[test]
    fn members_are_sorted_and_of_two_with_a_name_the_later_one_counts() {
        let item = r#"{ "b": {"S":"1"}, "a\u0020": {"NULL":true}, "b": {"S":"2"} }"#;
        let mut members = ItemMembers::of_item(item).unwrap();
        assert_eq!(members.json(), r#"{"a ":{"NULL":true},"b":{"S":"2"}}"#);
        members.set("aa".into(), Some(ItemValue::string("\"")));
        members.set("b".into(), None);
        members.set("c".into(), None);
        let changed = r#"{"a ":{"NULL":true},"aa":{"S":"\""}}"#;
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
}
