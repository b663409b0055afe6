//! The ids of records: those that are derived from a record without one, and those that repeat. Both are known
//! from temporary tables, which spill to the disk: an import may have more records than fit into memory.

use chrono::{DateTime, Utc};
use items::RecordId;
use model::{Timestamp, content_id};
use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use crate::json_object::JsonString;
use crate::raw_record::RawContent;
use crate::reason::{Reason, RecordError, quoted};

/// The ids of all records, and how often equal records without one occurred.
#[derive(Default)]
pub(crate) struct Ids {
    /// The number of the file or page, in which equal records are counted from the first.
    list: i64,
    /// Created when the first id has to be known.
    database: Option<Connection>,
}

/// The tables of ids, of a database of its own, which is gone with the process. What a crash would leave does not
/// matter.
const TABLES: &str = "
    PRAGMA cache_size = -16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    PRAGMA locking_mode = EXCLUSIVE;
    CREATE TABLE occurrences (digest BLOB PRIMARY KEY, list INTEGER NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE ids (digest INTEGER, created INTEGER, PRIMARY KEY (digest, created)) WITHOUT ROWID;
    BEGIN";

impl Ids {
    /// Begins a file or a page, in which equal records are counted from the first.
    pub(crate) fn begin_list(&mut self) {
        self.list += 1;
    }

    fn database(&mut self) -> rusqlite::Result<&Connection> {
        if self.database.is_none() {
            let database = Connection::open("")?;
            database.execute_batch(TABLES)?;
            self.database = Some(database);
        }
        self.database.as_ref().ok_or(rusqlite::Error::InvalidQuery)
    }

    /// Derives the id of a record from its content, whatever columns are mapped to. Equal records of
    /// a file get different ids, which are the same whenever the file is read. With `--id-from`, the
    /// id depends on the values of these columns or members alone.
    pub(crate) fn derive(
        &mut self,
        raw: &RawContent<'_>,
        from: &[String],
    ) -> Result<RecordId, RecordError> {
        let mut content = content_of(raw, from)?;
        if from.is_empty() {
            let number = self.occurrence(&content)?;
            content.extend_from_slice(format!("\0{number}").as_bytes());
        }
        let id = content_id(&content).parse();
        id.map_err(|error| RecordError::Rejected(format!("id {error}")))
    }

    /// Returns the number of a record among the equal ones of its list.
    fn occurrence(&mut self, content: &[u8]) -> rusqlite::Result<i64> {
        let digest: [u8; 32] = Sha256::digest(content).into();
        let list = self.list;
        self.database()?
            .prepare_cached(
                "INSERT INTO occurrences VALUES (?1, ?2, 1)
                 ON CONFLICT (digest) DO UPDATE SET number = iif(list = ?2, number + 1, 1), list = ?2
                 RETURNING number",
            )?
            .query_row((&digest[..16], list), |row| row.get(0))
    }

    /// Notes a record, and returns how it relates to those before it.
    pub(crate) fn see(
        &mut self,
        id: &RecordId,
        created: Timestamp,
    ) -> rusqlite::Result<Repetition> {
        let digest: [u8; 32] = Sha256::digest(id.as_str()).into();
        // Of ten million ids, two have the same 64 bits once in 300,000 dry runs.
        let number = digest.first_chunk().copied().map_or(0, i64::from_le_bytes);
        let created = DateTime::<Utc>::from(created).timestamp_millis();
        let noted = self
            .database()?
            .prepare_cached(
                "INSERT OR IGNORE INTO ids VALUES (?1, ?2)
                 RETURNING EXISTS (SELECT 1 FROM ids WHERE digest = ?1 AND created <> ?2)",
            )?
            .query_row((number, created), |row| row.get(0))
            .optional()?;
        Ok(match noted {
            Some(false) => Repetition::None,
            Some(true) => Repetition::OtherCreated,
            None => Repetition::Same,
        })
    }
}

/// Returns the content of these columns or members of a record, or of all if there are none. A member within a
/// member is named by its path (`user.userId`). Records have the same content if they differ only in the order
/// of their columns or members, or in spaces.
fn content_of(record: &RawContent<'_>, names: &[String]) -> Result<Vec<u8>, Reason> {
    let absent = |name: &String| format!("it has no value in {} (--id-from)", quoted(name));
    let mut content = Vec::new();
    match record {
        RawContent::Object { json, .. } if names.is_empty() => {
            append_canonical(json, 0, &mut content)?;
        }
        RawContent::Object { members, .. } => {
            for name in names {
                let found = members.as_ref().map_err(Clone::clone)?.find(name)?;
                let value = found.value().ok_or_else(|| absent(name))?;
                content.extend_from_slice(name.as_bytes());
                content.push(b'=');
                append_canonical(value.get(), 0, &mut content)?;
            }
        }
        RawContent::Row { table, row } => {
            let texts: Vec<_> = row.texts().collect();
            let text_of = |column: usize| texts.get(column).map_or("", |text| text);
            let mut chosen = Vec::new();
            for name in names {
                let column = table.columns.find(name);
                let there = column.filter(|column| !text_of(*column).is_empty());
                chosen.push(there.ok_or_else(|| absent(name))?);
            }
            let written = table.dialect.names.iter().enumerate();
            let pairs = written.map(|(column, name)| (column, (name, text_of(column))));
            let is_chosen = |column: &usize| names.is_empty() || chosen.contains(column);
            let mut pairs: Vec<_> = pairs
                .filter_map(|(column, pair)| is_chosen(&column).then_some(pair))
                .collect();
            // Stable, so that columns of the same name keep their order.
            pairs.sort_by_key(|(name, _)| *name);
            serde_json::to_writer(&mut content, &pairs).map_err(invalid)?;
        }
    }
    Ok(content)
}

/// Appends the canonical form of a JSON value, which is the same for values that differ only in the order of members
/// or in spaces: with sorted members, without spaces, and with strings escaped alike. The JSON must have been
/// parsed before. `depth` is the number of brackets around it. Returns what follows the value.
fn append_canonical<'a>(json: &'a str, depth: u32, out: &mut Vec<u8>) -> Result<&'a str, Reason> {
    const MAX_DEPTH: u32 = 128;
    const BETWEEN: [char; 6] = [' ', '\t', '\n', '\r', ',', ':'];
    if depth > MAX_DEPTH {
        return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
    }
    let json = json.trim_start_matches(BETWEEN);
    if json.is_empty() {
        return Err("it is not JSON".to_owned());
    }
    let inner = |rest: &'a str| rest.trim_start_matches(BETWEEN);
    if let Some(mut rest) = json.strip_prefix('{').map(inner) {
        let mut members = Vec::new();
        while !rest.starts_with('}') {
            let (name, value) = rest.split_at(end_of_string(rest));
            let name: JsonString<'_> = serde_json::from_str(name).map_err(invalid)?;
            let mut canonical = Vec::new();
            rest = inner(append_canonical(value, depth + 1, &mut canonical)?);
            members.push((name.0, canonical));
        }
        // Stable, so that members of the same name keep their order.
        members.sort_by(|(name, _), (other, _)| name.cmp(other));
        out.push(b'{');
        for (name, value) in members {
            append_string(&name, out)?;
            out.push(b':');
            out.extend(value);
            out.push(b',');
        }
        out.push(b'}');
        return Ok(rest.get(1..).unwrap_or_default());
    }
    if let Some(mut rest) = json.strip_prefix('[').map(inner) {
        out.push(b'[');
        while !rest.starts_with(']') {
            rest = inner(append_canonical(rest, depth + 1, out)?);
            out.push(b',');
        }
        out.push(b']');
        return Ok(rest.get(1..).unwrap_or_default());
    }
    if json.starts_with('"') {
        let (string, rest) = json.split_at(end_of_string(json));
        match serde_json::from_str(string) {
            Ok(JsonString(text)) => append_string(&text, out)?,
            // A lone surrogate has no text.
            Err(_) => out.extend_from_slice(string.as_bytes()),
        }
        return Ok(rest);
    }
    let end = json.find([',', ']', '}', ' ', '\t', '\n', '\r']);
    let (scalar, rest) = json.split_at(end.unwrap_or(json.len()));
    out.extend_from_slice(scalar.as_bytes());
    Ok(rest)
}

/// Returns where the string ends that the JSON begins with.
fn end_of_string(json: &str) -> usize {
    let mut is_escaped = false;
    let is_end = |byte: u8| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    };
    let behind_quote = json.bytes().skip(1).position(is_end);
    behind_quote.map_or(json.len(), |at| at + 2)
}

fn append_string(text: &str, out: &mut Vec<u8>) -> Result<(), Reason> {
    serde_json::to_writer(out, text).map_err(invalid)
}

#[allow(clippy::needless_pass_by_value)] // It is what errors are mapped with.
fn invalid(error: serde_json::Error) -> Reason {
    error.to_string()
}

/// How a record relates to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// No earlier record has this id.
    None,
    /// An earlier record has this id and another `created`, so both are stored.
    OtherCreated,
    /// An earlier record has this id and this `created`: an import merges both.
    Same,
}

/// Later records could not be compared either.
impl From<rusqlite::Error> for RecordError {
    fn from(error: rusqlite::Error) -> Self {
        let error = anyhow::Error::new(error);
        Self::Fatal(error.context("cannot compare ids in a temporary file"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Ids, RecordError, append_canonical};
    use crate::json_object::JsonObject;
    use crate::raw_record::RawContent;

    #[test]
    fn a_full_disk_ends_the_import_instead_of_rejecting_records() {
        let mut ids = Ids::default();
        let full = "PRAGMA max_page_count = 4";
        ids.database().unwrap().execute_batch(full).unwrap();
        let mut derived = (0..200_000).map(|n| {
            let json = &format!("[{n}]");
            let members = Ok(JsonObject::default());
            ids.derive(&RawContent::Object { json, members }, &[])
        });
        let Some(RecordError::Fatal(error)) = derived.find_map(Result::err) else {
            panic!("the disk is full");
        };
        let error = format!("{error:#}");
        assert!(error.contains("ids") && error.contains("full"), "{error}");
    }

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
            let mut text = Vec::new();
            let canonical =
                append_canonical(json, 0, &mut text).map(|_| String::from_utf8(text).unwrap());
            assert_eq!(
                canonical.as_deref().map_err(String::as_str),
                expected,
                "{json}"
            );
        }
    }
}
