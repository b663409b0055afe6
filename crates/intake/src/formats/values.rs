//! Divides JSON into values without parsing them, so that an invalid value does not end the reading of
//! the others.

use std::io::BufRead;

use anyhow::{anyhow, bail, ensure};
use serde::de::IgnoredAny;

use crate::formats::input::{MAX_RECORD, newlines};

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
        let (line, mut text, mut scan) = (self.line, Vec::new(), Scan::default());
        loop {
            let available = self.input.fill_buf()?;
            if available.is_empty() {
                let error = serde_json::from_slice::<IgnoredAny>(&text).err();
                let error = error.map_or("EOF while parsing a list".to_owned(), |error| {
                    error.to_string()
                });
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
        self.line += newlines(&text);
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

    /// Returns the line on which the next value begins.
    pub(crate) fn line(&mut self) -> anyhow::Result<u64> {
        self.peek()?;
        Ok(self.line)
    }

    /// Returns whether only spaces are left.
    pub(crate) fn is_at_end(&mut self) -> anyhow::Result<bool> {
        Ok(self.peek()?.is_none())
    }

    /// Checks that only spaces are left.
    pub(crate) fn end(&mut self) -> anyhow::Result<()> {
        match self.peek()? {
            None => Ok(()),
            byte => Err(self.unexpected("its end", byte)),
        }
    }

    /// Reads one of these bytes.
    fn expect(&mut self, bytes: &[u8]) -> anyhow::Result<u8> {
        match self.peek()? {
            Some(byte) if bytes.contains(&byte) => {
                self.input.consume(1);
                Ok(byte)
            }
            byte => {
                let expected = bytes.iter().map(|byte| format!("`{}`", char::from(*byte)));
                let expected: Vec<_> = expected.collect();
                Err(self.unexpected(&expected.join(" or "), byte))
            }
        }
    }

    fn unexpected(&self, expected: &str, found: Option<u8>) -> anyhow::Error {
        let found = found.map_or("its end".to_owned(), |byte| {
            format!("`{}`", byte.escape_ascii())
        });
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

pub(crate) fn is_space(byte: u8) -> bool {
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
    use crate::formats::input::Input;

    /// Reads an array; returns the lines and texts of its elements.
    fn elements(json: &str) -> Vec<(u64, String)> {
        let (mut input, mut elements) = (Input::of(json.into()), Vec::new());
        let mut values = JsonValues::new(&mut input);
        let read = values.between(*b"[]", |values| {
            let value = values.value()?;
            elements.push((value.line, String::from_utf8(value.text).unwrap()));
            Ok(())
        });
        read.and_then(|()| values.end()).unwrap();
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
