//! Imports text in this process: what becomes of its records, without a store.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;

use intake::{
    IdComparison, ImportRules, Origin, Reason, Receiver, Record, RecordKind, Records, Report,
    StringTraits, Undecided, read_all,
};
use items::EncodedItem;
use serde_json::Value;

/// What an import of files comes to.
#[derive(Default)]
pub(crate) struct Imported {
    /// The responses as JSON, without their shard.
    pub(crate) responses: Vec<String>,
    /// The users as JSON, without their project and what orders their facts.
    pub(crate) users: Vec<String>,
    /// The reasons of rejected records, behind their places, as in `file:2: `.
    pub(crate) rejects: Vec<String>,
    /// The texts of rejected records, as the file of rejects has them.
    pub(crate) rejected: Vec<u8>,
    /// What the user is told meanwhile, and afterwards.
    pub(crate) told: Vec<String>,
    pub(crate) report: Report,
    /// Why the reading ended before the end of the files.
    pub(crate) error: Option<String>,
    /// The options that are proposed because the meaning of a file is open.
    pub(crate) proposals: Vec<String>,
}

impl Imported {
    /// Returns how many displays are stored: those of one `id` and `created` are merged.
    pub(crate) fn displays(&self) -> usize {
        let key = |response: &String| text_between(response, r#""at":""#, "\"");
        self.responses
            .iter()
            .map(key)
            .collect::<BTreeSet<_>>()
            .len()
    }

    /// Returns the texts of rejected records, with `ID` for each derived id.
    pub(crate) fn rejected(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.rejected).into_owned();
        for id in derived_ids(&text) {
            text = text.replace(&id, "ID");
        }
        text
    }

    /// Checks that every record is imported.
    #[track_caller]
    pub(crate) fn whole(self) -> Self {
        assert_eq!((&*self.rejects, &self.error), (&[] as &[String], &None));
        self
    }
}

/// Returns the ids of records that have none of their own.
pub(crate) fn derived_ids(text: &str) -> Vec<String> {
    let is_id = |part: &&str| part.len() == 24 && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(is_id).map(str::to_owned).collect()
}

fn text_between(text: &str, before: &str, after: &str) -> String {
    let (_, rest) = text.split_once(before).unwrap();
    rest.split(after).next().unwrap().to_owned()
}

/// Imports a file, which is called `file`. The options begin with the kind, as in `users --map email=Mail`;
/// there are no quotes around a value.
pub(crate) fn import(options: &str, text: impl AsRef<[u8]>) -> Imported {
    import_files(options, &[("file", text.as_ref())])
}

/// Imports these files, each of a name and a content.
pub(crate) fn import_files(options: &str, files: &[(&str, &[u8])]) -> Imported {
    try_import(options, files).unwrap()
}

/// Imports these files, unless the options are refused.
pub(crate) fn try_import(options: &str, files: &[(&str, &[u8])]) -> Result<Imported, String> {
    let (rules, is_dry_run) = parse(options)?;
    let folder = tempfile::tempdir().unwrap();
    let write = |(name, content): &(&str, &[u8])| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let paths: Vec<PathBuf> = files.iter().map(write).collect();
    let imported = Rc::new(RefCell::new(Imported::default()));
    let receiver = Box::new(Receiving {
        imported: imported.clone(),
        header: Vec::new(),
    });
    let comparison = if is_dry_run {
        IdComparison::All
    } else {
        IdComparison::None
    };
    let records = Records::new(rules, receiver, comparison);
    let (report, read) = read_all(&paths, |file| Box::new(file), records);
    let mut imported = imported.take();
    imported.told.extend(report.notes.iter().cloned());
    imported.report = report;
    if let Err(error) = read {
        let undecided = error.downcast_ref::<Undecided>();
        imported.proposals = undecided.map_or(Vec::new(), Undecided::options);
        let proposed = match &*imported.proposals {
            [] => String::new(),
            proposals => format!("; try {}", proposals.join(" or ")),
        };
        imported.error = Some(format!("{error:#}{proposed}"));
    }
    // The files are named as if the folder were the working directory.
    let place = format!("{}/", folder.path().display());
    let lines = imported.rejects.iter_mut().chain(&mut imported.told);
    for line in lines
        .chain(&mut imported.report.notes)
        .chain(&mut imported.error)
    {
        *line = line.replace(&place, "");
    }
    Ok(imported)
}

/// Returns the rules of these options, and whether each record counts once.
fn parse(options: &str) -> Result<(ImportRules, bool), String> {
    let mut words = options.split(" --");
    let kind = match words.next() {
        Some("users") => RecordKind::Users,
        _ => RecordKind::Responses,
    };
    let mut rules = ImportRules {
        now: Some("2031-01-01T00:00:00Z".parse().unwrap()),
        ..ImportRules::new(kind, "acme".parse().unwrap())
    };
    let mut is_dry_run = false;
    let list = |value: &str| value.split(',').map(str::to_owned).collect();
    for option in words {
        let (name, value) = option.split_once(' ').unwrap_or((option, ""));
        match name {
            "map" => rules.map.push(value.parse()?),
            "keep" => rules.keep = list(value),
            "id-from" => rules.id_from = list(value),
            "where" => rules.selection.push(value.parse().unwrap()),
            "date-format" => rules.dates.forms.push(value.parse()?),
            "timezone" => rules.dates.zone = value.parse().unwrap(),
            "string-traits" if value.is_empty() => rules.string_traits = StringTraits::All,
            "string-traits" => rules.string_traits = StringTraits::Named(list(value)),
            "null" => rules.nulls.push(value.parse().unwrap()),
            "encoding" => rules.encoding = Some(value.parse().unwrap()),
            "delimiter" => rules.delimiter = value.bytes().next(),
            "skip-lines" => rules.skip_lines = Some(value.parse().unwrap()),
            "created" => rules.created = Some(value.parse().unwrap()),
            "sheet" => rules.sheets.push(value.to_owned()),
            "guess" => rules.guesses = true,
            "want" => rules.wanted_traits = list(value),
            "no-users" => rules.no_users = true,
            "dry-run" => is_dry_run = true,
            _ => panic!("{name}"),
        }
    }
    rules.check().map_err(|error| error.to_string())?;
    Ok((rules, is_dry_run))
}

struct Receiving {
    imported: Rc<RefCell<Imported>>,
    /// The header of the rejected rows.
    header: Vec<u8>,
}

impl Receiver for Receiving {
    fn record(&mut self, _: Origin, record: Record) -> anyhow::Result<()> {
        let mut imported = self.imported.borrow_mut();
        imported.responses.extend(record.response.map(plain));
        imported.users.extend(record.user.map(plain));
        Ok(())
    }

    fn rejected(&mut self, origin: &Origin, reason: &Reason) -> anyhow::Result<()> {
        let mut imported = self.imported.borrow_mut();
        let reason = format!("{}:{}: {reason}", origin.file, origin.line);
        imported.rejects.push(reason);
        let [text, header] = origin.text_and_header();
        if self.header != header {
            imported.rejected.extend(&header);
            self.header = header;
        }
        imported.rejected.extend(text);
        Ok(())
    }

    fn note(&mut self, line: &str) {
        self.imported.borrow_mut().told.push(line.to_owned());
    }

    fn end_of_file(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Returns the JSON of an item without the types of its values.
fn plain(item: impl Into<EncodedItem>) -> String {
    let item: serde_json::Map<String, Value> = serde_json::from_str(item.into().json()).unwrap();
    let hidden = ["shard", "project"];
    let members = item.iter().filter(|(name, _)| !hidden.contains(&&***name));
    object(members)
}

fn object<'a>(members: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    let texts = members.map(|(name, value)| format!("{name:?}:{}", untyped(value)));
    format!("{{{}}}", texts.collect::<Vec<_>>().join(","))
}

fn untyped(value: &Value) -> String {
    let (kind, value) = value.as_object().unwrap().iter().next().unwrap();
    match (&**kind, value) {
        ("N", number) => number.as_str().unwrap().to_owned(),
        ("M", members) => object(members.as_object().unwrap().iter()),
        ("L", elements) => {
            let texts = elements.as_array().unwrap().iter().map(untyped);
            format!("[{}]", texts.collect::<Vec<_>>().join(","))
        }
        ("NULL", _) => "null".to_owned(),
        (_, scalar) => scalar.to_string(),
    }
}
