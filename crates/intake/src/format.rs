//! How a file of JSON holds its records.

use anyhow::ensure;
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use crate::input::Input;
use crate::json::{
    Documents, JsonRecords, JsonValues, PAGE, first_of_list, read_array, read_documents, read_lines,
};
use crate::json_object::{JsonObject, scalar};
use crate::origin::{RawContent, RawRecord};
use crate::paths::Paths;
use crate::rules::{Field, ImportRules, RecordKind};
use crate::sample::{Place, Sample, add_value};

/// How a file of JSON holds its records.
pub(crate) enum JsonFormat {
    /// An object on each line.
    Lines,
    /// `[…]`.
    Array,
    /// Documents that hold records, one after the other or in an array.
    Documents(Documents),
}

/// Returns whether a file with this head is JSON. Anything else is a table.
pub(crate) fn is_json(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(b"[") || head.trim_ascii_start().starts_with(b"{")
}

impl JsonFormat {
    /// Tells the format by the head of a file.
    ///
    /// # Errors
    ///
    /// Says why none can be read.
    pub(crate) fn of(head: &[u8], rules: &ImportRules) -> anyhow::Result<Self> {
        let documents = |start, are_in_array| {
            let lists = lists_of_document(start, rules)?;
            let documents = lists.map(|[list, other_list]| Documents {
                list,
                other_list,
                are_in_array,
            });
            anyhow::Ok(documents.map(Self::Documents))
        };
        let start = head.trim_ascii_start();
        if let Some(elements) = start.strip_prefix(b"[") {
            let first = elements.trim_ascii_start();
            let found = if first.starts_with(b"{") {
                documents(first, true)?
            } else {
                None
            };
            return Ok(found.unwrap_or(Self::Array));
        }
        let found = documents(start, false)?;
        ensure!(
            found.is_some() || !is_on_several_lines(start),
            "its objects are on several lines each: write one on each line (jq -c .)"
        );
        Ok(found.unwrap_or(Self::Lines))
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
            Self::Array => read_array(input, records),
            Self::Documents(documents) => read_documents(documents, input, records),
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
            places: Vec::new(),
            is_of_other_kind: false,
            rules,
            paths,
        };
        // What is wrong with the head is said when it is read.
        let _ = Input::of(head.to_owned()).map(|mut input| self.read(&mut input, &mut records));
        ensure!(!records.is_of_other_kind, rules.kind.other().refusal());
        let places = records.places;
        let of = |name: &str| places.iter().find(|place| place.name == name).cloned();
        let members = rules.kind.members().iter().chain(&["answers"]);
        let fields = members.filter_map(|member| {
            let field = Field::Member(member);
            let place = match rules.place_of(member) {
                Some(place) => Some(of(place).unwrap_or_default()),
                None => of(member).or_else(|| of(&field.path(rules.kind, false))),
            };
            Some((field, place?))
        });
        let fields = fields.collect();
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
    places: Vec<Place>,
    is_of_other_kind: bool,
    rules: &'a ImportRules,
    paths: &'a mut Paths,
}

impl JsonRecords for SampledRecords<'_> {
    fn begin_page(&mut self) {}

    fn end_page(&mut self, _: bool) {}

    fn add(&mut self, record: RawRecord<'_>) -> anyhow::Result<()> {
        if let Ok(RawContent::Object(json)) = record.content
            && let Ok(members) = JsonObject::parse(json)
        {
            if self.places.is_empty() && !self.rules.map_decisive_field() {
                let other = self.rules.kind.other();
                self.is_of_other_kind = members.look_like(other, &self.rules.map);
            }
            // What is wrong with a path rejects the record when it is read.
            let _ = self.paths.find(&members);
            add_members(&members, "", &mut self.places);
        }
        Ok(())
    }
}

/// Adds the members of an object, and those within them.
fn add_members(members: &JsonObject<'_>, path: &str, places: &mut Vec<Place>) {
    for (name, value) in members.iter() {
        let place = format!("{path}{name}");
        let text = scalar(name, value).unwrap_or_default();
        add_value(places, &place, if text == "null" { "" } else { &text });
        if value.get().starts_with('{')
            && let Ok(inner) = JsonObject::parse(value.get())
        {
            add_members(&inner, &format!("{place}."), places);
        }
    }
}

/// Returns which member of the object at the beginning holds records, and which one could, if the object is a
/// document rather than a record.
fn lists_of_document(
    start: &[u8],
    rules: &ImportRules,
) -> anyhow::Result<Option<[&'static str; 2]>> {
    // A record may have a member with the name of a list.
    const OF_RECORDS: [&str; 5] = ["userId", "user", "rating", "dismissed", "answers"];
    const OF_DOCUMENTS: [&str; 4] = ["responses", "users", PAGE, "page"];
    let kind = rules.kind;
    let Members { names, has_objects } = Members::first(start);
    let has = |name: &str| names.iter().any(|found| found == name);
    let is_mapped = |name: &String| {
        !OF_DOCUMENTS.contains(&&**name) && rules.map.iter().any(|mapping| mapping.reads(name))
    };
    if OF_RECORDS.into_iter().any(has) || names.iter().any(is_mapped) {
        return Ok(None);
    }
    let mut kinds = [kind, RecordKind::Responses, RecordKind::Users].into_iter();
    match kinds.find(|kind| has(kind.name())) {
        Some(found) if found == kind => Ok(Some([kind.name(), PAGE])),
        Some(found) => Err(found.refusal()),
        None => {
            let is_page = has(PAGE) && (has_objects || !has("created"));
            Ok(is_page.then_some([PAGE, kind.name()]))
        }
    }
}

/// Members of an object, as far as it can be read.
#[derive(Default)]
struct Members {
    /// Their names, without those of lists that are none, or hold something else than objects.
    names: Vec<String>,
    /// Whether a page holds objects. One that is empty may be the member of a record.
    has_objects: bool,
}

impl Members {
    /// Reads the members of the object at the beginning.
    fn first(mut start: &[u8]) -> Self {
        let lists = [RecordKind::Responses.name(), RecordKind::Users.name(), PAGE];
        let mut members = Self::default();
        let mut values = JsonValues::new(&mut start);
        // Errors are reported when the file is read.
        let _ = values.between(*b"{}", |values| {
            let name: String = serde_json::from_slice(&values.name()?)?;
            let is_list = lists.contains(&&*name);
            let is_page = name == PAGE;
            members.names.push(name);
            // A page that is too long to be read holds objects.
            members.has_objects |= is_page;
            let first = first_of_list(&values.value()?.text);
            if is_page {
                members.has_objects = first == Some(b'{');
            }
            if is_list && !matches!(first, Some(b'{' | b']')) {
                members.names.pop();
            }
            Ok(())
        });
        members
    }
}

fn is_on_several_lines(start: &[u8]) -> bool {
    let mut values = Deserializer::from_slice(start).into_iter::<IgnoredAny>();
    let is_whole = matches!(values.next(), Some(Ok(_)));
    let first = start.get(..values.byte_offset()).unwrap_or_default();
    is_whole && first.contains(&b'\n')
}
