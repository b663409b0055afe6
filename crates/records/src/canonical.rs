//! The canonical form of JSON, which is the same for values that differ only in the order of members or in spaces.

use std::borrow::Cow;

use super::Reason;
use super::members::JsonString;
use super::values::is_space;

/// Appends JSON with sorted members, without spaces, and with strings escaped alike. The JSON must have been parsed
/// before: of anything else, this appends something.
pub(super) fn append_canonical(json: &str, out: &mut Vec<u8>) -> Result<(), Reason> {
    Canonical { rest: json, out }.value(0)
}

struct Canonical<'a, 'b> {
    /// What has not been read.
    rest: &'a str,
    out: &'b mut Vec<u8>,
}

impl<'a> Canonical<'a, '_> {
    fn value(&mut self, depth: u32) -> Result<(), Reason> {
        const MAX_DEPTH: u32 = 128;
        if depth > MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(drop),
            _ => {
                let mut behind = self.rest.bytes().skip(1);
                let end =
                    behind.position(|byte| is_space(byte) || matches!(byte, b',' | b']' | b'}'));
                self.copy(end.map_or(self.rest.len(), |end| end + 1));
                Ok(())
            }
        }
    }

    fn array(&mut self, depth: u32) -> Result<(), Reason> {
        self.copy(1);
        while self.has_next(b']') {
            self.value(depth + 1)?;
            self.out.push(b',');
        }
        self.out.push(b']');
        Ok(())
    }

    fn object(&mut self, depth: u32) -> Result<(), Reason> {
        self.copy(1);
        let (begin, mut members) = (self.out.len(), Vec::with_capacity(8));
        while self.has_next(b'}') {
            let start = self.out.len();
            let name = self.string()?;
            self.peek();
            self.copy(1);
            self.value(depth + 1)?;
            self.out.push(b',');
            members.push((name, start..self.out.len()));
        }
        if !members.is_sorted_by(|(name, _), (other, _)| name <= other) {
            // Stable, so that members of the same name keep their order.
            members.sort_by(|(name, _), (other, _)| name.cmp(other));
            let members = members.into_iter().filter_map(|(_, at)| self.out.get(at));
            let members = members.collect::<Vec<_>>().concat();
            self.out.truncate(begin);
            self.out.extend_from_slice(&members);
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Appends a string; returns its text.
    fn string(&mut self) -> Result<Cow<'a, str>, Reason> {
        let mut behind = self.rest.bytes().skip(1);
        let end = behind.position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
        let plain = end.and_then(|end| self.rest.get(1..=end));
        if let Some(text) =
            plain.filter(|text| self.rest.as_bytes().get(text.len() + 1) == Some(&b'"'))
        {
            self.copy(text.len() + 2);
            return Ok(text.into());
        }
        let invalid = |error: serde_json::Error| error.to_string();
        let mut strings = serde_json::Deserializer::from_str(self.rest).into_iter();
        let text = strings.next().transpose().map_err(invalid)?;
        let JsonString(text) = text.unwrap_or_default();
        self.take(strings.byte_offset());
        serde_json::to_writer(&mut *self.out, &text).map_err(invalid)?;
        Ok(text)
    }

    /// Skips a comma, and returns whether something follows it before this bracket, which it skips, too.
    fn has_next(&mut self, close: u8) -> bool {
        if self.peek() == Some(b',') {
            self.take(1);
        }
        let next = self.peek();
        if next == Some(close) {
            self.take(1);
        }
        next.is_some_and(|byte| byte != close)
    }

    /// Skips spaces, and returns the byte that follows.
    fn peek(&mut self) -> Option<u8> {
        let next = self.rest.bytes().next()?;
        if is_space(next) {
            self.rest = self.rest.trim_ascii_start();
            return self.rest.bytes().next();
        }
        Some(next)
    }

    fn copy(&mut self, length: usize) -> &'a str {
        let copied = self.take(length);
        self.out.extend_from_slice(copied.as_bytes());
        copied
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self
            .rest
            .split_at_checked(length)
            .unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::append_canonical;

    /// Ids are derived from these texts.
    #[test]
    fn the_canonical_form_has_its_members_in_order() {
        let deepest = |levels: usize| ["[".repeat(levels), "]".repeat(levels)].concat();
        for (json, expected) in [
            (
                r#"{ "b" : [ 1.0 ,"\u0061\/"] ,"a":{"é":null,"c":"\n"}}"#,
                Ok(r#"{"a":{"c":"\n","é":null,},"b":[1.0,"a/",],}"#),
            ),
            (r#"{"b":2,"a":1,"b":1}"#, Ok(r#"{"a":1,"b":2,"b":1,}"#)),
            (r#"{"\u0062":{},"a":[]}"#, Ok(r#"{"a":[],"b":{},}"#)),
            ("\"\\ud800\"", Ok(r#""\\xed\\xa0\\x80""#)),
            ("{\"\t\":true}", Ok(r#"{"\t":true,}"#)),
            (&deepest(130), Err("it is nested deeper than 128 levels")),
        ] {
            let mut canonical = Vec::new();
            let outcome = append_canonical(json, &mut canonical);
            let outcome = outcome.map(|()| String::from_utf8(canonical).unwrap());
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(outcome, expected, "{json}");
        }
    }
}
