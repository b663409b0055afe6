//! Requests that are nested deeper than the JSON parser reads. DynamoDB names the nesting of an attribute
//! value as what is wrong with them.

use dynoxide::DynoxideError;
use serde_json::{Value, json};

/// How many objects and lists the parser reads inside each other.
const PARSED: usize = 127;

/// How many DynamoDB reads at least: 2,000 levels of an attribute value, two for each, inside a request.
const READ: usize = 4_004;

/// How many levels no attribute value may have: statements accept one more than other requests.
const REFUSED: usize = 33;

/// Returns whether the parser refuses a request for its depth alone.
pub(super) fn is_cause(error: &serde_json::Error) -> bool {
    error.to_string().starts_with("recursion limit exceeded")
}

/// Returns the error of a request with an attribute value that is nested too deep.
pub(super) fn refusal() -> DynoxideError {
    let message = "Nesting Levels have exceeded supported limits";
    DynoxideError::ValidationException(message.to_owned())
}

/// Parses a request, with another value in the place of each attribute value that is nested too deep.
/// Returns `None` if it is malformed, or too deep elsewhere.
pub(super) fn parse(body: &str, stand_in: &Value) -> Option<Value> {
    let mut request = serde_json::from_str(&cut(body)?).ok()?;
    for_each_attribute(&mut request, &mut |attribute| {
        if levels(attribute) >= REFUSED {
            attribute.clone_from(stand_in);
        }
    });
    (depth(&request) < PARSED).then_some(request)
}

/// Returns an attribute value that has too many levels.
pub(super) fn too_deep() -> Value {
    (0..REFUSED).fold(json!({"S": ""}), |inner, _| json!({"L": [inner]}))
}

/// Replaces what is too deep for the parser by nulls. Does not recurse.
fn cut(body: &str) -> Option<String> {
    let mut kept = String::new();
    let mut closing = Vec::new();
    let (mut in_text, mut is_escaped) = (false, false);
    for character in body.chars() {
        let depth = closing.len();
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if in_text => is_escaped = true,
            '"' => in_text = !in_text,
            _ if in_text => {}
            '{' => closing.push('}'),
            '[' => closing.push(']'),
            '}' | ']' if closing.pop() != Some(character) => return None,
            _ => {}
        }
        if depth.max(closing.len()) <= PARSED {
            kept.push(character);
        } else if depth == PARSED {
            kept.push_str("null");
        } else if depth > READ {
            return None;
        }
    }
    closing.is_empty().then_some(kept)
}

fn for_each_attribute(request: &mut Value, function: &mut impl FnMut(&mut Value)) {
    let Value::Object(members) = request else {
        for element in values(request) {
            for_each_attribute(element, function);
        }
        return;
    };
    for (name, member) in members {
        match name.as_str() {
            "ExclusiveStartKey" | "ExpressionAttributeValues" | "Item" | "Key" | "Parameters" => {
                values(member).for_each(&mut *function);
            }
            "Keys" => values(member).flat_map(values).for_each(&mut *function),
            "AttributeUpdates" | "Expected" | "KeyConditions" | "QueryFilter" | "ScanFilter" => {
                for condition in values(member) {
                    condition.get_mut("Value").map(&mut *function);
                    let list = condition.get_mut("AttributeValueList");
                    list.into_iter().flat_map(values).for_each(&mut *function);
                }
            }
            // Its members have the names of tables.
            "RequestItems" => {
                values(member).for_each(|of_table| for_each_attribute(of_table, function));
            }
            _ => for_each_attribute(member, function),
        }
    }
}

/// Returns how many maps and lists are inside each other in an attribute value, without empty ones.
fn levels(attribute: &Value) -> usize {
    let inner = [attribute.get("M"), attribute.get("L")];
    let inner = inner.into_iter().flatten().flat_map(children);
    inner.map(|value| 1 + levels(value)).max().unwrap_or(0)
}

fn depth(value: &Value) -> usize {
    let inner = children(value).map(depth).max().unwrap_or(0);
    inner + usize::from(value.is_object() || value.is_array())
}

fn children(value: &Value) -> impl Iterator<Item = &Value> {
    let members = value.as_object().into_iter().flat_map(|it| it.values());
    members.chain(value.as_array().into_iter().flatten())
}

fn values(value: &mut Value) -> Box<dyn Iterator<Item = &mut Value> + '_> {
    match value {
        Value::Object(members) => Box::new(members.values_mut()),
        Value::Array(elements) => Box::new(elements.iter_mut()),
        _ => Box::new(std::iter::empty()),
    }
}
