//! Recognizes the format of a file at its beginning.

use std::io::BufRead;

use anyhow::{bail, ensure};
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use crate::input::Input;
use crate::json::{Documents, JsonValues, PAGE, first_of_list};
use crate::rules::{ImportRules, RecordKind, kept_trait};

/// How a file holds its records.
pub(crate) enum FileFormat {
    /// An object on each line.
    Lines,
    /// `[…]`.
    Array,
    /// Documents that hold records, one after the other or in an array.
    Documents(Documents),
    Csv,
}

impl FileFormat {
    /// Recognizes the format of this input, of which a byte order mark is consumed. Fails if it has none, or if
    /// the options cannot be those of a file of this format.
    pub(crate) fn of(input: &mut Input, rules: &ImportRules) -> anyhow::Result<Self> {
        /// That of UTF-8, with which spreadsheets begin a file.
        const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
        if input.ahead().starts_with(BYTE_ORDER_MARK) {
            input.consume(BYTE_ORDER_MARK.len());
        }
        ensure!(
            !input.ahead().trim_ascii().is_empty() || input.is_cut(),
            "it is empty"
        );
        let format = recognize(input.ahead(), rules)?;
        if matches!(format, Self::Csv) {
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
        Ok(format)
    }
}

fn recognize(head: &[u8], rules: &ImportRules) -> anyhow::Result<FileFormat> {
    ensure!(
        !head.contains(&0),
        "it is neither JSON nor CSV in UTF-8 (save a spreadsheet as CSV UTF-8)"
    );
    let documents = |start, are_in_array| {
        let lists = lists_of_document(start, rules)?;
        let documents = lists.map(|[list, other_list]| Documents {
            list,
            other_list,
            are_in_array,
        });
        anyhow::Ok(documents.map(FileFormat::Documents))
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
