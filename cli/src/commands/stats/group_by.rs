//! `--group-by`: the trait whose values are the groups, as it is written on the command line.

use shared::model::{GroupBy, GroupKind};

/// Parses `NAME`, a string, or `boolean.NAME`. A string whose own name begins like that has its type
/// before it: `string.boolean.beta`.
///
/// # Errors
///
/// Says which part is wrong, for people.
pub(in crate::commands) fn parse(text: &str) -> Result<GroupBy, String> {
    let (kind, name) = match text.split_once('.') {
        Some(("string", name)) => (GroupKind::String, name),
        Some(("boolean", name)) => (GroupKind::Boolean, name),
        Some(("number", _)) => {
            return Err(format!(
                "numbers cannot be grouped; if this is the name of a string, write string.{text}"
            ));
        }
        _ => (GroupKind::String, text),
    };
    let name = name.parse().map_err(|error| format!("the name {error}"))?;
    Ok(GroupBy { name, kind })
}
