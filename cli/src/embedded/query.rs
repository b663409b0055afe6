//! Recognizes the reads that the service itself sends. They are answered from rows; every other request
//! is dynoxide's.

use std::collections::HashSet;

use aws_sdk_dynamodb::operation::query::builders::QueryInputBuilder;

use super::projection::Projection;
use super::requests::{GetItem, Names, Query, Texts};

/// What the caller sees of the attributes of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    /// The caller decodes the attributes that it knows and skips the others, so a projection need not
    /// be applied.
    Decoder,
    /// The caller sees every attribute.
    Exact,
}

/// A read of items with one hash key. All keys are strings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) table: String,
    pub(super) hash: Key,
    pub(super) range: Range,
    pub(super) consistent: bool,
    /// Whether the response reports the capacity that it consumed.
    pub(super) with_capacity: bool,
}

/// The name and the value of a key attribute.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) value: String,
}

/// Which items are read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Range {
    /// The item of a table without a range key: `GetItem`.
    Item,
    /// A page of items in the order of the range key: `Query`.
    Page(PageRange),
}

/// Which items a page has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageRange {
    /// The range key, unless the condition has none, and its least and greatest value.
    pub(super) between: Option<(String, [String; 2])>,
    /// The range key after which the page begins.
    pub(super) after: Option<Key>,
    pub(super) limit: Option<u32>,
    /// What the response shows of the items, unless it is all.
    pub(super) projection: Option<Projection>,
}

/// The length of the longest hash key, in bytes.
const MAX_HASH_KEY: usize = 2_048;

/// The length of the longest name of an attribute, in bytes: DynamoDB accepts longer ones in some places.
const MAX_NAME: usize = 255;

/// The length of the longest expression, in bytes.
const MAX_EXPRESSION: usize = 4_096;

/// Returns the read that this request in DynamoDB's JSON means, or `None` if it has any other form.
pub(super) fn recognize(operation: &str, body: &str) -> Option<Read> {
    match operation {
        "Query" => page(serde_json::from_str(body).ok()?, View::Exact),
        "GetItem" => item(serde_json::from_str(body).ok()?),
        _ => None,
    }
}

/// Returns the read that a Query means whose response is decoded, or `None` if it has any other form.
pub(super) fn recognize_decoded(query: &QueryInputBuilder) -> Option<Read> {
    page(Query::from_sdk(query)?, View::Decoder)
}

fn item(request: GetItem<'_>) -> Option<Read> {
    let mut keys = request.key.into_iter().map(|(name, value)| Key {
        name: name.into_owned(),
        value: value.text.into_owned(),
    });
    let (Some(hash), None) = (keys.next(), keys.next()) else {
        return None;
    };
    (1..=MAX_HASH_KEY)
        .contains(&hash.value.len())
        .then_some(Read {
            table: request.table_name.into_owned(),
            hash,
            range: Range::Item,
            consistent: request.consistent_read,
            with_capacity: with_capacity(request.return_consumed_capacity.as_deref())?,
        })
}

fn page(request: Query<'_>, view: View) -> Option<Read> {
    let mut placeholders = Placeholders {
        names: &request.expression_attribute_names,
        values: &request.expression_attribute_values,
        used: HashSet::new(),
    };
    let words: Vec<_> = short(&request.key_condition_expression)?
        .split(' ')
        .collect();
    let (hash, between) = match *words.as_slice() {
        [hash, "=", value] => (placeholders.key(hash, value)?, None),
        [hash, "=", value, "AND", range, "=", equal] => {
            let hash = placeholders.key(hash, value)?;
            let Key { name, value } = placeholders.key(range, equal)?;
            (hash, Some((name, [value.clone(), value])))
        }
        [hash, "=", value, "AND", range, "BETWEEN", low, "AND", high] => {
            let hash = placeholders.key(hash, value)?;
            let Key { name, value: low } = placeholders.key(range, low)?;
            (hash, Some((name, [low, placeholders.value(high)?])))
        }
        _ => return None,
    };
    let projection = match request.projection_expression.as_deref() {
        Some(expression) if view == View::Exact => Some(placeholders.projection(expression)?),
        _ => None,
    };
    let are_used = view == View::Decoder || placeholders.are_all_used();
    let is_ordered = between.as_ref().is_none_or(|(_, [low, high])| low <= high);
    if !are_used || !is_ordered || request.limit == Some(0) {
        return None;
    }
    let after = match request.exclusive_start_key {
        None => None,
        Some(key) => Some(start(key, &hash, between.as_ref())?),
    };
    Some(Read {
        table: request.table_name.into_owned(),
        hash,
        range: Range::Page(PageRange {
            between,
            after,
            limit: request.limit,
            projection,
        }),
        consistent: request.consistent_read,
        with_capacity: with_capacity(request.return_consumed_capacity.as_deref())?,
    })
}

/// Returns the range key of a start key that lies within the condition.
fn start(mut key: Texts<'_>, hash: &Key, between: Option<&(String, [String; 2])>) -> Option<Key> {
    let of_hash = key.remove(hash.name.as_str())?;
    let mut others = key.into_iter();
    let (Some((name, value)), None) = (others.next(), others.next()) else {
        return None;
    };
    let (name, value) = (name.into_owned(), value.text.into_owned());
    let is_within =
        between.is_none_or(|(range, [low, high])| *range == name && (low..=high).contains(&&value));
    (of_hash.text == hash.value.as_str() && is_within && !value.is_empty())
        .then_some(Key { name, value })
}

fn with_capacity(mode: Option<&str>) -> Option<bool> {
    match mode {
        None | Some("NONE") => Some(false),
        Some("TOTAL") => Some(true),
        Some(_) => None,
    }
}

/// Returns the expression, unless it is too long.
fn short(expression: &str) -> Option<&str> {
    (expression.len() <= MAX_EXPRESSION).then_some(expression)
}

/// The placeholders of expressions.
struct Placeholders<'a> {
    names: &'a Names<'a>,
    values: &'a Texts<'a>,
    /// Those that an expression uses.
    used: HashSet<&'a str>,
}

impl<'a> Placeholders<'a> {
    fn key(&mut self, name: &'a str, value: &'a str) -> Option<Key> {
        let name = self.name(name)?;
        let value = self.value(value)?;
        Some(Key { name, value })
    }

    fn name(&mut self, placeholder: &'a str) -> Option<String> {
        self.used.insert(placeholder);
        let name = self.names.get(placeholder)?;
        let is_valid = is_placeholder(placeholder, '#') && (1..=MAX_NAME).contains(&name.len());
        is_valid.then(|| name.to_string())
    }

    fn value(&mut self, placeholder: &'a str) -> Option<String> {
        self.used.insert(placeholder);
        let text = &self.values.get(placeholder)?.text;
        (is_placeholder(placeholder, ':') && !text.is_empty()).then(|| text.to_string())
    }

    fn projection(&mut self, expression: &'a str) -> Option<Projection> {
        let mut projection = Projection::default();
        for path in short(expression)?.split(',') {
            let names = path.trim_matches(' ').split('.');
            let path: Option<Vec<_>> = names.map(|name| self.name(name)).collect();
            projection.add(path?)?;
        }
        Some(projection)
    }

    fn are_all_used(&self) -> bool {
        self.used.len() == self.names.len() + self.values.len()
    }
}

fn is_placeholder(text: &str, mark: char) -> bool {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    text.strip_prefix(mark)
        .is_some_and(|name| !name.is_empty() && name.bytes().all(is_part))
}
