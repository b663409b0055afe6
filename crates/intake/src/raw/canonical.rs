//! The canonical form of JSON, which is the same for values that differ only in the order of members or in
//! spaces.

use serde_json::value::RawValue;

use crate::members::pairs::{JsonString, pairs};
use crate::rules::reason::Reason;

/// Appends JSON with sorted members, without spaces, and with strings escaped alike. The JSON must have been
/// parsed before. `depth` is the number of brackets around it.
pub(crate) fn append_canonical(json: &str, depth: u32, out: &mut Vec<u8>) -> Result<(), Reason> {
    const MAX_DEPTH: u32 = 128;
    if depth > MAX_DEPTH {
        return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
    }
    match json.as_bytes() {
        [b'{', ..] => {
            let mut members = pairs(json)?;
            // Stable, so that members of the same name keep their order.
            members.sort_by(|(name, _), (other, _)| name.cmp(other));
            out.push(b'{');
            for (name, value) in members {
                append_string(&name, out)?;
                out.push(b':');
                append_canonical(value.get(), depth + 1, out)?;
                out.push(b',');
            }
            out.push(b'}');
        }
        [b'[', ..] => {
            let elements: Vec<&RawValue> = serde_json::from_str(json).map_err(invalid)?;
            out.push(b'[');
            for element in elements {
                append_canonical(element.get(), depth + 1, out)?;
                out.push(b',');
            }
            out.push(b']');
        }
        [b'"', ..] => {
            match serde_json::from_str(json) {
                Ok(JsonString(text)) => append_string(&text, out)?,
                // A lone surrogate has no text.
                Err(_) => out.extend_from_slice(json.as_bytes()),
            }
        }
        scalar => out.extend_from_slice(scalar),
    }
    Ok(())
}

fn append_string(text: &str, out: &mut Vec<u8>) -> Result<(), Reason> {
    serde_json::to_writer(out, text).map_err(invalid)
}

#[allow(clippy::needless_pass_by_value)] // It is what errors are mapped with.
fn invalid(error: serde_json::Error) -> Reason {
    error.to_string()
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
            ("\"\\ud800\"", Ok(r#""\ud800""#)),
            (&deepest(130), Err("it is nested deeper than 128 levels")),
        ] {
            let mut canonical = Vec::new();
            let appended = append_canonical(json, 0, &mut canonical);
            let appended = appended.map(|()| String::from_utf8(canonical).unwrap());
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(appended, expected, "{json}");
        }
    }
}
