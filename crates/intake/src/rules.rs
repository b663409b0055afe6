//! The options: of which kind records are, which fields they have, and how these are read.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use anyhow::{anyhow, ensure};
use chrono::{DateTime, Utc};
use model::{ProjectId, Timestamp, Zone};

use crate::dates::{DateForm, Dates, zone_of};
use crate::encoding::FileEncoding;
use crate::names::Flag;
use crate::reason::argument;

/// How records are read. What the options leave open is completed for each file, by what its head shows.
#[derive(Debug, Clone)]
pub struct ImportRules {
    /// What the records are.
    pub kind: RecordKind,
    /// The project that they belong to.
    pub project: ProjectId,
    /// Whether nothing is read of the users of response records.
    pub no_users: bool,
    /// Where fields are that have another name.
    pub map: Vec<Mapping>,
    /// What a record must have to be read.
    pub selection: Vec<Selection>,
    /// The paths of the members that become traits of the response.
    pub keep: Vec<String>,
    /// How dates are written.
    pub dates: Dates,
    /// When all records were created, if they do not say.
    pub created: Option<Timestamp>,
    /// The columns or members that ids are derived from; empty for all.
    pub id_from: Vec<String>,
    /// The traits that are wanted: a column or member of the name of one is it, if nothing else is.
    pub wanted_traits: Vec<String>,
    /// Which traits of a table are texts, whatever their cells look like.
    pub string_traits: StringTraits,
    /// The texts that stand for an absent value, beside the empty one.
    pub nulls: Vec<Null>,
    /// The encoding of the files, unless a mark says it or they are UTF-8.
    pub encoding: Option<FileEncoding>,
    /// What separates the cells of a table, unless its rows show it.
    pub delimiter: Option<u8>,
    /// How many lines precede the header of a table.
    pub skip_lines: Option<u64>,
    /// The sheets of a spreadsheet, below each other, where `*` is each; empty if one alone has the records.
    pub sheets: Vec<String>,
    /// The present, if records of later are remarkable.
    pub now: Option<DateTime<Utc>>,
    /// Whether what the options leave open is decided by what the file looks like. Otherwise the file is refused.
    pub guesses: bool,
    /// What the head of a file shows beside.
    pub found: Found,
}

/// What a guess finds that no option says.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The column or path that says which survey a record belongs to, if there is one.
    pub(crate) survey: Option<String>,
    /// Whether ratings may have labels, as in `10 - Extremely likely`.
    pub(crate) has_labels: bool,
    /// The columns or paths of flags that say which rated rows count.
    pub(crate) flags: Vec<(String, Flag)>,
    /// What is said with the options.
    pub(crate) words: Vec<String>,
    /// What else the user has to know of the file.
    pub(crate) notes: Vec<String>,
}

/// Stands for a place or a form that only the user knows.
pub(crate) const UNKNOWN: &str = "…";

/// The instant of records whose instants nobody knows.
pub(crate) const UNDATED: Timestamp = Timestamp::EPOCH;

/// Which traits of a table are texts, whatever their cells look like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum StringTraits {
    /// Those that have other cells than numbers or booleans.
    #[default]
    None,
    /// Those of these names, too.
    Named(Vec<String>),
    /// All of them.
    All,
}

impl ImportRules {
    /// Reads records of this kind without any options.
    pub fn new(kind: RecordKind, project: ProjectId) -> Self {
        Self {
            kind,
            project,
            no_users: false,
            map: Vec::new(),
            selection: Vec::new(),
            keep: Vec::new(),
            dates: Dates::default(),
            created: None,
            id_from: Vec::new(),
            wanted_traits: Vec::new(),
            string_traits: StringTraits::None,
            nulls: Vec::new(),
            encoding: None,
            delimiter: None,
            skip_lines: None,
            sheets: Vec::new(),
            now: None,
            guesses: false,
            found: Found::default(),
        }
    }

    /// Checks that every mapping names a field of this kind, once, and every kept member makes a trait that
    /// can be filtered by.
    ///
    /// # Errors
    ///
    /// Names the option that is wrong.
    pub fn check(&self) -> anyhow::Result<()> {
        let mut fields = HashSet::new();
        for Mapping { field, .. } in &self.map {
            ensure!(
                field_of(self.kind, field).is_some(),
                "--map {field}=…: unknown field; the fields are {} and traits.<name>",
                self.kind.members().join(", ")
            );
            ensure!(fields.insert(field), "--map names {field} twice");
        }
        ensure!(
            self.created.is_none() || !self.maps("created"),
            "--created dates all records: it does not go with --map created=…"
        );
        let mut paths = HashSet::new();
        for path in &self.keep {
            const MAX_NAME: usize = 255;
            ensure!(
                kept_trait(path).len() <= MAX_NAME,
                "--keep {path}: the name of its trait would be longer than {MAX_NAME} bytes"
            );
            ensure!(
                path != "user" && !path.starts_with("user."),
                "--keep {path}: members of user say something of a person, not of the survey"
            );
            ensure!(paths.insert(path), "--keep names {path} twice");
        }
        Ok(())
    }

    /// Reads dates in these forms, too, and in the zone that they name, unless another one is given.
    pub(crate) fn take_forms(&mut self, forms: &[DateForm]) {
        self.dates.forms.extend_from_slice(forms);
        if let Some(zone) = zone_of(forms).filter(|_| self.dates.zone == Zone::default()) {
            self.dates.zone = zone;
        }
    }

    /// Returns what these options say beyond the given ones, as on the command line.
    pub(crate) fn beyond(&self, given: &Self) -> String {
        let mut options = Vec::new();
        let mut add = |name: &str, value: &str| options.push(format!("{name}{}", argument(value)));
        if let Some(encoding) = self.encoding.filter(|_| given.encoding.is_none()) {
            add("--encoding ", &encoding.name());
        }
        if let Some(lines) = self.skip_lines.filter(|_| given.skip_lines.is_none()) {
            add("--skip-lines ", &lines.to_string());
        }
        for Mapping { field, place } in self.map.iter().skip(given.map.len()) {
            add("--map ", &format!("{field}={place}"));
        }
        for form in self.dates.forms.iter().skip(given.dates.forms.len()) {
            add("--date-format ", form.name());
        }
        if self.dates.zone != given.dates.zone {
            add("--timezone ", &self.dates.zone.to_string());
        }
        // Records without dates need none where they are looked at.
        if self.created != given.created && !given.guesses {
            add("--created ", "DATE");
        }
        for Selection { place, text } in self.selection.iter().skip(given.selection.len()) {
            add("--where ", &format!("{place}={text}"));
        }
        for null in self.nulls.iter().skip(given.nulls.len()) {
            add("--null=", &null.to_string());
        }
        options.join(" ")
    }

    /// Says how a file is read, if these options say more than the given ones: in a line what one could paste, and in
    /// another what no option says.
    pub(crate) fn read_lines(&self, given: &Self) -> Vec<String> {
        let lines = [self.beyond(given), self.found.words.join(", ")].into_iter();
        let lines = lines.filter(|line| !line.is_empty());
        lines.map(|line| format!("read: {line}")).collect()
    }

    /// Returns whether they name every place and form.
    pub(crate) fn are_known(&self) -> bool {
        let mut forms = self.dates.forms.iter();
        self.map.iter().all(|it| it.place != UNKNOWN) && forms.all(|form| form.name() != UNKNOWN)
    }

    /// Returns whether a text stands for an absent value, wherever it is.
    pub(crate) fn is_null(&self, text: &str) -> bool {
        let mut nulls = self.nulls.iter();
        text.is_empty() || nulls.any(|null| null.field.is_none() && null.text == text)
    }

    /// Returns whether a text stands for an absent value of a field.
    pub(crate) fn is_null_of(&self, field: &Field, text: &str) -> bool {
        let mut nulls = self.nulls.iter();
        self.is_null(text)
            || nulls.any(|null| null.field.as_ref() == Some(field) && null.text == text)
    }

    /// Returns whether `--map` says where a field is.
    pub(crate) fn maps(&self, member: &str) -> bool {
        self.place_of(member).is_some()
    }

    /// Returns the column or path where `--map` says that a field is.
    pub(crate) fn place_of(&self, member: &str) -> Option<&str> {
        let mapping = self.map.iter().find(|mapping| mapping.field == member);
        mapping.map(|mapping| &*mapping.place)
    }

    /// Returns how much of a member that is not imported the paths of options read, worded to follow its name; `None`
    /// if all of it.
    pub(crate) fn share_of(&self, member: &str) -> Option<&'static str> {
        let places = self.map.iter().map(|mapping| &mapping.place);
        let mut rests = places
            .chain(&self.keep)
            .filter_map(|path| path.strip_prefix(member));
        if rests.clone().any(str::is_empty) {
            None
        } else if rests.any(|rest| rest.starts_with('.')) {
            Some(" in part")
        } else {
            Some("")
        }
    }

    /// Returns whether users are named by addresses, which are the same in upper and lower case: `--map` says that
    /// a `userId` is in another place than its own. Ids of that name are kept as they are written.
    pub(crate) fn folds_addresses(&self) -> bool {
        let is_other = |place: &str| !place.ends_with("userId");
        self.place_of("userId").is_some_and(is_other)
    }

    /// Returns whether `--map` says where the field is that tells this kind from the other.
    pub(crate) fn map_decisive_field(&self) -> bool {
        self.maps(match self.kind {
            RecordKind::Responses => "rating",
            RecordKind::Users => "userId",
        })
    }
}

/// What a file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// Response records, and what they say of their users.
    Responses,
    /// Users.
    Users,
}

impl RecordKind {
    /// Returns the member of a document that holds the records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::Users => "users",
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::Responses => Self::Users,
            Self::Users => Self::Responses,
        }
    }

    /// Returns the error of an import of the other kind.
    pub(crate) fn refusal(self) -> anyhow::Error {
        anyhow!("these look like {0}: use feedback import {0}", self.name())
    }

    /// Returns the members that columns can be mapped to, beside traits.
    pub(crate) fn members(self) -> &'static [&'static str] {
        match self {
            Self::Responses => &[
                "id",
                "created",
                "rating",
                "dismissed",
                "userId",
                "name",
                "email",
                "createdAt",
            ],
            Self::Users => &[
                "id",
                "userId",
                "created",
                "lastSeen",
                "email",
                "name",
                "unsubscribed",
            ],
        }
    }

    /// Returns whether a column of this name is a field, in upper or lower case.
    pub(crate) fn has_field(self, name: &str) -> bool {
        let mut members = self.members().iter();
        members.any(|member| member.eq_ignore_ascii_case(name)) || field_of(self, name).is_some()
    }

    /// Returns whether the member belongs to the `user` of a record rather than to the record itself.
    pub(crate) fn is_in_user(self, member: &str) -> bool {
        self == Self::Responses && ["userId", "name", "email", "createdAt"].contains(&member)
    }
}

/// The members of a response record that hold what became of the display.
pub(crate) const OUTCOMES: [&str; 3] = ["rating", "dismissed", "answers"];

/// The members that are dates.
pub(crate) const DATES: [&str; 3] = ["created", "createdAt", "lastSeen"];

/// `--where COLUMN=TEXT`, or `--where PATH=TEXT` of JSON: what a record has that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// The column, or the path of the member.
    pub(crate) place: String,
    pub(crate) text: String,
}

impl FromStr for Selection {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((place, text)) if !place.is_empty() => Ok(Self {
                place: place.to_owned(),
                text: text.to_owned(),
            }),
            _ => Err("write it as COLUMN=TEXT, such as 'Survey Type=nps'"),
        }
    }
}

/// `--map FIELD=COLUMN`, or `--map FIELD=PATH` of JSON. `--map traits.NAME` is short for `traits.NAME=NAME`.
#[derive(Debug, Clone)]
pub struct Mapping {
    pub(crate) field: String,
    /// The column, or the path of the member.
    pub(crate) place: String,
}

impl Mapping {
    pub(crate) fn new(field: &str, place: &str) -> Self {
        let [field, place] = [field, place].map(str::to_owned);
        Self { field, place }
    }

    /// Returns whether it reads the member of this name, or something within it.
    pub(crate) fn reads(&self, member: &str) -> bool {
        let rest = self.place.strip_prefix(member);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl FromStr for Mapping {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let trait_of_its_name = text.strip_prefix(TRAITS).map(|name| (text, name));
        match text.split_once('=').or(trait_of_its_name) {
            Some((field, place)) if !field.is_empty() && !place.is_empty() => {
                Ok(Self::new(field, place))
            }
            _ => Err(
                "write it as FIELD=COLUMN, such as rating=\"Your score\", or for JSON as FIELD=PATH, such as \
                 rating=answers.<question id>; traits.NAME alone reads the column NAME",
            ),
        }
    }
}

/// `--null TEXT`, or `--null FIELD=TEXT` of one field: what stands for an absent value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Null {
    pub(crate) field: Option<Field>,
    pub(crate) text: String,
}

impl FromStr for Null {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kinds = [RecordKind::Responses, RecordKind::Users];
        let of_field = text.split_once('=').and_then(|(name, text)| {
            let field = kinds.into_iter().find_map(|kind| field_of(kind, name));
            Some((field?, text))
        });
        let (field, text) = of_field.map_or((None, text), |(field, text)| (Some(field), text));
        let text = text.to_owned();
        Ok(Self { field, text })
    }
}

impl fmt::Display for Null {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(Field::Member(name)) => write!(f, "{name}=")?,
            Some(Field::Trait(name)) => write!(f, "{TRAITS}{name}=")?,
            None => {}
        }
        f.write_str(&self.text)
    }
}

/// What the names of fields begin with that are traits.
pub(crate) const TRAITS: &str = "traits.";

/// A field of a record, which a column or a path can be mapped to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Field {
    Member(&'static str),
    Trait(String),
}

impl Field {
    pub(crate) fn is_member(&self, name: &str) -> bool {
        matches!(self, Self::Member(member) if *member == name)
    }

    /// Returns the path of the member that holds it, unless it is mapped, in a record of which the members of
    /// the user are its own or within `user`.
    pub(crate) fn path(&self, kind: RecordKind, is_flat: bool) -> String {
        let user = if is_flat { "" } else { "user." };
        match self {
            Self::Member(member) if kind.is_in_user(member) => format!("{user}{member}"),
            Self::Member(member) => (*member).to_owned(),
            Self::Trait(name) => format!("{user}traits.{name}"),
        }
    }
}

/// Returns the field of this name.
pub(crate) fn field_of(kind: RecordKind, name: &str) -> Option<Field> {
    let mut members = kind.members().iter();
    if let Some(member) = members.find(|member| **member == name) {
        return Some(Field::Member(member));
    }
    let trait_name = name.strip_prefix(TRAITS).filter(|name| !name.is_empty());
    Some(Field::Trait(trait_name?.to_owned()))
}

/// What the names of traits begin with that say something of the survey rather than of its user.
const SURVEY: &str = "survey.";

/// Returns the name of the trait that a kept member becomes.
pub(crate) fn kept_trait(path: &str) -> String {
    format!("{SURVEY}{path}")
}

/// Returns whether a trait says something of the survey. Such traits never become facts of a user.
pub(crate) fn is_of_survey(name: &str) -> bool {
    name.starts_with(SURVEY)
}
