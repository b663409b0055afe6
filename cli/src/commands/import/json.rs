//! Reads JSON: an object on each line, an array, or a document that contains one.

use std::cell::Cell;
use std::fmt;
use std::io::{BufRead, Read};

use anyhow::{Context, ensure};
use serde::de::{
    DeserializeSeed, Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::entry::{Entry, MAX_RECORD, newlines};
use super::kind::Kind;
use super::records::Records;
use super::source::Source;

/// Reads an object from each line.
pub(super) fn read_lines(mut input: impl BufRead, records: &mut Records) -> anyhow::Result<()> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let limit = MAX_RECORD as u64 + 1;
        let length = input
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut line)
            .with_context(|| format!("cannot read line {number}"))?;
        if length == 0 {
            break;
        }
        ensure!(length <= MAX_RECORD, "line {number} is longer than 16 MB");
        let raw = line.trim_ascii();
        if raw.is_empty() {
            continue;
        }
        records.add(Entry {
            line: number,
            raw,
            record: std::str::from_utf8(raw)
                .map(|json| (json, Source::Object(json)))
                .map_err(|_| "it is not UTF-8".to_owned()),
        })?;
    }
    Ok(())
}

/// Reads the elements of an array.
pub(super) fn read_array(
    input: impl BufRead,
    kind: Kind,
    records: &mut Records,
) -> anyhow::Result<()> {
    read_elements(input, kind, records, |deserializer, elements| {
        deserializer.deserialize_seq(elements)
    })
}

/// Reads the elements of the array that the document's member [`Kind::name`] holds.
pub(super) fn read_document(
    input: impl BufRead,
    kind: Kind,
    records: &mut Records,
) -> anyhow::Result<()> {
    read_elements(input, kind, records, |deserializer, elements| {
        deserializer.deserialize_map(elements)
    })
}

fn read_elements<R: BufRead>(
    input: R,
    kind: Kind,
    records: &mut Records,
    read: impl FnOnce(
        &mut Deserializer<serde_json::de::IoRead<Meter<'_, R>>>,
        &mut Elements<'_>,
    ) -> serde_json::Result<()>,
) -> anyhow::Result<()> {
    let count = Count::default();
    let meter = Meter {
        input,
        count: &count,
    };
    let mut elements = Elements {
        list: kind.name(),
        count: &count,
        records,
        failure: None,
    };
    let mut deserializer = Deserializer::from_reader(meter);
    let outcome = read(&mut deserializer, &mut elements);
    if let Some(failure) = elements.failure {
        return Err(failure);
    }
    outcome
        .and_then(|()| deserializer.end())
        .context("it is not valid JSON")
}

/// Counts what is read, and ends the reading of a record that is too long.
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
        if self.count.since_record.get() > MAX_RECORD {
            return Err(std::io::Error::other("a record is longer than 16 MB"));
        }
        Ok(read)
    }
}

/// The elements of an array, which is the input or a member of it.
struct Elements<'a> {
    list: &'static str,
    count: &'a Count,
    records: &'a mut Records,
    /// The error that ended the reading, which an error of serde could not carry.
    failure: Option<anyhow::Error>,
}

impl<'de> Visitor<'de> for &mut Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {}", self.list)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element::<Box<RawValue>>()? {
            self.count.since_record.set(0);
            let text = element.get();
            // JSON has line breaks only between tokens.
            let raw = text.replace(['\n', '\r'], " ");
            let entry = Entry {
                line: self.count.newlines.get() - newlines(text.as_bytes()) + 1,
                raw: raw.as_bytes(),
                record: Ok((text, Source::Object(text))),
            };
            if let Err(failure) = self.records.add(entry) {
                self.failure = Some(failure);
                return Err(A::Error::custom("the reading ended"));
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

impl<'de> DeserializeSeed<'de> for &mut Elements<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}
