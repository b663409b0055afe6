//! A pull parser for JSON, for callers that know what to expect. It is several times faster than
//! deserializing because it builds nothing: strings are borrowed, and members are visited one by
//! one. Every `None` means that the text is malformed.

use std::borrow::Cow;

/// A text, and the position of the parser in it.
pub struct Json<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

/// DynamoDB nests values 32 levels deep, each of them an object within an object.
const MAX_DEPTH: u32 = 128;

impl<'a> Json<'a> {
    /// Reads a text that consists of one value.
    pub fn read<T>(text: &'a str, value: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut json = Self {
            text,
            at: 0,
            depth: 0,
        };
        let value = value(&mut json)?;
        json.peek().is_none().then_some(value)
    }

    /// Calls `member` with each name of an object, when the value is the next thing to read.
    #[inline]
    pub fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Option<()>,
    ) -> Option<()> {
        self.list(b'{', b'}', |json| {
            let name = json.string()?;
            json.expect(b':')?;
            member(json, name)
        })
    }

    /// Calls `element` for each element of an array, when it is the next thing to read.
    #[inline]
    pub fn array(&mut self, element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.list(b'[', b']', element)
    }

    pub fn elements<T>(&mut self, element: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut elements = Vec::new();
        self.array(|json| {
            elements.push(element(json)?);
            Some(())
        })?;
        Some(elements)
    }

    /// Returns the text of the next value.
    pub fn text(&mut self) -> Option<&'a str> {
        self.skip_spaces()?;
        let start = self.at;
        self.skip()?;
        self.text.get(start..self.at)
    }

    #[inline]
    fn list(
        &mut self,
        open: u8,
        close: u8,
        mut element: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.open(open)?;
        if self.peek()? == close {
            self.at += 1;
        } else {
            loop {
                element(self)?;
                let next = self.peek()?;
                self.at += 1;
                if next == close {
                    break;
                }
                if next != b',' {
                    return None;
                }
            }
        }
        self.depth -= 1;
        Some(())
    }

    #[inline]
    fn open(&mut self, open: u8) -> Option<()> {
        self.expect(open)?;
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())
    }

    /// Reads a value of DynamoDB, an object with one member, whose name is the type of the value.
    #[inline]
    pub fn typed<T>(&mut self, content: impl FnOnce(&mut Self, &str) -> Option<T>) -> Option<T> {
        self.open(b'{')?;
        let kind = self.string()?;
        self.expect(b':')?;
        let content = content(self, &kind)?;
        self.expect(b'}')?;
        self.depth -= 1;
        Some(content)
    }

    /// Skips a value of DynamoDB.
    pub fn skip_typed(&mut self) -> Option<()> {
        match self.plain_scalar() {
            Some(_) => Some(()),
            None => self.typed(Self::skip_content),
        }
    }

    /// Returns the text of the next value of DynamoDB.
    pub fn typed_text(&mut self) -> Option<&'a str> {
        self.peek()?;
        let start = self.at;
        self.skip_typed()?;
        self.text.get(start..self.at)
    }

    /// Skips what a value of this type consists of.
    pub fn skip_content(&mut self, kind: &str) -> Option<()> {
        match kind {
            "M" => self.object(|json, _| json.skip_typed()),
            "L" => self.array(Self::skip_typed),
            _ => self.skip(),
        }
    }

    /// Reads a string, borrowed unless it has escapes.
    #[inline(always)]
    #[allow(clippy::inline_always)] // a fifth of a record's time, measured by benches/run
    pub fn string(&mut self) -> Option<Cow<'a, str>> {
        self.expect(b'"')?;
        let rest = self.text.as_bytes().get(self.at..)?;
        let length = plain_length(rest)?;
        if *rest.get(length)? != b'"' {
            return self.escaped_string();
        }
        let start = self.at;
        self.at += length + 1;
        self.text.get(start..start + length).map(Cow::Borrowed)
    }

    /// Reads a string or number in one step if it is written as DynamoDB writes nearly all of them,
    /// `{"S":"…"}`. Otherwise returns `None` and reads nothing.
    #[inline(always)]
    #[allow(clippy::inline_always)] // as `string`
    pub fn plain_scalar(&mut self) -> Option<Scalar<'a>> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let [b'{', b'"', kind, b'"', b':', b'"', rest @ ..] = rest else {
            return None;
        };
        let length = plain_length(rest)?;
        if rest.get(length..length + 2)? != b"\"}" {
            return None;
        }
        let start = self.at + 6;
        let text = Cow::Borrowed(self.text.get(start..start + length)?);
        let value = match kind {
            b'S' => Scalar::String(text),
            b'N' => Scalar::Number(text),
            _ => return None,
        };
        self.at = start + length + 2;
        Some(value)
    }

    #[cold]
    fn escaped_string(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.text.get(self.at - 1..)?;
        let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let text = strings.next()?.ok()?;
        self.at += strings.byte_offset() - 1;
        Some(Cow::Owned(text))
    }

    pub fn boolean(&mut self) -> Option<bool> {
        match self.peek()? {
            b't' => self.literal("true").map(|()| true),
            _ => self.literal("false").map(|()| false),
        }
    }

    pub fn number(&mut self) -> Option<f64> {
        self.peek()?;
        let rest = self.text.get(self.at..)?;
        let length = rest
            .find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
            .unwrap_or(rest.len());
        self.at += length;
        serde_json::from_str(rest.get(..length)?).ok()
    }

    pub fn skip(&mut self) -> Option<()> {
        match self.peek()? {
            b'{' => self.object(|json, _| json.skip()),
            b'[' => self.array(Self::skip),
            b'"' => self.string().map(drop),
            b't' | b'f' => self.boolean().map(drop),
            b'n' => self.literal("null"),
            _ => self.number().map(drop),
        }
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        let found = self.text.get(self.at..)?.starts_with(literal);
        self.at += literal.len();
        found.then_some(())
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        let found = self.peek()? == byte;
        self.at += 1;
        found.then_some(())
    }

    /// Returns the next byte that is not a space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        let byte = *self.text.as_bytes().get(self.at)?;
        // DynamoDB writes no spaces.
        if byte > b' ' {
            return Some(byte);
        }
        self.skip_spaces()
    }

    #[cold]
    fn skip_spaces(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        self.at += rest.iter().take_while(|byte| is_space(byte)).count();
        self.text.as_bytes().get(self.at).copied()
    }
}

/// Returns the number of bytes before the string ends, an escape begins, or a byte follows that no
/// string may contain.
#[inline(always)]
#[allow(clippy::inline_always)] // as `string`
fn plain_length(rest: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    const HIGH_BITS: u64 = ONES << 7;
    let (words, tail) = rest.as_chunks::<8>();
    for (n, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // Subtracting from each byte sets the high bit of those that were less, and it may set that of a byte
        // behind one of these. So the first high bit is right, and no other is needed.
        let less_than = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH_BITS;
        let equal_to = |byte: u8| less_than(word ^ (ONES * u64::from(byte)), 1);
        let ends = less_than(word, 0x20) | equal_to(b'"') | equal_to(b'\\');
        if ends != 0 {
            return Some(8 * n + ends.trailing_zeros() as usize / 8);
        }
    }
    let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    Some(8 * words.len() + tail.iter().position(ends)?)
}

/// A typed value of DynamoDB, such as `{"S":"…"}`, as far as it is a scalar.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Scalar<'a> {
    String(Cow<'a, str>),
    Number(Cow<'a, str>),
    /// A boolean.
    Bool(bool),
    /// An absent attribute, or a stored `NULL`, which is the same.
    #[default]
    Null,
    /// A value of another type.
    Other,
}

impl<'a> Scalar<'a> {
    #[inline]
    pub fn read(json: &mut Json<'a>) -> Option<Self> {
        if let Some(value) = json.plain_scalar() {
            return Some(value);
        }
        json.typed(|json, kind| {
            Some(match kind {
                "S" => Self::String(json.string()?),
                "N" => Self::Number(json.string()?),
                "BOOL" => Self::Bool(json.boolean()?),
                _ => {
                    json.skip_content(kind)?;
                    if kind == "NULL" {
                        Self::Null
                    } else {
                        Self::Other
                    }
                }
            })
        })
    }

    pub fn string(self) -> Option<Cow<'a, str>> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_that_ends_a_plain_string_ends_it_wherever_it_stands() {
        for length in 0..20 {
            for (at, byte) in (0..length).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
                let mut text = vec![b'!'; length];
                text[at] = byte;
                text.extend(b"\"\"");
                let ends = matches!(byte, b'"' | b'\\' | 0..0x20);
                let expected = if ends { at } else { length };
                assert_eq!(plain_length(&text), Some(expected), "{text:?}");
            }
        }
        assert_eq!(plain_length(&[b'a'; 20]), None);
    }

    #[test]
    fn a_string_is_borrowed_unless_it_has_escapes() {
        let read = |text| Json::read(text, Json::string);
        assert!(matches!(read(r#""é""#), Some(Cow::Borrowed("é"))));
        assert_eq!(read(r#" "a\n\"" "#).as_deref(), Some("a\n\""));
    }
}
