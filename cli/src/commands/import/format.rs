//! The records of a file, whatever its format.

use std::cell::Cell;
use std::fmt;
use std::io::{BufRead, Read};

use serde::de::{
    DeserializeSeed, Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::columns::{CellOptions, Columns, Kind};
use super::reader::Records;
use super::table::Rows;

/// A record that is longer is none that DynamoDB could keep.
pub(super) const LONGEST_RECORD: usize = 16 << 20;

/// One record of a file.
pub(super) struct Entry<'a> {
    /// The line it begins at.
    pub(super) line: u64,
    /// As it was written, on one line where that is possible.
    pub(super) raw: &'a [u8],
    /// The record as JSON, or why it is none.
    pub(super) json: Result<&'a str, String>,
}

/// How a file is written.
enum Format {
    /// One object a line.
    Lines,
    /// `[…]`.
    Array,
    /// `{"responses":[…]}` or `{"users":[…]}`.
    Document,
    Table,
}

/// Gives all records of the input to `records`. `Err` says what ends the reading before its end.
pub(super) fn read(
    input: impl BufRead,
    kind: Kind,
    options: &CellOptions,
    records: &mut Records<'_>,
) -> Result<(), String> {
    const HEAD: u64 = 1 << 20;
    let unreadable = |error| format!("it cannot be read: {error}");
    let mut input = input;
    let mut head = Vec::new();
    input
        .by_ref()
        .take(HEAD)
        .read_to_end(&mut head)
        .map_err(unreadable)?;
    // Spreadsheets put a byte order mark first.
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let format = recognise(head, kind)?;
    if !matches!(format, Format::Table) && !options.map.is_empty() {
        return Err("--map names columns of CSV, and this is JSON".to_owned());
    }
    let input = head.chain(input);
    match format {
        Format::Lines => read_lines(input, records),
        Format::Array | Format::Document => read_document(input, &format, kind, records),
        Format::Table => read_table(Rows::new(input, head), kind, options, records),
    }
}

fn recognise(head: &[u8], kind: Kind) -> Result<Format, String> {
    if head.contains(&0) {
        return Err(
            "it is neither JSON nor CSV in UTF-8 (a spreadsheet can be saved as CSV UTF-8)"
                .to_owned(),
        );
    }
    match head.trim_ascii_start() {
        [b'[', ..] => Ok(Format::Array),
        start @ [b'{', ..] => match list_of_document(start) {
            Some(found) if found == kind => Ok(Format::Document),
            Some(found) => Err(format!(
                "it holds {0}: use feedback import {0}",
                found.name()
            )),
            None if on_several_lines(start) => Err(
                "its objects stand on several lines each: write one a line (jq -c .)".to_owned(),
            ),
            None => Ok(Format::Lines),
        },
        _ => Ok(Format::Table),
    }
}

/// The list that the object at the beginning holds, if it is a document and no record.
fn list_of_document(start: &[u8]) -> Option<Kind> {
    struct Names<'a>(&'a mut Option<Kind>);
    impl<'de> Visitor<'de> for Names<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
            while let Some(name) = members.next_key::<String>()? {
                *self.0 = [Kind::Responses, Kind::Users]
                    .into_iter()
                    .find(|kind| kind.name() == name);
                if self.0.is_some() {
                    // The list itself may be longer than what is at hand.
                    return Err(A::Error::custom("found"));
                }
                members.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }
    let mut found = None;
    // Whatever else is wrong is told when the file is read.
    let _ = Deserializer::from_slice(start).deserialize_map(Names(&mut found));
    found
}

fn on_several_lines(start: &[u8]) -> bool {
    let first = Deserializer::from_slice(start)
        .into_iter::<&RawValue>()
        .next();
    matches!(first, Some(Ok(object)) if object.get().contains('\n'))
}

fn read_lines(mut input: impl BufRead, records: &mut Records<'_>) -> Result<(), String> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let limit = LONGEST_RECORD as u64 + 1;
        let read = input.by_ref().take(limit).read_until(b'\n', &mut line);
        match read.map_err(|error| format!("line {number}: it cannot be read: {error}"))? {
            0 => break,
            length if length > LONGEST_RECORD => {
                return Err(format!("line {number} is longer than 16 MB"));
            }
            _ => {}
        }
        let raw = line.trim_ascii();
        if raw.is_empty() {
            continue;
        }
        records.entry(Entry {
            line: number,
            raw,
            json: std::str::from_utf8(raw).map_err(|_| "it is not UTF-8".to_owned()),
        })?;
    }
    Ok(())
}

fn read_table<R: BufRead>(
    mut rows: Rows<R>,
    kind: Kind,
    options: &CellOptions,
    records: &mut Records<'_>,
) -> Result<(), String> {
    let unreadable = |error| format!("it cannot be read: {error}");
    let Some(header) = rows.next().map_err(unreadable)? else {
        return Ok(());
    };
    let names = header.cells.ok_or("its header is not UTF-8")?;
    let (columns, unused) = Columns::of_header(kind, &names, options)?;
    records.header(header.raw.trim_ascii_end(), &unused);
    while let Some(row) = rows.next().map_err(unreadable)? {
        let record = match &row.cells {
            Some(cells) => columns.record(cells),
            None => Err("it is not UTF-8".to_owned()),
        };
        records.entry(Entry {
            line: row.line,
            raw: row.raw.strip_suffix(b"\n").unwrap_or(&row.raw),
            json: record.as_deref().map_err(Clone::clone),
        })?;
    }
    Ok(())
}

pub(super) fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

/// Counts what is read, and stops a record that does not end.
struct Meter<'a, R> {
    input: R,
    count: &'a Count,
}

#[derive(Default)]
struct Count {
    newlines: Cell<u64>,
    since_record: Cell<usize>,
}

impl<R: Read> Read for Meter<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(buffer)?;
        let new = buffer.get(..read).unwrap_or_default();
        self.count.newlines.update(|count| count + newlines(new));
        self.count.since_record.update(|count| count + read);
        if self.count.since_record.get() > LONGEST_RECORD {
            return Err(std::io::Error::other("a record is longer than 16 MB"));
        }
        Ok(read)
    }
}

/// A list, element by element, by itself or as a member of an object.
struct Elements<'a, 'b> {
    list: &'static str,
    count: &'a Count,
    records: &'a mut Records<'b>,
    /// What the records ended the reading with; an error of serde's could not carry it.
    ended: Option<String>,
}

fn read_document(
    input: impl BufRead,
    format: &Format,
    kind: Kind,
    records: &mut Records<'_>,
) -> Result<(), String> {
    let count = Count::default();
    let meter = Meter {
        input,
        count: &count,
    };
    let mut elements = Elements {
        list: kind.name(),
        count: &count,
        records,
        ended: None,
    };
    let mut deserializer = Deserializer::from_reader(meter);
    let read = match format {
        Format::Array => deserializer.deserialize_seq(&mut elements),
        _ => deserializer.deserialize_map(&mut elements),
    };
    if let Some(ended) = elements.ended {
        return Err(ended);
    }
    read.and_then(|()| deserializer.end())
        .map_err(|error| format!("it is not JSON: {error}"))
}

impl<'de> Visitor<'de> for &mut Elements<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {}", self.list)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element::<Box<RawValue>>()? {
            self.count.since_record.set(0);
            let text = element.get();
            // JSON has line breaks between its tokens only.
            let raw = text.replace(['\n', '\r'], " ");
            let entry = Entry {
                line: self.count.newlines.get() - newlines(text.as_bytes()) + 1,
                raw: raw.as_bytes(),
                json: Ok(text),
            };
            if let Err(ended) = self.records.entry(entry) {
                self.ended = Some(ended);
                return Err(A::Error::custom("ended"));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            if name == self.list {
                members.next_value_seed(&mut *self)?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for &mut Elements<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}
