//! Items to write as DynamoDB's JSON, encoded without a map between.

use model::Invalid;

use crate::size::check_size;
use crate::table::ItemKey;
use crate::traits::Traits;
use crate::transcode::append_string;

/// An item of the users or the responses as DynamoDB's JSON, with its members in the order of their names, so
/// that equal items are equal texts, and with the values of its hash key and its range key.
#[derive(Debug, Clone)]
pub struct EncodedItem {
    key: ItemKey,
    json: String,
}

impl EncodedItem {
    /// Encodes the item with this key, whose members `members` writes in the order of their names, those of
    /// the key among them.
    pub(crate) fn new(
        key: [String; 2],
        members: impl FnOnce([&str; 2], &mut Encoder) -> Result<(), Invalid>,
    ) -> Result<Self, Invalid> {
        let mut encoder = Encoder(String::with_capacity(512));
        members(key.each_ref().map(String::as_str), &mut encoder)?;
        let Encoder(mut json) = encoder;
        json.push('}');
        json.shrink_to_fit();
        check_size(&json)?;
        let [hash, range] = key;
        let key = ItemKey {
            hash,
            range: Some(range),
        };
        Ok(Self { key, json })
    }

    /// Makes the item from the key and the JSON of one that was encoded before.
    pub fn from_parts(key: ItemKey, json: String) -> Self {
        Self { key, json }
    }

    pub fn key(&self) -> &ItemKey {
        &self.key
    }

    pub fn json(&self) -> &str {
        &self.json
    }
}

/// Writes the members of an item.
pub(crate) struct Encoder(String);

impl Encoder {
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        self.0.push_str(r#"{"S":"#);
        append_string(text, &mut self.0);
        self.0.push('}');
    }

    pub(crate) fn known_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    pub(crate) fn number(&mut self, name: &str, number: u8) {
        self.name(name);
        self.0.push_str(r#"{"N":""#);
        self.0.push_str(&number.to_string());
        self.0.push_str(r#""}"#);
    }

    pub(crate) fn flag(&mut self, name: &str, flag: bool) {
        self.name(name);
        let value = if flag {
            r#"{"BOOL":true}"#
        } else {
            r#"{"BOOL":false}"#
        };
        self.0.push_str(value);
    }

    pub(crate) fn traits(&mut self, traits: &Traits) -> Result<(), Invalid> {
        self.name("traits");
        traits.encode(&mut self.0)
    }

    fn name(&mut self, name: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        append_string(name, &mut self.0);
        self.0.push(':');
    }
}
