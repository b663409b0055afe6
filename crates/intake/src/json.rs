//! Reads JSON: an object on each line, an array, or documents that contain one. It is divided into values
//! without parsing them, so that an invalid value does not end the reading of the others.

use std::io::{BufRead, Read};

use anyhow::{anyhow, bail, ensure};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::extended_json::plain;
use crate::input::{Input, MAX_RECORD, count_lines};
use crate::json_object::JsonObject;
use crate::raw_record::{RawContent, RawRecord};

/// Documents that hold records, such as `{"responses":[…]}`.
pub(crate) struct Documents {
    /// The member with the list of records.
    pub(crate) list: String,
    /// The member with which it would be unclear what the records are; `None` if any list of objects is one.
    pub(crate) other_list: Option<&'static str>,
}

/// Takes the records that JSON is divided into.
pub(crate) trait JsonRecords {
    /// Begins the records of a page, which may be on other pages, too.
    fn begin_page(&mut self) {}

    fn end_page(&mut self, _is_last: bool) {}

    /// Takes a record. Fails if no other can be taken.
    fn add(&mut self, record: RawRecord<'_>) -> anyhow::Result<()>;
}

/// The member with the records of a page.
pub(crate) const PAGE: &str = "data";

pub(crate) fn read_lines(input: &mut Input, records: &mut dyn JsonRecords) -> anyhow::Result<()> {
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
        add(records, number, raw)?;
    }
    Ok(())
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Reads objects and arrays of objects, one after the other, which are records or documents that hold them.
pub(crate) fn read_values(
    documents: Option<&Documents>,
    input: &mut Input,
    records: &mut dyn JsonRecords,
) -> anyhow::Result<()> {
    let mut values = JsonValues::new(input);
    while let Some(byte) = values.peek()? {
        match (byte, documents) {
            (b'[', None) => read_elements(&mut values, true, records)?,
            (b'{', None) => add_value(&mut values, records)?,
            (_, None) => return Err(values.unexpected("its end", Some(byte))),
            (b'[', Some(documents)) => {
                values.between(*b"[]", |values| read_document(documents, values, records))?;
            }
            (_, Some(documents)) => read_document(documents, &mut values, records)?,
        }
    }
    Ok(())
}

/// Reads the elements of the array that a member of a document holds.
fn read_document(
    documents: &Documents,
    values: &mut JsonValues<'_>,
    records: &mut dyn JsonRecords,
) -> anyhow::Result<()> {
    values.peek()?;
    let line = values.line;
    let mut page = None;
    let mut has_list = false;
    let is_page = documents.list == PAGE;
    if is_page {
        records.begin_page();
    }
    values.between(*b"{}", |values| {
        let name = values.name()?;
        let name: String = serde_json::from_slice(&name).unwrap_or_default();
        if name == documents.list {
            has_list = true;
            read_elements(values, false, records)?;
        } else if name == "page" {
            let is_last = is_last_page(&values.value()?.text);
            // Two in one document contradict each other.
            page = is_last.map(|is_last| is_last && page.is_none()).or(page);
        } else {
            let value = values.value()?.text;
            let may_be_other = documents.other_list.is_none_or(|other| name == other);
            ensure!(
                !may_be_other || first_of_list(&value) != Some(b'{'),
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
    if let Some(is_last) = page.filter(|_| is_page) {
        records.end_page(is_last);
    }
    Ok(())
}

/// Returns whether this member `page` says that no page follows; `None` if it says nothing of that. One with a cursor
/// is not the last.
fn is_last_page(page: &[u8]) -> Option<bool> {
    let members = str::from_utf8(page).ok().map(JsonObject::parse)?.ok()?;
    let text = |name| members.get(name).map(RawValue::get);
    let is_last = text("hasNextPage")? == "false";
    Some(is_last && matches!(text("nextPageCursor"), None | Some("\"\"")))
}

/// Returns the byte with which the first element of a list, or its end, begins.
pub(crate) fn first_of_list(json: &[u8]) -> Option<u8> {
    let elements = json.strip_prefix(b"[")?;
    elements.trim_ascii_start().first().copied()
}

/// Reads the elements of an array. One that is an array, too, may be one of records.
fn read_elements(
    values: &mut JsonValues<'_>,
    may_be_nested: bool,
    records: &mut dyn JsonRecords,
) -> anyhow::Result<()> {
    values.between(*b"[]", |values| {
        if may_be_nested && values.peek()? == Some(b'[') {
            return read_elements(values, false, records);
        }
        add_value(values, records)
    })
}

fn add_value(values: &mut JsonValues<'_>, records: &mut dyn JsonRecords) -> anyhow::Result<()> {
    let value = values.value()?;
    add(records, value.line, &value.text)
}

fn add(records: &mut dyn JsonRecords, line: u64, text: &[u8]) -> anyhow::Result<()> {
    let json = str::from_utf8(text).map(plain);
    let content = match &json {
        Ok(json) => Ok(RawContent::Object {
            json,
            members: JsonObject::parse(json),
        }),
        Err(_) => Err("it is not UTF-8".to_owned()),
    };
    records.add(RawRecord {
        line,
        text,
        is_ended: true,
        content,
    })
}

/// The values of a JSON text.
pub(crate) struct JsonValues<'a> {
    input: &'a mut dyn BufRead,
    line: u64,
}

/// A value. Its brackets and quotes are closed, but it may be invalid otherwise.
pub(crate) struct JsonValue {
    /// The line that it begins on.
    pub(crate) line: u64,
    /// Its text, with spaces in the place of line breaks.
    pub(crate) text: Vec<u8>,
}

impl<'a> JsonValues<'a> {
    pub(crate) fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input, line: 1 }
    }

    /// Reads what is between these brackets and separated by commas.
    pub(crate) fn between(
        &mut self,
        [open, close]: [u8; 2],
        mut read: impl FnMut(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.expect(&[open])?;
        if self.peek()? == Some(close) {
            return self.expect(&[close]).map(drop);
        }
        loop {
            read(self)?;
            if self.expect(&[b',', close])? == close {
                return Ok(());
            }
        }
    }

    pub(crate) fn name(&mut self) -> anyhow::Result<Vec<u8>> {
        let name = self.value()?;
        self.expect(b":")?;
        Ok(name.text)
    }

    pub(crate) fn value(&mut self) -> anyhow::Result<JsonValue> {
        if let Some(byte @ (b',' | b':' | b']' | b'}')) = self.peek()? {
            return Err(self.unexpected("a value", Some(byte)));
        }
        let line = self.line;
        let mut text = Vec::new();
        let mut scan = Scan::default();
        loop {
            let available = self.input.fill_buf()?;
            if available.is_empty() {
                let error = match serde_json::from_slice::<IgnoredAny>(&text) {
                    Ok(_) => "EOF while parsing a list".to_owned(),
                    Err(error) => error.to_string(),
                };
                bail!("it is not valid JSON: {error}, in the record that begins on line {line}");
            }
            let end = scan.end(available);
            let part = available.get(..end.unwrap_or(available.len()));
            text.extend_from_slice(part.unwrap_or_default());
            let length = part.map_or(0, <[u8]>::len);
            self.input.consume(length);
            ensure!(
                text.len() <= MAX_RECORD,
                "the record that begins on line {line} is longer than 16 MB; a quote or bracket may be \
                 missing"
            );
            if end.is_some() {
                break;
            }
        }
        self.line += count_lines(&text);
        ensure!(
            !scan.is_in_string,
            "it is not valid JSON: a string is not closed on line {}",
            self.line
        );
        for byte in &mut text {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        Ok(JsonValue { line, text })
    }

    /// Reads one of these bytes.
    fn expect(&mut self, bytes: &[u8]) -> anyhow::Result<u8> {
        match self.peek()? {
            Some(byte) if bytes.contains(&byte) => {
                self.input.consume(1);
                Ok(byte)
            }
            byte => {
                let quoted = bytes.iter().map(|byte| format!("`{}`", char::from(*byte)));
                let expected = quoted.collect::<Vec<_>>().join(" or ");
                Err(self.unexpected(&expected, byte))
            }
        }
    }

    fn unexpected(&self, expected: &str, found: Option<u8>) -> anyhow::Error {
        let found = match found {
            Some(byte) => format!("`{}`", byte.escape_ascii()),
            None => "its end".to_owned(),
        };
        let line = self.line;
        anyhow!("it is not valid JSON: expected {expected} on line {line}, found {found}")
    }

    /// Skips spaces, and returns the byte that follows.
    pub(crate) fn peek(&mut self) -> anyhow::Result<Option<u8>> {
        loop {
            let next = self.input.fill_buf()?.first().copied();
            if !next.is_some_and(is_space) {
                return Ok(next);
            }
            self.line += u64::from(next == Some(b'\n'));
            self.input.consume(1);
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Where a value is read.
#[derive(Default)]
struct Scan {
    /// How many brackets are open.
    depth: u32,
    is_in_string: bool,
    /// Whether a backslash precedes.
    is_escaped: bool,
}

impl Scan {
    /// Returns where the value ends, if it does so within these bytes. A line break ends a string that is not
    /// closed.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, &byte) in bytes.iter().enumerate() {
            let is_end_of_string = self.is_in_string && byte == b'"' && !self.is_escaped;
            if self.is_in_string && !is_end_of_string {
                if matches!(byte, b'\n' | b'\r') {
                    return Some(at);
                }
                self.is_escaped = byte == b'\\' && !self.is_escaped;
                continue;
            }
            match byte {
                b'"' => self.is_in_string = !is_end_of_string,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' | b',' | b':' if self.depth == 0 => return Some(at),
                byte if self.depth == 0 && is_space(byte) => return Some(at),
                b'}' | b']' => self.depth -= 1,
                _ => continue,
            }
            if self.depth == 0 && !self.is_in_string {
                return Some(at + 1);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::JsonValues;
    use crate::input::Input;

    /// Reads an array; returns the lines and texts of its elements.
    fn elements(json: &str) -> Vec<(u64, String)> {
        let mut input = Input::of(json.into()).unwrap();
        let mut elements = Vec::new();
        let mut values = JsonValues::new(&mut input);
        let read = values.between(*b"[]", |values| {
            let value = values.value()?;
            elements.push((value.line, String::from_utf8(value.text).unwrap()));
            Ok(())
        });
        read.unwrap();
        assert_eq!(values.peek().unwrap(), None);
        elements
    }

    #[test]
    fn an_element_across_the_end_of_the_buffer_is_whole() {
        for length in (1 << 20) - 4..(1 << 20) + 4 {
            let texts = [format!("\"{}\\\"\"", "x".repeat(length)), "12".to_owned()];
            let found = elements(&format!("[{}]", texts.join(",")));
            assert!(found == texts.map(|text| (1, text)), "{length}");
        }
    }
}
