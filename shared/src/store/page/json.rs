//! Reads JSON once, from front to back, for callers that know what they expect. Several times faster
//! than deserializing, because nothing is built: strings are borrowed, members handed over one by
//! one. `None` everywhere means that the text is malformed.

use std::borrow::Cow;

/// A text, and how far it is read.
pub(in crate::store) struct Json<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

/// DynamoDB nests 32 levels, each of them an object in an object.
const DEEPEST: u32 = 128;

impl<'a> Json<'a> {
    /// Reads the text's one value.
    pub(in crate::store) fn read<T>(
        text: &'a str,
        value: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let mut json = Self {
            text,
            at: 0,
            depth: 0,
        };
        let value = value(&mut json)?;
        json.peek().is_none().then_some(value)
    }

    /// Hands over each member of an object: its name, with the value still to be read.
    #[inline]
    pub(in crate::store) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Option<()>,
    ) -> Option<()> {
        self.list(b'{', b'}', |json| {
            let name = json.string()?;
            json.expect(b':')?;
            member(json, name)
        })
    }

    /// Hands over each element of an array, still to be read.
    #[inline]
    pub(in crate::store) fn array(
        &mut self,
        element: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.list(b'[', b']', element)
    }

    #[inline]
    fn list(
        &mut self,
        open: u8,
        close: u8,
        mut element: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.expect(open)?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
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

    /// A string, borrowed unless it has escapes.
    #[inline(always)]
    #[allow(clippy::inline_always)] // a fifth of a record's time, measured by benches/run
    pub(in crate::store) fn string(&mut self) -> Option<Cow<'a, str>> {
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

    /// A string or number as DynamoDB writes nearly all of them, `{"S":"…"}`, in one step. `None`
    /// leaves the value to be read step by step.
    #[inline(always)]
    #[allow(clippy::inline_always)] // as `string`
    pub(in crate::store) fn scalar(&mut self) -> Option<Value<'a>> {
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
            b'S' => Value::String(text),
            b'N' => Value::Number(text),
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

    pub(in crate::store) fn boolean(&mut self) -> Option<bool> {
        match self.peek()? {
            b't' => self.literal("true").map(|()| true),
            _ => self.literal("false").map(|()| false),
        }
    }

    pub(in crate::store) fn number(&mut self) -> Option<f64> {
        self.peek()?;
        let rest = self.text.get(self.at..)?;
        let length = rest
            .find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
            .unwrap_or(rest.len());
        self.at += length;
        serde_json::from_str(rest.get(..length)?).ok()
    }

    /// Reads over a value.
    pub(in crate::store) fn skip(&mut self) -> Option<()> {
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

    /// The next byte that is no space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        let byte = *self.text.as_bytes().get(self.at)?;
        // DynamoDB writes none.
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

/// How far a string goes on as it is: to its end, an escape, or what no string may hold.
#[inline(always)]
#[allow(clippy::inline_always)] // as `string`
fn plain_length(rest: &[u8]) -> Option<usize> {
    rest.iter()
        .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))
}

/// A typed value of a scalar type, `{"S":"…"}`, or of any other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::store) enum Value<'a> {
    String(Cow<'a, str>),
    Number(Cow<'a, str>),
    Bool(bool),
    /// The default, because a stored `NULL` is an absent attribute.
    #[default]
    Null,
    Other,
}

impl<'a> Value<'a> {
    #[inline]
    pub(in crate::store) fn read(json: &mut Json<'a>) -> Option<Self> {
        if let Some(value) = json.scalar() {
            return Some(value);
        }
        let mut value = Self::Other;
        json.object(|json, kind| {
            value = match &*kind {
                "S" => Self::String(json.string()?),
                "N" => Self::Number(json.string()?),
                "BOOL" => Self::Bool(json.boolean()?),
                "NULL" => {
                    json.skip()?;
                    Self::Null
                }
                _ => {
                    json.skip()?;
                    Self::Other
                }
            };
            Some(())
        })?;
        Some(value)
    }

    pub(in crate::store) fn string(self) -> Option<Cow<'a, str>> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}
