//! How a file of JSON holds its records.

use anyhow::{bail, ensure};
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use crate::input::Input;
use crate::json::{
    Documents, JsonRecords, JsonValues, PAGE, first_of_list, read_lines, read_values,
};
use crate::json_object::{JsonObject, scalar};
use crate::paths::Paths;
use crate::proposals::is_rating_name;
use crate::raw_record::{RawContent, RawRecord};
use crate::reason::quoted;
use crate::rules::{Field, ImportRules, RecordKind};
use crate::sample::{Place, Places, Sample};

/// How a file of JSON holds its records.
pub(crate) enum JsonFormat {
    /// An object on each line.
    Lines,
    /// Objects on several lines each, or arrays of objects.
    Values,
    /// Documents that hold records, one after the other or in an array.
    Documents(Documents),
}

/// Returns whether a file with this head is JSON. Anything else is a table.
pub(crate) fn is_json(head: &[u8]) -> bool {
    matches!(head.trim_ascii_start().first(), Some(b'[' | b'{'))
}

impl JsonFormat {
    /// Tells the format by the head of a file.
    ///
    /// # Errors
    ///
    /// Says why none can be read.
    pub(crate) fn of(head: &[u8], rules: &ImportRules) -> anyhow::Result<Self> {
        let start = head.trim_ascii_start();
        let (first, are_in_array) = match start.strip_prefix(b"[") {
            Some(elements) => (elements.trim_ascii_start(), true),
            None => (start, false),
        };
        if first.starts_with(b"{")
            && let Some((list, other_list)) = lists_of_document(first, rules)?
        {
            return Ok(Self::Documents(Documents { list, other_list }));
        }
        let is_lines = !are_in_array && !is_on_several_lines(start);
        Ok(if is_lines { Self::Lines } else { Self::Values })
    }

    /// Names the list of the records, if it has a name of its own.
    pub(crate) fn words(&self) -> Option<String> {
        match self {
            Self::Documents(documents) if documents.other_list.is_none() => {
                Some(format!("the list {}", quoted(&documents.list)))
            }
            _ => None,
        }
    }

    /// Hands on the records of a file.
    ///
    /// # Errors
    ///
    /// Fails if reading ends before the end of the file, or a record cannot be taken.
    pub(crate) fn read(
        &self,
        input: &mut Input,
        records: &mut dyn JsonRecords,
    ) -> anyhow::Result<()> {
        match self {
            Self::Lines => read_lines(input, records),
            Self::Values => read_values(None, input, records),
            Self::Documents(documents) => read_values(Some(documents), input, records),
        }
    }

    /// Returns the values of the records in the head of a file; `None` if there are no records. Looks for the
    /// paths of the options in them.
    ///
    /// # Errors
    ///
    /// Refuses a file whose first record is of the other kind.
    pub(crate) fn sample(
        &self,
        head: &[u8],
        rules: &ImportRules,
        paths: &mut Paths,
    ) -> anyhow::Result<Option<Sample>> {
        let mut records = SampledRecords {
            places: Places::default(),
            is_of_other_kind: false,
            rules,
            paths,
        };
        // What is wrong with the head is said when it is read.
        let _ = Input::of(head.to_owned()).map(|mut input| self.read(&mut input, &mut records));
        ensure!(!records.is_of_other_kind, rules.kind.other().refusal());
        let places = records.places.list;
        let of = |name: &str| places.iter().find(|place| place.name == name).cloned();
        let members = rules.kind.members().iter().chain(&["answers"]);
        let values_of = |member: &&'static str| {
            let field = Field::Member(member);
            let place = match rules.place_of(member) {
                Some(place) => Some(of(place).unwrap_or_default()),
                None => of(member).or_else(|| of(&field.path(rules.kind, false))),
            };
            Some((field, place?))
        };
        let fields = members.filter_map(values_of).collect();
        // What others call `createdAt` may be the date of a response.
        let is_member = |name: &str| rules.kind.members().contains(&name) && name != "createdAt";
        let is_free = |place: &Place| {
            let name = &*place.name;
            let is_read = name.starts_with("user.") || rules.map.iter().any(|map| map.reads(name));
            !is_member(name) && !is_read && !name.contains(char::is_control)
        };
        let is_empty = places.is_empty();
        let free = places.into_iter().filter(is_free).collect();
        Ok((!is_empty).then_some(Sample { fields, free }))
    }
}

/// The records in the head of a file.
struct SampledRecords<'a> {
    places: Places,
    is_of_other_kind: bool,
    rules: &'a ImportRules,
    paths: &'a mut Paths,
}

impl JsonRecords for SampledRecords<'_> {
    fn add(&mut self, record: RawRecord<'_>) -> anyhow::Result<()> {
        if let Ok(RawContent::Object { members, .. }) = record.content
            && let Ok(members) = members
        {
            self.note_kind(&members);
            // What is wrong with a path rejects the record when it is read.
            let _ = self.paths.find(&members);
            add_members(&members, "", self.rules, &mut self.places);
        }
        Ok(())
    }
}

impl SampledRecords<'_> {
    /// Notes whether a record shows that the file is of the other kind. One of responses may begin with what looks like
    /// users, because nobody responded yet.
    fn note_kind(&mut self, record: &JsonObject<'_>) {
        const FACTS: [&str; 5] = ["name", "email", "traits", "lastSeen", "unsubscribed"];
        match self.rules.kind {
            _ if self.rules.map_decisive_field() => {}
            RecordKind::Responses if self.places.list.is_empty() => {
                self.is_of_other_kind = record.is_user(&FACTS);
            }
            RecordKind::Responses => self.is_of_other_kind &= !record.is_response(),
            RecordKind::Users if self.places.has("userId") => {}
            RecordKind::Users => self.is_of_other_kind |= record.is_response(),
        }
    }
}

/// Adds the members of an object, and those within them.
fn add_members(members: &JsonObject<'_>, path: &str, rules: &ImportRules, places: &mut Places) {
    for (name, value) in members.iter() {
        let place = format!("{path}{name}");
        let text = scalar(name, value).unwrap_or_default();
        let is_absent = text == "null" || rules.is_null(&text);
        places.add(&place, if is_absent { "" } else { &text });
        if value.get().starts_with('{')
            && let Ok(inner) = JsonObject::parse(value.get())
        {
            add_members(&inner, &format!("{place}."), rules, places);
        }
    }
}

/// Returns which member of the object at the beginning holds records, and which other one could, if the object is a
/// document rather than a record: any list of objects could where the member has a name of its own.
fn lists_of_document(
    start: &[u8],
    rules: &ImportRules,
) -> anyhow::Result<Option<(String, Option<&'static str>)>> {
    // A record may have a member with the name of a list.
    const OF_RECORDS: [&str; 5] = ["userId", "user", "rating", "dismissed", "answers"];
    const OF_DOCUMENTS: [&str; 4] = ["responses", "users", PAGE, "page"];
    let kind = rules.kind;
    let members = members_of(start);
    let has = |wanted: &str| members.iter().any(|(name, _)| name == wanted);
    let has_list = |wanted: &str| {
        members
            .iter()
            .any(|(name, value)| name == wanted && value.is_list())
    };
    let is_mapped = |name: &str| {
        !OF_DOCUMENTS.contains(&name) && rules.map.iter().any(|mapping| mapping.reads(name))
    };
    if OF_RECORDS.into_iter().any(has) || members.iter().any(|(name, _)| is_mapped(name)) {
        return Ok(None);
    }
    let mut kinds = [kind, RecordKind::Responses, RecordKind::Users].into_iter();
    match kinds.find(|kind| has_list(kind.name())) {
        Some(found) if found == kind => return Ok(Some((kind.name().to_owned(), Some(PAGE)))),
        Some(found) => return Err(found.refusal()),
        None => {}
    }
    let objects = members.iter().filter(|(_, value)| *value == Value::Objects);
    let lists: Vec<_> = objects.map(|(name, _)| name).collect();
    let is_page = has_list(PAGE) && (lists.iter().any(|name| *name == PAGE) || !has("created"));
    // A record may have a list of anything.
    let is_record = members
        .iter()
        .any(|(name, value)| *value == Value::Other && is_rating_name(name));
    match &*lists {
        _ if is_page => Ok(Some((PAGE.to_owned(), Some(kind.name())))),
        [list] if !is_record && !has("created") => Ok(Some(((*list).clone(), None))),
        [list, other] if !is_record && !has("created") => bail!(
            "it has two lists of objects, {} and {}: write the records into a file of their own",
            quoted(list),
            quoted(other)
        ),
        _ => Ok(None),
    }
}

/// What the value of a member is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// A list of objects. One that is too long to be read is taken for one.
    Objects,
    /// A list without elements.
    EmptyList,
    Other,
}

impl Value {
    fn is_list(self) -> bool {
        matches!(self, Self::Objects | Self::EmptyList)
    }
}

/// Returns the members of the object at the beginning, as far as it can be read.
fn members_of(mut start: &[u8]) -> Vec<(String, Value)> {
    let mut members = Vec::new();
    let mut values = JsonValues::new(&mut start);
    // Errors are reported when the file is read.
    let _ = values.between(*b"{}", |values| {
        let name = serde_json::from_slice(&values.name()?)?;
        let is_list = values.peek()? == Some(b'[');
        let read = values.value();
        let value = match &read {
            Ok(value) => match first_of_list(&value.text) {
                Some(b'{') => Value::Objects,
                Some(b']') => Value::EmptyList,
                _ => Value::Other,
            },
            Err(_) if is_list => Value::Objects,
            Err(_) => Value::Other,
        };
        members.push((name, value));
        read.map(drop)
    });
    members
}

fn is_on_several_lines(start: &[u8]) -> bool {
    let mut values = Deserializer::from_slice(start).into_iter::<IgnoredAny>();
    let is_whole = matches!(values.next(), Some(Ok(_)));
    let first = start.get(..values.byte_offset()).unwrap_or_default();
    is_whole && first.contains(&b'\n')
}
