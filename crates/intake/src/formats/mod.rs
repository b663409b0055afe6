//! Recognizes the format of a file and reads its records.

mod csv;
pub(crate) mod files;
mod input;
mod json;
mod quotes;
mod rows;
mod values;

use std::fmt;
use std::io::BufRead;

use anyhow::{bail, ensure};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::formats::input::Input;
use crate::reading::Records;
use crate::rules::kind::RecordKind;
use crate::rules::{ImportRules, kept_trait};
use json::{Documents, PAGE};

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

enum FileFormat {
    /// An object on each line.
    Lines,
    /// `[…]`.
    Array,
    /// Documents that hold records, one after the other or in an array.
    Documents(Documents),
    Csv,
}

/// Reads all records of the input. Fails if reading ends before the end of the input.
pub(crate) fn read(input: &mut Input, records: &mut Records) -> anyhow::Result<()> {
    let rules = records.rules();
    // Spreadsheets begin a file with one.
    if input.ahead().starts_with(MARK) {
        input.consume(MARK.len());
    }
    ensure!(
        !input.ahead().trim_ascii().is_empty() || input.is_cut(),
        "it is empty"
    );
    let format = recognize(input.ahead(), &rules)?;
    if matches!(format, FileFormat::Csv) {
        ensure!(
            rules.campaign.is_none() && rules.keep.is_empty(),
            "--campaign and --keep read members of JSON, but this is CSV: select its rows before, and map \
             columns to traits (--map traits.{}=Campaign)",
            kept_trait("campaign")
        );
    } else {
        ensure!(
            !rules.string_traits,
            "--string-traits interprets cells of CSV, but this is JSON, where strings have quotes"
        );
    }
    match format {
        FileFormat::Lines => json::read_lines(input, records),
        FileFormat::Array => json::read_array(input, records),
        FileFormat::Documents(documents) => json::read_documents(&documents, input, records),
        FileFormat::Csv => csv::read(input, &rules, records),
    }
}

fn recognize(head: &[u8], rules: &ImportRules) -> anyhow::Result<FileFormat> {
    ensure!(
        !head.contains(&0),
        "it is neither JSON nor CSV in UTF-8 (save a spreadsheet as CSV UTF-8)"
    );
    let documents = |start, are_in_array| {
        let list = list_of_document(start, rules)?;
        anyhow::Ok(list.map(|list| FileFormat::Documents(Documents { list, are_in_array })))
    };
    Ok(match head.trim_ascii_start() {
        [b'[', elements @ ..] => match elements.trim_ascii_start() {
            start @ [b'{', ..] => documents(start, true)?.unwrap_or(FileFormat::Array),
            _ => FileFormat::Array,
        },
        start @ [b'{', ..] => match documents(start, false)? {
            Some(documents) => documents,
            None if is_on_several_lines(start) => {
                bail!("its objects are on several lines each: write one on each line (jq -c .)")
            }
            None => FileFormat::Lines,
        },
        _ => FileFormat::Csv,
    })
}

/// Returns which member of the object at the beginning holds records, if the object is a document rather
/// than a record.
fn list_of_document(start: &[u8], rules: &ImportRules) -> anyhow::Result<Option<&'static str>> {
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
        Some(found) if found == kind => Ok(Some(kind.name())),
        Some(found) => Err(found.refusal()),
        None => Ok((has(PAGE) && (has_objects || !has("created"))).then_some(PAGE)),
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
    fn first(start: &[u8]) -> Self {
        let mut members = Self::default();
        // Errors are reported when the file is read.
        let _ = Deserializer::from_slice(start).deserialize_map(&mut members);
        members
    }
}

impl<'de> Visitor<'de> for &mut Members {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            let lists = [RecordKind::Responses.name(), RecordKind::Users.name(), PAGE];
            let (is_list, is_page) = (lists.contains(&&*name), name == PAGE);
            self.names.push(name);
            if !is_list {
                members.next_value::<IgnoredAny>()?;
                continue;
            }
            // A page that is too long to be read holds objects.
            self.has_objects |= is_page;
            let value = members.next_value::<&RawValue>()?.get();
            let elements = value.strip_prefix('[').map_or("", str::trim_ascii_start);
            if is_page {
                self.has_objects = elements.starts_with('{');
            }
            if !elements.starts_with(['{', ']']) {
                self.names.pop();
            }
        }
        Ok(())
    }
}

fn is_on_several_lines(start: &[u8]) -> bool {
    let mut values = Deserializer::from_slice(start).into_iter::<IgnoredAny>();
    let is_whole = matches!(values.next(), Some(Ok(_)));
    let first = start.get(..values.byte_offset()).unwrap_or_default();
    is_whole && first.contains(&b'\n')
}
