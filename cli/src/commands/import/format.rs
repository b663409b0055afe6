//! Recognizes the format of a file and reads its records.

use std::fmt;
use std::io::{BufRead, Read};

use anyhow::{Context, bail, ensure};
use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::columns::CellOptions;
use super::kind::Kind;
use super::records::Records;
use super::{csv, json};

enum Format {
    /// An object on each line.
    Lines,
    /// `[…]`.
    Array,
    /// `{"responses":[…]}` or `{"users":[…]}`.
    Document,
    Csv,
}

/// Reads all records of the input. Fails if reading ends before the end of the input.
pub(super) fn read(
    mut input: impl BufRead,
    kind: Kind,
    options: &CellOptions,
    records: &mut Records,
) -> anyhow::Result<()> {
    const HEAD: u64 = 1 << 20;
    let mut head = Vec::new();
    input
        .by_ref()
        .take(HEAD)
        .read_to_end(&mut head)
        .context("cannot read it")?;
    // Spreadsheets begin a file with a byte order mark.
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let format = recognize(head, kind)?;
    ensure!(
        matches!(format, Format::Csv) || options.map.is_empty(),
        "--map names columns of CSV, but this is JSON"
    );
    let input = head.chain(input);
    match format {
        Format::Lines => json::read_lines(input, records),
        Format::Array => json::read_array(input, kind, records),
        Format::Document => json::read_document(input, kind, records),
        Format::Csv => csv::read(input, head, kind, options, records),
    }
}

fn recognize(head: &[u8], kind: Kind) -> anyhow::Result<Format> {
    ensure!(
        !head.contains(&0),
        "it is neither JSON nor CSV in UTF-8 (save a spreadsheet as CSV UTF-8)"
    );
    Ok(match head.trim_ascii_start() {
        [b'[', ..] => Format::Array,
        start @ [b'{', ..] => match list_of_document(start) {
            Some(found) if found == kind => Format::Document,
            Some(found) => bail!("it contains {0}: use feedback import {0}", found.name()),
            None if is_on_several_lines(start) => {
                bail!("its objects are on several lines each: write one on each line (jq -c .)")
            }
            None => Format::Lines,
        },
        _ => Format::Csv,
    })
}

/// Returns which list the object at the beginning holds, if it is a document rather than a record.
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
                    // The list itself may be longer than the head.
                    return Err(A::Error::custom("found"));
                }
                members.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }
    let mut found = None;
    // Other errors are reported when the file is read.
    let _ = Deserializer::from_slice(start).deserialize_map(Names(&mut found));
    found
}

fn is_on_several_lines(start: &[u8]) -> bool {
    let first = Deserializer::from_slice(start)
        .into_iter::<&RawValue>()
        .next();
    matches!(first, Some(Ok(object)) if object.get().contains('\n'))
}
