//! The plan of a file: how its records are read, decided by its head before the first of them is.
//!
//! What a file *means* is decided by options: which column holds a field, the order of day and month, the forms
//! of scores and dates, the words that mean nothing, an encoding without a mark. Where the options leave that
//! open, the plan proposes the options that would decide it. It takes them itself, and says so, where the
//! figures are only looked at; an import is refused with them, so that what it stores is what somebody chose.

use std::collections::BTreeSet;
use std::fmt;
use std::io::BufRead as _;
use std::sync::Arc;

use anyhow::ensure;

use crate::columns::{Columns, TraitType};
use crate::date_forms::forms_of;
use crate::dates::DateForm;
use crate::dialect::Dialect;
use crate::encoding::FileEncoding;
use crate::format::{JsonFormat, is_json};
use crate::input::Input;
use crate::origin::{Form, IdColumn, TableForm};
use crate::paths::Paths;
use crate::proposals::{Proposals, are_counts, of_dates, of_ratings};
use crate::reason::quoted;
use crate::rules::{DATES, Field, ImportRules, OUTCOMES, RecordKind, Setting, kept_trait};
use crate::sample::{Place, Sample};
use crate::scores::Scores;

/// How the records of a file are read.
pub(crate) struct Plan {
    /// The options, completed by what was decided.
    pub(crate) rules: Arc<ImportRules>,
    pub(crate) form: Arc<Form>,
    pub(crate) reading: Reading,
    /// Whether ratings may have labels, as in `10 - Extremely likely`.
    pub(crate) has_labels: bool,
    /// What was decided without an option, in their words; empty if nothing was.
    pub(crate) said: String,
    /// What else the user has to know of the file.
    pub(crate) notes: Vec<String>,
    /// The names of the columns that are not imported, quoted.
    pub(crate) unused: Vec<String>,
}

/// How a file is divided into records.
pub(crate) enum Reading {
    Json(JsonFormat),
    Table(TablePlan),
}

/// How a table is divided into rows, and these into fields.
pub(crate) struct TablePlan {
    pub(crate) columns: Columns,
    pub(crate) delimiter: u8,
    /// The length of what precedes the header, in bytes.
    pub(crate) offset: usize,
    /// The line of the header, from 1.
    pub(crate) line: u64,
    /// How many rows below the header belong to it.
    pub(crate) header_rows: usize,
}

/// A file whose meaning the options leave open.
#[derive(Debug)]
pub struct Undecided {
    /// What is open.
    reason: String,
    /// The options that would decide it, of which one line has to be chosen.
    pub options: Vec<String>,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Undecided {}

impl Plan {
    /// Looks at the head of a file, of which a mark is consumed. `paths` are those of the options, and `is_only`
    /// says that no other file is read, where they may be.
    ///
    /// # Errors
    ///
    /// Fails with [`Undecided`] if the options leave open how the file is read, or says why it cannot be.
    pub(crate) fn of(
        input: &mut Input,
        options: &ImportRules,
        paths: &mut Paths,
        is_only: bool,
    ) -> anyhow::Result<Self> {
        let mut decisions = Decisions::new(options);
        let encoding = decode(input, &mut decisions)?;
        let head = input.ahead();
        ensure!(
            !head.trim_ascii().is_empty() || input.is_cut(),
            "it is empty"
        );
        if is_json(head) {
            let rules = &decisions.rules;
            ensure!(
                rules.string_traits == Default::default(),
                "--string-traits interprets cells of CSV, but this is JSON, where strings have quotes"
            );
            let format = JsonFormat::of(head, rules)?;
            let (sample, is_of_other_kind) = format.sample(head, rules, paths);
            ensure!(!is_of_other_kind, rules.kind.other().refusal());
            paths.check(is_only)?;
            let decisions = decisions.decide(&sample, &Source::Json(&format))?;
            return Ok(decisions.plan(Reading::Json(format), Form::new(encoding, None)));
        }
        let rules = &decisions.rules;
        ensure!(
            rules.campaign.is_none() && rules.keep.is_empty(),
            "--campaign and --keep read members of JSON, but this is CSV: select its rows before, and map \
             columns to traits (--map traits.{}=Campaign)",
            kept_trait("campaign")
        );
        let dialect = Dialect::of(head, input.is_last(), rules)?;
        if rules.skip_lines.is_none() && dialect.skipped_lines > 0 {
            decisions.take(
                &[Setting::SkipLines(dialect.skipped_lines)],
                Some(format!("its header seems to be line {}", dialect.line)),
                format!("the header from line {}", dialect.line),
            );
        }
        let columns = Columns::of(&dialect.header, &decisions.rules)?;
        check_columns(&columns, &decisions.rules)?;
        // One with more cells is no row of the table, and may have any text in any column.
        let fits = |row: &Vec<String>| {
            let mut others = row.iter().skip(dialect.header.len());
            *row != dialect.header && others.all(|cell| cell.trim().is_empty())
        };
        let rows: Vec<_> = dialect.rows.into_iter().filter(fits).collect();
        let nulls = decisions.rules.nulls.clone();
        let (sample, header_rows) = Sample::of_rows(&columns.names, &rows, &nulls);
        let mut decisions = decisions.decide(&sample, &Source::Table(&columns))?;
        let mut columns = Columns::of(&dialect.header, &decisions.rules)?;
        columns.decide_types(&sample, &decisions.rules, dialect.delimiter);
        if dialect.delimiter != b',' && !decisions.said.is_empty() {
            decisions
                .said
                .push(format!("\"{}\"", dialect.delimiter.escape_ascii()));
        }
        if header_rows > 0 {
            let count = if header_rows == 1 {
                "the row"
            } else {
                "two rows"
            };
            decisions
                .notes
                .push(format!("{count} below the header belongs to it"));
        }
        let unused: Vec<_> = columns.unused().map(|name| quoted(name)).collect();
        if !unused.is_empty() {
            let list = unused.join(", ");
            decisions
                .notes
                .push(format!("columns that are not imported: {list}"));
            decisions.unused = unused;
        }
        let table = TableForm {
            preamble: head.get(..dialect.offset).unwrap_or_default().to_owned(),
            header: dialect.text,
            delimiter: dialect.delimiter,
            ids: IdColumn::of(&columns),
        };
        let form = Form::new(encoding, Some(table));
        let reading = Reading::Table(TablePlan {
            columns,
            delimiter: dialect.delimiter,
            offset: dialect.offset,
            line: dialect.line,
            header_rows,
        });
        Ok(decisions.plan(reading, form))
    }
}

/// Finds the encoding of a file, whose mark is consumed, and decodes it.
fn decode(input: &mut Input, decisions: &mut Decisions) -> anyhow::Result<FileEncoding> {
    let mark = FileEncoding::of_mark(input.ahead());
    let encoding = match (mark, decisions.rules.encoding) {
        (Some((encoding, length)), _) => {
            input.consume(length);
            encoding
        }
        (None, Some(given)) => given,
        (None, None) => {
            let encoding = FileEncoding::detect(input.ahead());
            if !encoding.is_utf_8() {
                let name = encoding.name();
                let reason = format!("it is not UTF-8, but seems to be {name}");
                decisions.take(&[Setting::Encoding(encoding)], Some(reason), name);
            }
            encoding
        }
    };
    input.decode(encoding);
    let head = input.ahead();
    ensure!(
        !head.contains(&0),
        "it is neither JSON nor CSV (save a spreadsheet as CSV UTF-8)"
    );
    let start = head.trim_ascii_start();
    ensure!(
        !start.starts_with(b"<"),
        "it is HTML or XML, as of a page that asks to log in"
    );
    Ok(encoding)
}

/// Refuses a table of the other kind, or one whose users have no ids.
fn check_columns(columns: &Columns, rules: &ImportRules) -> anyhow::Result<()> {
    let other = rules.kind.other();
    ensure!(
        rules.map_decisive_field() || !columns.look_like(other, rules),
        other.refusal()
    );
    for name in &rules.id_from {
        ensure!(
            columns.find(name).is_some(),
            "there is no column {name} for --id-from"
        );
    }
    ensure!(
        rules.kind == RecordKind::Responses || columns.member("userId").is_some(),
        "there is no column userId; the columns are {}; name one with --map userId=\"…\"",
        columns.quoted_names()
    );
    Ok(())
}

/// Where the values in the head of a file come from.
enum Source<'a> {
    Table(&'a Columns),
    Json(&'a JsonFormat),
}

impl Source<'_> {
    /// Returns the place of this name, or the two columns whose names it joins.
    fn place(&self, name: &str, sample: &Sample) -> Option<Place> {
        match self {
            Self::Json(_) => sample.place(name).cloned(),
            Self::Table(columns) => match columns.find_place(name)? {
                (column, Some(second)) => sample.joined([column, second]),
                (column, None) => sample.places.get(column).cloned(),
            },
        }
    }

    /// Says that these fields are lacking.
    fn lack(&self, fields: &[&'static str]) -> String {
        match self {
            Self::Table(columns) => {
                let fields = fields.join(" and no column ");
                format!(
                    "there is no column {fields}; the columns are {}",
                    columns.quoted_names()
                )
            }
            Self::Json(_) => {
                let outcomes = OUTCOMES.join(" or ");
                let members = fields.iter().map(|field| match *field {
                    "rating" => &*outcomes,
                    field => field,
                });
                let members = members.collect::<Vec<_>>().join(", and none has ");
                format!("no record at its beginning has {members}")
            }
        }
    }

    /// Returns whether records may all be displays that nobody answered, as services write them in documents.
    fn may_lack_ratings(&self) -> bool {
        matches!(self, Self::Json(JsonFormat::Documents(_)))
    }

    /// Returns the traits of a table that are numbers or booleans.
    fn typed_traits(&self, sample: &Sample) -> Vec<Place> {
        let Self::Table(columns) = self else {
            return Vec::new();
        };
        let traits = columns
            .fields
            .iter()
            .filter(|it| matches!(it.field, Field::Trait(_)));
        let places = traits.filter_map(|it| sample.places.get(it.column));
        let is_typed = |place: &&Place| {
            let types = [
                TraitType::Boolean,
                TraitType::Number,
                TraitType::NumberWithComma,
            ];
            let fits = |kind: TraitType| place.texts().all(|text| kind.json(text).is_some());
            types.into_iter().any(fits)
        };
        places.filter(is_typed).cloned().collect()
    }
    /// Returns the values of a member, or `None` if nothing is read for it. Those of an answer are not known.
    fn values(&self, member: &'static str, sample: &Sample, rules: &ImportRules) -> Option<Place> {
        let of = |name: &str| sample.place(name).cloned();
        match self {
            Self::Table(columns) => {
                let it = columns.member(member)?;
                match it.second {
                    Some(second) => sample.joined([it.column, second]),
                    None => sample.places.get(it.column).cloned(),
                }
            }
            Self::Json(_) => match rules.place_of(member) {
                Some(place) => Some(of(place).unwrap_or_default()),
                None => of(member).or_else(|| of(&Field::Member(member).path(rules.kind, false))),
            },
        }
    }

    /// Returns whether a place may hold a field that is looked for.
    fn is_free(&self, place: &Place, rules: &ImportRules) -> bool {
        // What others call `createdAt` may be the date of a response.
        let is_field = match self {
            Self::Table(columns) => columns.fields.iter().any(|it| {
                columns.names.get(it.column) == Some(&place.name)
                    && !it.field.is_member("createdAt")
            }),
            Self::Json(_) => {
                let mut mappings = rules.map.iter();
                let name = &*place.name;
                let is_member = rules.kind.members().contains(&name) && name != "createdAt";
                is_member
                    || name.starts_with("user.")
                    || mappings.any(|mapping| mapping.reads(name))
            }
        };
        !is_field && !place.name.is_empty() && !place.name.contains(char::is_control)
    }
}

/// What is decided of a file.
struct Decisions {
    /// The options, completed by what is decided.
    rules: ImportRules,
    /// What is decided without an option.
    settings: Vec<Setting>,
    /// What is open: of each, the settings that would decide it.
    open: Vec<Vec<Vec<Setting>>>,
    /// Options that nothing is proposed for.
    missing: Vec<String>,
    /// The fields that nothing is called like.
    lacking: Vec<&'static str>,
    /// Why anything else is not clear.
    reasons: Vec<String>,
    said: Vec<String>,
    notes: Vec<String>,
    unused: Vec<String>,
    has_labels: bool,
}

impl Decisions {
    fn new(options: &ImportRules) -> Self {
        Self {
            rules: options.clone(),
            settings: Vec::new(),
            open: Vec::new(),
            missing: Vec::new(),
            lacking: Vec::new(),
            reasons: Vec::new(),
            said: Vec::new(),
            notes: Vec::new(),
            unused: Vec::new(),
            has_labels: false,
        }
    }

    /// Decides what the options leave open of fields, dates, scores, and words for nothing. Fails with
    /// [`Undecided`] if that is not clear, or the options do not allow it.
    fn decide(mut self, sample: &Sample, source: &Source<'_>) -> anyhow::Result<Self> {
        if matches!(source, Source::Json(_)) && sample.places.is_empty() {
            return Ok(self.check(source)?);
        }
        let is_of = |member: &&'static str| self.rules.kind.members().contains(member);
        let read = DATES.into_iter().filter(is_of);
        let mut dates: Vec<_> = read
            .filter_map(|member| source.values(member, sample, &self.rules))
            .collect();
        let mut ratings = Vec::new();
        if self.rules.kind == RecordKind::Responses {
            ratings = self.find_ratings(sample, source)?;
            self.decide_scores(&ratings)?;
            if self.rules.created.is_none()
                && source.values("created", sample, &self.rules).is_none()
            {
                let found = of_dates(sample, &self.rules.dates, |place| {
                    source.is_free(place, &self.rules)
                });
                let places = found
                    .best
                    .iter()
                    .filter_map(|name| source.place(name, sample));
                let places: Vec<_> = places.collect();
                self.decide_created(&places, &dates, &found);
                dates.extend(places);
            } else {
                self.decide_forms(&dates);
            }
        } else {
            self.decide_forms(&dates);
        }
        let users = source.values("userId", sample, &self.rules);
        if self.rules.folds_addresses()
            && let Some(place) = users.filter(|place| place.texts().any(|text| text.contains('@')))
        {
            self.said
                .push(format!("userId from {} in lower case", quoted(&place.name)));
        }
        self.decide_nulls(
            ratings
                .iter()
                .chain(&dates)
                .chain(&source.typed_traits(sample)),
        );
        Ok(self.check(source)?)
    }

    /// Finds the ratings, or what may be they if nothing is called so.
    fn find_ratings(&mut self, sample: &Sample, source: &Source<'_>) -> anyhow::Result<Vec<Place>> {
        let is_there = |member| source.values(member, sample, &self.rules).is_some();
        if OUTCOMES.into_iter().any(is_there) {
            return Ok(source
                .values("rating", sample, &self.rules)
                .into_iter()
                .collect());
        }
        ensure!(
            !are_counts(sample),
            "its columns are counts of promoters, passives or detractors rather than responses, of which each \
             is a row"
        );
        let found = of_ratings(sample, |place| source.is_free(place, &self.rules));
        let places: Vec<_> = found
            .best
            .iter()
            .filter_map(|name| sample.place(name).cloned())
            .collect();
        let map = |place: &Place| Setting::Map {
            field: "rating",
            place: place.name.clone(),
        };
        if places.is_empty() && source.may_lack_ratings() {
            self.notes.push(source.lack(&["rating"]));
            return Ok(places);
        }
        self.lacking.push("rating");
        match &*places {
            [] => self.missing.push(r#"--map rating="…""#.to_owned()),
            [place] => {
                let words = format!("rating from {}{}", quoted(&place.name), found.not_others());
                self.take(&[map(place)], None, words);
            }
            places => self
                .open
                .push(places.iter().map(|place| vec![map(place)]).collect()),
        }
        Ok(places)
    }

    /// Decides whether ratings have labels.
    fn decide_scores(&mut self, ratings: &[Place]) -> anyhow::Result<()> {
        let Some(place) = ratings.first() else {
            return Ok(());
        };
        let scores = Scores::of(place.texts());
        let shown = || quoted(place.texts().next().unwrap_or_default());
        ensure!(
            !scores.are_words(),
            "{} has words, such as {}, where ratings are whole numbers from 0 to 10",
            quoted(&place.name),
            shown()
        );
        self.has_labels = scores.have_labels();
        if self.has_labels && !self.rules.maps("rating") {
            let setting = Setting::Map {
                field: "rating",
                place: place.name.clone(),
            };
            let reason = format!("rating has labels, such as {}", shown());
            self.take(&[setting], Some(reason), "ratings with labels".to_owned());
        } else if self.has_labels {
            self.said
                .push(format!("ratings with labels, such as {}", shown()));
        }
        Ok(())
    }

    /// Decides where the instants of responses are, and the forms of all dates.
    fn decide_created(&mut self, places: &[Place], others: &[Place], found: &Proposals) {
        self.lacking.push("created");
        if places.is_empty() {
            self.take(&[Setting::Undated], None, "no dates".to_owned());
            return;
        }
        let choices = places.iter().flat_map(|place| {
            let map = Setting::Map {
                field: "created",
                place: place.name.clone(),
            };
            let sets = self
                .form_sets(others.iter().chain([place]))
                .unwrap_or_default();
            let settings = sets.into_iter().map(move |forms| {
                let forms = forms.into_iter().map(Setting::DateForm);
                [map.clone()].into_iter().chain(forms).collect::<Vec<_>>()
            });
            settings.collect::<Vec<_>>()
        });
        let choices: Vec<_> = choices.collect();
        match (&*choices, places) {
            ([settings], [place]) => {
                let words = format!("created from {}{}", quoted(&place.name), found.not_others());
                self.take(settings, None, words);
            }
            _ => self.open.push(choices),
        }
    }

    /// Decides the forms of dates whose places are known.
    fn decide_forms(&mut self, dates: &[Place]) {
        let Some(example) = dates.iter().flat_map(Place::texts).next() else {
            return;
        };
        let reason = format!(
            "its dates have a form that is not named, as in {}",
            quoted(example)
        );
        match self.form_sets(dates.iter()).as_deref() {
            // Each record is rejected, and says why.
            None => {}
            Some([forms]) => {
                let settings: Vec<_> = forms.iter().cloned().map(Setting::DateForm).collect();
                self.take(&settings, Some(reason), "dates".to_owned());
            }
            Some(sets) => {
                let choices = sets
                    .iter()
                    .map(|forms| forms.iter().cloned().map(Setting::DateForm).collect());
                self.open.push(choices.collect());
                self.reasons.push(reason);
            }
        }
    }

    /// Returns the sets of forms that read these dates; one that is empty if an option names their forms.
    fn form_sets<'a>(
        &self,
        dates: impl Iterator<Item = &'a Place> + Clone,
    ) -> Option<Vec<Vec<DateForm>>> {
        if self.rules.dates.forms.is_empty() {
            return forms_of(dates.flat_map(Place::texts), true);
        }
        Some(vec![Vec::new()])
    }

    /// Decides which words mean nothing: those that stand among numbers or dates.
    fn decide_nulls<'a>(&mut self, typed: impl Iterator<Item = &'a Place>) {
        let words: BTreeSet<_> = typed
            .filter(|place| place.texts().next().is_some())
            .flat_map(Place::nulls)
            .collect();
        if words.is_empty() {
            return;
        }
        let listed = words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(", ");
        let settings: Vec<_> = words
            .into_iter()
            .map(|word| Setting::Null(word.to_owned()))
            .collect();
        let reason = format!("{listed} among numbers or dates may mean nothing");
        self.take(&settings, Some(reason), format!("{listed} as nothing"));
    }

    /// Decides this in these words, which the forms of dates follow. The reason is `None` for a field that lacks.
    fn take(&mut self, settings: &[Setting], reason: Option<String>, mut words: String) {
        if settings.is_empty() {
            return;
        }
        let forms = settings.iter().filter_map(|setting| match setting {
            Setting::DateForm(form) => Some(form.name()),
            _ => None,
        });
        let forms = forms.collect::<Vec<_>>().join(" and ");
        if !forms.is_empty() {
            words = format!("{words} as {forms}");
        }
        for setting in settings {
            setting.clone().apply(&mut self.rules);
        }
        self.settings.extend_from_slice(settings);
        self.reasons.extend(reason);
        self.said.push(words);
    }

    /// Returns what is open, unless the options allow to take what is clear.
    fn check(self, source: &Source<'_>) -> Result<Self, Undecided> {
        let is_clear = self.open.is_empty() && self.missing.is_empty();
        if is_clear && (self.rules.guesses || self.settings.is_empty()) {
            return Ok(self);
        }
        let lack = (!self.lacking.is_empty()).then(|| source.lack(&self.lacking));
        let reasons = lack.iter().chain(&self.reasons).map(String::as_str);
        Err(Undecided {
            reason: reasons.collect::<Vec<_>>().join("; "),
            options: self.options(),
        })
    }

    fn plan(self, reading: Reading, form: Form) -> Plan {
        Plan {
            rules: Arc::new(self.rules),
            form: Arc::new(form),
            reading,
            has_labels: self.has_labels,
            said: self.said.join(", "),
            notes: self.notes,
            unused: self.unused,
        }
    }

    /// Returns the options that would decide everything, one line for each combination of what is open.
    fn options(&self) -> Vec<String> {
        const MOST: usize = 6;
        let taken = self.settings.iter().map(Setting::option);
        let known = self
            .missing
            .iter()
            .cloned()
            .chain(taken)
            .collect::<Vec<_>>()
            .join(" ");
        let mut lines = vec![known];
        for choices in &self.open {
            let longer = lines.iter().flat_map(|line| {
                choices.iter().map(move |settings| {
                    let options = settings.iter().map(Setting::option);
                    let before = (!line.is_empty()).then(|| line.clone());
                    before
                        .into_iter()
                        .chain(options)
                        .collect::<Vec<_>>()
                        .join(" ")
                })
            });
            lines = longer.take(MOST).collect();
        }
        lines
    }
}
