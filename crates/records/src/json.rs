//! Reads JSON: an object on each line, an array, or a document that contains one.

use std::io::{BufRead, Read};

use anyhow::ensure;
use serde::de::IgnoredAny;

use super::entry::{Entry, MAX_RECORD};
use super::input::Input;
use super::records::Records;
use super::source::Source;
use super::values::Values;

/// Reads an object from each line.
pub(super) fn read_lines(input: &mut Input, records: &mut Records) -> anyhow::Result<()> {
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
        records.add(entry(number, raw))?;
    }
    Ok(())
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Reads the elements of an array.
pub(super) fn read_array(input: &mut Input, records: &mut Records) -> anyhow::Result<()> {
    let mut values = Values::new(input);
    read_elements(&mut values, records)?;
    values.end()
}

/// Reads the elements of the array that the document's member with the name of the kind holds.
pub(super) fn read_document(input: &mut Input, records: &mut Records) -> anyhow::Result<()> {
    let kind = records.kind();
    let mut values = Values::new(input);
    values.between(*b"{}", |values| {
        let name = values.name()?;
        if serde_json::from_slice::<String>(&name).is_ok_and(|name| name == kind.name()) {
            read_elements(values, records)
        } else {
            values.value().map(drop)
        }
    })?;
    values.end()
}

fn read_elements(values: &mut Values<'_>, records: &mut Records) -> anyhow::Result<()> {
    values.between(*b"[]", |values| {
        let value = values.value()?;
        records.add(entry(value.line, &value.text))
    })
}

fn entry(line: u64, raw: &[u8]) -> Entry<'_> {
    let text = str::from_utf8(raw);
    Entry {
        line,
        raw,
        source: text
            .map(Source::Object)
            .map_err(|_| "it is not UTF-8".to_owned()),
    }
}
