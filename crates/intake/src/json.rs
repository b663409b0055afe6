//! JSON as rows: an object on each line, values one after the other or in arrays, or documents with a list of them.
//!
//! It is divided into values without parsing them, so that an invalid value does not end the reading of the others.

use std::borrow::Cow;
use std::io::{BufRead, Read as _};

use anyhow::{anyhow, bail, ensure};
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use crate::file::{Input, MAX_RECORD, count_lines};
use crate::json_object::{JsonObject, append_canonical, pairs, plain};
use crate::names::is_rating_name;
use crate::pages::Pages;
use crate::reason::{Reason, quoted};
use crate::record::{Facts, Row, Rows, Values, lacks};
use crate::rules::ImportRules;

/// How a file of JSON holds its records: as values, each of several lines or in arrays, unless it says more.
#[derive(Default)]
pub(crate) struct JsonForm {
    /// Whether they are an object on each line.
    are_lines: bool,
    /// The documents that hold them, one after the other or in an array.
    pub(crate) documents: Option<Documents>,
}

/// How documents hold records, such as `{"responses":[…]}`.
pub(crate) struct Documents {
    /// The member with the list of records.
    list: String,
    /// The member with which it would be unclear what the records are; `None` if any list of objects is one.
    pub(crate) other_list: Option<&'static str>,
}

/// The members that a record has and a document of records has not: a record may have one with the name of a list.
pub(crate) const OF_RECORDS: [&str; 5] = ["userId", "user", "rating", "dismissed", "answers"];

/// The member with the records of a page.
const PAGE: &str = "data";

/// Returns whether a file with this head is JSON. Anything else is a table.
pub(crate) fn is_json(head: &[u8]) -> bool {
    matches!(head.trim_ascii_start().first(), Some(b'[' | b'{'))
}

impl JsonForm {
    /// Tells the form by the head of a file.
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
        let documents = documents(first, rules)?;
        let is_divided = are_in_array || documents.is_some();
        Ok(Self {
            are_lines: !is_divided && !is_on_several_lines(start),
            documents,
        })
    }

    /// Names the list of the records, if it has a name of its own.
    pub(crate) fn words(&self) -> Option<String> {
        let documents = self.documents.as_ref();
        let documents = documents.filter(|it| it.other_list.is_none())?;
        Some(format!("the list {}", quoted(&documents.list)))
    }

    /// Returns the records of a file.
    pub(crate) fn rows<'a>(&'a self, input: &'a mut Input) -> JsonRows<'a> {
        JsonRows {
            form: self,
            values: JsonValues { input, line: 1 },
            open: Vec::new(),
            is_begun: false,
            document: Document::default(),
            list: 0,
            text: Vec::new(),
            plain: None,
            pages: Pages::default(),
        }
    }
}

/// The records of a file of JSON.
pub(crate) struct JsonRows<'a> {
    form: &'a JsonForm,
    values: JsonValues<&'a mut Input>,
    /// The arrays and the document around the next value.
    open: Vec<Open<'a>>,
    /// Whether the last of them has had a part.
    is_begun: bool,
    /// The present document.
    document: Document,
    /// The number of the page.
    list: i64,
    /// The text of the present record.
    text: Vec<u8>,
    /// Its JSON with plain values, if it has others.
    plain: Option<String>,
    pages: Pages,
}

/// What the next value is a part of.
#[derive(Clone, Copy)]
enum Open<'a> {
    /// An array of records, or of arrays of records.
    Records,
    /// An array of documents.
    Documents,
    Document(&'a Documents),
}

/// A document, as far as it was read.
#[derive(Default)]
struct Document {
    /// The line that it begins on.
    line: u64,
    has_list: bool,
    /// What it says of other pages.
    page: Pages,
}

/// The values of a JSON object.
struct Object<'a> {
    json: &'a str,
    /// Its members, or why the record is rejected. Its text may still give it an id.
    members: Result<JsonObject<'a>, Reason>,
}

impl Values for Object<'_> {
    fn facts(&self, rules: &ImportRules) -> Result<Facts<'_>, Reason> {
        let members = self.members.as_ref().map_err(Clone::clone)?;
        Facts::of_object(members, rules)
    }

    fn text_at(&self, place: &str) -> Result<Option<Cow<'_, str>>, Reason> {
        let members = self.members.as_ref().ok();
        members.map_or(Ok(None), |members| members.text_at(place))
    }

    fn lacks_id(&self) -> bool {
        pairs(self.json).is_ok_and(|pairs| {
            let mut pairs = pairs.iter();
            pairs.all(|(name, value)| name != "id" || value.get() == "null")
        })
    }

    fn content(&self, names: &[String]) -> Result<Vec<u8>, Reason> {
        let mut content = Vec::new();
        if names.is_empty() {
            append_canonical(self.json, 0, &mut content)?;
        }
        for name in names {
            let members = self.members.as_ref().map_err(Clone::clone)?;
            let value = members.find(name)?.value().ok_or_else(|| lacks(name))?;
            content.extend_from_slice(name.as_bytes());
            content.push(b'=');
            append_canonical(value.get(), 0, &mut content)?;
        }
        Ok(content)
    }

    fn members(&self) -> Option<&Result<JsonObject<'_>, Reason>> {
        Some(&self.members)
    }
}

impl Rows for JsonRows<'_> {
    fn next(&mut self) -> anyhow::Result<Option<Row<'_>>> {
        let line = if self.form.are_lines {
            self.next_line()?
        } else {
            self.next_value()?
        };
        let Some(line) = line else {
            return Ok(None);
        };
        let text = self.text.trim_ascii();
        let json = str::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned());
        self.plain = json.as_ref().ok().and_then(|json| plain(json));
        let values = json.map(|json| -> Box<dyn Values> {
            let json = self.plain.as_deref().unwrap_or(json);
            let members = JsonObject::parse(json);
            Box::new(Object { json, members })
        });
        Ok(Some(Row {
            line,
            list: self.list,
            text,
            is_ended: true,
            values,
        }))
    }

    fn pages(&self) -> Pages {
        self.pages.clone()
    }
}

impl<'a> JsonRows<'a> {
    /// Reads the text of the next record that is a line. Returns its number.
    fn next_line(&mut self) -> anyhow::Result<Option<u64>> {
        let values = &mut self.values;
        loop {
            let number = values.line;
            let line = &mut self.text;
            line.clear();
            let limit = MAX_RECORD as u64 + 1;
            let length = values.input.by_ref().take(limit).read_until(b'\n', line)?;
            if length == 0 {
                return Ok(None);
            }
            ensure!(length <= MAX_RECORD, "line {number} is longer than 16 MB");
            values.line += 1;
            let is_last = !line.ends_with(b"\n");
            let trimmed = line.trim_ascii();
            let is_json = || serde_json::from_slice::<IgnoredAny>(trimmed).is_ok();
            let is_cut = is_last && values.input.is_cut() && !is_json();
            if !trimmed.is_empty() && !is_cut {
                return Ok(Some(number));
            }
        }
    }

    /// Reads the text of the next record that is a value. Returns the line that it begins on.
    fn next_value(&mut self) -> anyhow::Result<Option<u64>> {
        loop {
            let open = self.open.last().copied();
            let is_begun = std::mem::replace(&mut self.is_begun, true);
            if let Some(open) = open
                && let [_, close] = open.brackets()
                && self.values.ends(is_begun, close)?
            {
                self.open.pop();
                if let Open::Document(documents) = open {
                    self.end_document(documents)?;
                }
                continue;
            }
            let next = self.values.peek()?;
            match (open, next, &self.form.documents) {
                (None, None, _) => return Ok(None),
                (Some(Open::Document(documents)), ..) => self.read_member(documents)?,
                (None, Some(b'['), Some(_)) => self.enter(Open::Documents)?,
                (None | Some(Open::Documents), _, Some(documents)) => {
                    self.document = Document {
                        line: self.values.line,
                        page: Pages::of_document(),
                        ..Document::default()
                    };
                    // Its records may be on other pages, too.
                    self.list += i64::from(documents.list == PAGE);
                    self.enter(Open::Document(documents))?;
                }
                (_, Some(b'['), None) if self.open.len() < 2 => self.enter(Open::Records)?,
                (None, Some(byte), None) if byte != b'{' => {
                    return Err(self.values.unexpected("its end", next));
                }
                _ => {
                    let line = self.values.line;
                    self.text = self.values.value()?;
                    self.pages.count_record();
                    return Ok(Some(line));
                }
            }
        }
    }

    fn enter(&mut self, open: Open<'a>) -> anyhow::Result<()> {
        let [bracket, _] = open.brackets();
        self.values.expect(&[bracket])?;
        self.open.push(open);
        self.is_begun = false;
        Ok(())
    }

    /// Reads a member of a document up to its records, if it has them.
    fn read_member(&mut self, documents: &Documents) -> anyhow::Result<()> {
        const MOST_NAMED: usize = 20;
        let name = self.values.name()?;
        let name: String = serde_json::from_slice(&name).unwrap_or_default();
        let Documents { list, other_list } = documents;
        let document = &mut self.document;
        if name == *list {
            document.has_list = true;
            return self.enter(Open::Records);
        }
        let value = self.values.value()?;
        let json = str::from_utf8(&value).unwrap_or_default();
        document.page.take(&name, json, 3);
        let may_be_other = other_list.is_none_or(|other| name == other);
        let are_objects = first_of_list(&value) == Some(b'{');
        ensure!(
            !may_be_other || !are_objects,
            "the object that begins on line {} has a list of records in {list:?} and one in {name:?}: \
             write those to import into a file of their own",
            document.line
        );
        let named = &mut self.pages.other_lists;
        if are_objects && named.len() < MOST_NAMED && !named.contains(&name) {
            named.push(name);
        }
        Ok(())
    }

    fn end_document(&mut self, Documents { list, .. }: &Documents) -> anyhow::Result<()> {
        let document = &self.document;
        ensure!(
            document.has_list,
            "the object that begins on line {} has no {list:?}, as those before it have",
            document.line
        );
        self.pages.add(&document.page);
        Ok(())
    }
}

impl Open<'_> {
    fn brackets(self) -> [u8; 2] {
        match self {
            Self::Document(_) => *b"{}",
            Self::Records | Self::Documents => *b"[]",
        }
    }
}

/// Returns the byte with which the first element of a list, or its end, begins.
fn first_of_list(json: &[u8]) -> Option<u8> {
    let elements = json.strip_prefix(b"[")?;
    elements.trim_ascii_start().first().copied()
}

/// The values of a JSON text.
struct JsonValues<R> {
    input: R,
    line: u64,
}

impl<R: BufRead> JsonValues<R> {
    /// Reads what is in front of the next part of an array or an object: nothing in front of the first, or a comma.
    /// Returns whether it has ended instead.
    fn ends(&mut self, is_begun: bool, close: u8) -> anyhow::Result<bool> {
        if is_begun {
            return Ok(self.expect(&[b',', close])? == close);
        }
        let is_empty = self.peek()? == Some(close);
        self.input.consume(usize::from(is_empty));
        Ok(is_empty)
    }

    fn name(&mut self) -> anyhow::Result<Vec<u8>> {
        let name = self.value()?;
        self.expect(b":")?;
        Ok(name)
    }

    /// Returns the text of a value, with spaces in the place of line breaks. Its brackets and quotes are closed, but it
    /// may be invalid otherwise.
    fn value(&mut self) -> anyhow::Result<Vec<u8>> {
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
        Ok(text)
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
    fn peek(&mut self) -> anyhow::Result<Option<u8>> {
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

/// Returns how the object at the beginning holds records, if it is a document rather than a record: any list of objects
/// could be theirs where the member has a name of its own.
fn documents(start: &[u8], rules: &ImportRules) -> anyhow::Result<Option<Documents>> {
    const OF_DOCUMENTS: [&str; 4] = ["responses", "users", PAGE, "page"];
    let kind = rules.kind;
    let members = members_of(start);
    let has = |wanted: &str| members.iter().any(|(name, _)| name == wanted);
    let has_list = |wanted: &str| {
        let mut members = members.iter();
        members.any(|(name, first)| name == wanted && matches!(first, Some(b'{' | b']')))
    };
    let is_mapped = |name: &str| {
        !OF_DOCUMENTS.contains(&name) && rules.map.iter().any(|mapping| mapping.reads(name))
    };
    let with_list = |list: &str, other_list| {
        let list = list.to_owned();
        Ok(Some(Documents { list, other_list }))
    };
    if OF_RECORDS.into_iter().any(has) || members.iter().any(|(name, _)| is_mapped(name)) {
        return Ok(None);
    }
    if has_list(kind.name()) {
        return with_list(kind.name(), Some(PAGE));
    }
    ensure!(!has_list(kind.other().name()), kind.other().refusal());
    let objects = members.iter().filter(|(_, first)| *first == Some(b'{'));
    let lists: Vec<_> = objects.map(|(name, _)| &**name).collect();
    if has_list(PAGE) && (lists.contains(&PAGE) || !has("created")) {
        return with_list(PAGE, Some(kind.name()));
    }
    // A record may have a list of anything.
    let is_rating = |(name, first): &(String, Option<u8>)| {
        !matches!(first, Some(b'{' | b']')) && is_rating_name(name)
    };
    match *lists {
        _ if has("created") || members.iter().any(is_rating) => Ok(None),
        [list] => with_list(list, None),
        [list, other] => bail!(
            "it has two lists of objects, {} and {}: write the records into a file of their own",
            quoted(list),
            quoted(other)
        ),
        _ => Ok(None),
    }
}

/// Returns the members of the object at the beginning, as far as it can be read, and of a list the byte with which its
/// first element, or its end, begins. One that is too long to be read is taken for a list of objects.
fn members_of(start: &[u8]) -> Vec<(String, Option<u8>)> {
    let mut members = Vec::new();
    let mut values = JsonValues {
        input: start,
        line: 1,
    };
    let mut read = || {
        values.expect(b"{")?;
        while !values.ends(!members.is_empty(), b'}')? {
            let name = serde_json::from_slice(&values.name()?)?;
            let is_list = values.peek()? == Some(b'[');
            let value = values.value();
            let first = match &value {
                Ok(value) => first_of_list(value),
                Err(_) => is_list.then_some(b'{'),
            };
            members.push((name, first));
            value?;
        }
        anyhow::Ok(())
    };
    // Errors are reported when the file is read.
    let _ = read();
    members
}

fn is_on_several_lines(start: &[u8]) -> bool {
    let mut values = Deserializer::from_slice(start).into_iter::<IgnoredAny>();
    let is_whole = matches!(values.next(), Some(Ok(_)));
    let first = start.get(..values.byte_offset()).unwrap_or_default();
    is_whole && first.contains(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::JsonForm;
    use crate::file::Input;
    use crate::record::Rows as _;

    /// Reads an array; returns the lines and texts of its elements.
    fn elements(json: &str) -> Vec<(u64, String)> {
        let mut input = Input::of(json.into()).unwrap();
        let mut elements = Vec::new();
        let form = JsonForm::default();
        let mut rows = form.rows(&mut input);
        while let Some(row) = rows.next().unwrap() {
            let text = String::from_utf8(row.text.to_vec()).unwrap();
            elements.push((row.line, text));
        }
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
