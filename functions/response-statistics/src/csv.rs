//! Elements as a table (contract, CSV): a row for each, and a column for each of the attributes, as JSON has them.

use items::Json;
use serde::Serialize;
use service::error::Error;

/// Returns the line with the names of these attributes.
pub(crate) fn header(attributes: &impl Serialize) -> Result<String, Error> {
    line(attributes, |name, _| Some(name.to_owned()))
}

/// Returns the line with the values of these attributes.
pub(crate) fn row(attributes: &impl Serialize) -> Result<String, Error> {
    line(attributes, |_, value| match value.as_bytes() {
        b"null" => Some(String::new()),
        [b'"', ..] => Some(quoted(&Json::read(value, Json::string)?)),
        _ => Some(value.to_owned()),
    })
}

fn line(
    attributes: &impl Serialize,
    cell: impl Fn(&str, &str) -> Option<String>,
) -> Result<String, Error> {
    let text = serde_json::to_string(attributes).map_err(|_| Error::internal())?;
    let mut cells = Vec::new();
    let mut add = |name: &str, value: &str| {
        cells.push(cell(name, value)?);
        Some(())
    };
    // Whatever is serialized can be read.
    Json::read(&text, |json| each_scalar(json, "", &mut add)).ok_or_else(Error::internal)?;
    Ok(cells.join(",") + "\r\n")
}

/// Visits the text of each scalar of a value, with its name: `nps`, `before.nps`, `frequency0`.
fn each_scalar(
    json: &mut Json<'_>,
    name: &str,
    visit: &mut dyn FnMut(&str, &str) -> Option<()>,
) -> Option<()> {
    let text = json.text()?;
    match text.as_bytes().first()? {
        b'{' => Json::read(text, |json| {
            json.object(|json, member| match name {
                "" => each_scalar(json, &member, visit),
                _ => each_scalar(json, &format!("{name}.{member}"), visit),
            })
        }),
        b'[' => {
            let mut places = 0..;
            let mut next = || Some(format!("{name}{}", places.next()?));
            Json::read(text, |json| {
                json.array(|json| each_scalar(json, &next()?, visit))
            })
        }
        _ => visit(name, text),
    }
}

/// Returns a text as a cell. Spreadsheets would compute a text that begins like a formula, so it gets an
/// apostrophe before it. A text that begins with an apostrophe gets one, too: no two texts become equal.
fn quoted(text: &str) -> String {
    const MARKED: [char; 13] = [
        '=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠', '\'',
    ];
    let mark = if text.starts_with(MARKED) { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}
