//! Reads JSON: an object on each line, an array, or documents that contain one.

use std::io::{BufRead, Read};

use anyhow::ensure;
use serde::de::IgnoredAny;

use crate::formats::input::{Input, MAX_RECORD};
use crate::formats::values::JsonValues;
use crate::raw::{RawContent, RawRecord};
use crate::reading::Records;
use crate::report::pages::is_last;

/// Documents that hold records, such as `{"responses":[…]}`.
pub(crate) struct Documents {
    /// The member with the list of records.
    pub(crate) list: &'static str,
    /// The member with which it would be unclear what the records are.
    pub(crate) other_list: &'static str,
    /// Whether the documents are the elements of an array.
    pub(crate) are_in_array: bool,
}

/// The member with the records of a page.
pub(crate) const PAGE: &str = "data";

pub(crate) fn read_lines(input: &mut Input, records: &mut Records) -> anyhow::Result<()> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let limit = MAX_RECORD as u64 + 1;
        let length = input.by_ref().take(limit).read_until(b'\n', &mut line)?;
        if length == 0 {
            break;
        }
        ensure!(length <= MAX_RECORD, "line {number} is longer than 16 MB");
        let raw = line.trim_ascii();
        let is_last = !line.ends_with(b"\n");
        if raw.is_empty() || (is_last && input.is_cut() && !is_json(raw)) {
            continue;
        }
        records.add(record(number, raw))?;
    }
    Ok(())
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

pub(crate) fn read_array(input: &mut Input, records: &mut Records) -> anyhow::Result<()> {
    let mut values = JsonValues::new(input);
    read_elements(&mut values, records)?;
    values.end()
}

pub(crate) fn read_documents(
    documents: &Documents,
    input: &mut Input,
    records: &mut Records,
) -> anyhow::Result<()> {
    records.begin_document();
    let mut values = JsonValues::new(input);
    let mut read = |values: &mut JsonValues<'_>| read_document(documents, values, records);
    if documents.are_in_array {
        values.between(*b"[]", read)?;
        return values.end();
    }
    while !values.is_at_end()? {
        read(&mut values)?;
    }
    Ok(())
}

/// Reads the elements of the array that a member of a document holds.
fn read_document(
    documents: &Documents,
    values: &mut JsonValues<'_>,
    records: &mut Records,
) -> anyhow::Result<()> {
    let (line, mut page, mut has_list) = (values.line()?, None, false);
    let is_page = documents.list == PAGE;
    if is_page {
        records.begin_page();
    }
    values.between(*b"{}", |values| {
        let name = values.name()?;
        let name: String = serde_json::from_slice(&name).unwrap_or_default();
        if name == documents.list {
            has_list = true;
            read_elements(values, records)?;
        } else if name == "page" {
            let is_last = is_last(&values.value()?.text);
            // Two pages in one document contradict each other.
            page = Some(page.is_none() && is_last);
        } else {
            let value = values.value()?.text;
            ensure!(
                name != documents.other_list || first_of_list(&value) != Some(b'{'),
                "the object that begins on line {line} has a list of records in {:?} and one in {name:?}: \
                 write those to import into a file of their own",
                documents.list
            );
        }
        anyhow::Ok(())
    })?;
    ensure!(
        has_list,
        "the object that begins on line {line} has no {:?}, as those before it have",
        documents.list
    );
    if is_page {
        records.end_page(page == Some(true));
    }
    Ok(())
}

/// Returns the byte with which the first element of a list, or its end, begins.
pub(crate) fn first_of_list(json: &[u8]) -> Option<u8> {
    let elements = json.strip_prefix(b"[")?;
    elements.trim_ascii_start().first().copied()
}

fn read_elements(values: &mut JsonValues<'_>, records: &mut Records) -> anyhow::Result<()> {
    values.between(*b"[]", |values| {
        let value = values.value()?;
        records.add(record(value.line, &value.text))
    })
}

fn record(line: u64, text: &[u8]) -> RawRecord<'_> {
    let json = str::from_utf8(text).map(RawContent::Object);
    RawRecord {
        line,
        text,
        content: json.map_err(|_| "it is not UTF-8".to_owned()),
    }
}
