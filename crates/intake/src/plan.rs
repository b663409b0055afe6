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

use anyhow::{anyhow, bail, ensure};
use model::Zone;

use crate::columns::{Columns, TraitType, listed};
use crate::date_forms::forms_of;
use crate::dates::Dates;
use crate::dialect::Dialect;
use crate::encoding::FileEncoding;
use crate::format::{JsonFormat, is_json};
use crate::input::Input;
use crate::origin::{Form, IdColumn, TableForm};
use crate::paths::Paths;
use crate::proposals::{Proposals, are_counts, of_dates, of_ratings, of_user_ids, survey_of};
use crate::reason::quoted;
use crate::rules::{
    DATES, Field, ImportRules, OUTCOMES, RecordKind, Setting, StringTraits, kept_trait,
};
use crate::sample::{Place, Sample, columns_of};
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
    /// The column or path that says which survey a record belongs to, if there is one.
    pub(crate) survey: Option<String>,
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
    /// The line of the first record.
    pub(crate) first_record: u64,
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
                rules.string_traits == StringTraits::None,
                "--string-traits interprets cells of CSV, but this is JSON, where strings have quotes"
            );
            let format = JsonFormat::of(head, rules)?;
            let list = format.words();
            let sample = format.sample(head, rules, paths)?;
            paths.check(is_only)?;
            if let Some(sample) = sample {
                decisions.decide(&sample, Some(&format), lack_of_records)?;
            }
            decisions.said.extend(list);
            return Ok(decisions.plan(Reading::Json(format), Form::new(encoding, None)));
        }
        let rules = &decisions.rules;
        ensure!(
            rules.keep.is_empty(),
            "--keep reads members of JSON, but this is a table: map columns to traits (--map traits.{}=Campaign)",
            kept_trait("campaign")
        );
        let dialect = Dialect::of(head, input.is_last(), rules)?;
        if rules.skip_lines.is_none() && dialect.skipped_lines > 0 {
            decisions.take(Decision {
                choices: vec![vec![Setting::SkipLines(dialect.skipped_lines)]],
                reason: Some(format!("its header seems to be line {}", dialect.line)),
                words: format!("the header from line {}", dialect.line),
            });
        }
        let columns = Columns::of(&dialect.header, &decisions.rules)?;
        check_columns(&columns, &decisions.rules)?;
        let places = columns_of(&columns.names, &dialect.rows, &decisions.rules);
        let lack = |fields: &[&str]| {
            let fields = fields.join(" and no column ");
            let names = columns.quoted_names();
            format!("there is no column {fields}; the columns are {names}")
        };
        decisions.decide(&columns.sample(&places), None, lack)?;
        let mut columns = Columns::of(&dialect.header, &decisions.rules)?;
        columns.decide_types(&places, &decisions.rules, dialect.delimiter);
        if dialect.delimiter != b',' && !decisions.said.is_empty() {
            let delimiter = dialect.delimiter.escape_ascii();
            decisions.said.push(format!("\"{delimiter}\""));
        }
        if dialect.first_record > dialect.line + 1 {
            let line = dialect.first_record - 1;
            decisions
                .notes
                .push(format!("its header goes on to line {line}"));
        }
        columns.ends_with_delimiter = dialect.ends_with_delimiter;
        let unused: Vec<_> = columns.unused().cloned().collect();
        if !unused.is_empty() {
            let note = format!("columns that are not imported: {}", listed(unused.iter()));
            decisions.notes.push(note);
        }
        decisions.unused = unused.iter().map(|name| quoted(name)).collect();
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
            first_record: dialect.first_record,
        });
        Ok(decisions.plan(reading, form))
    }
}

/// Refuses what is known to be neither JSON nor a table of text.
fn check_text(head: &[u8]) -> anyhow::Result<()> {
    let kinds: [(&[u8], &str); 5] = [
        (
            b"PAR1",
            "it is Parquet: duckdb -csv -c \"SELECT * FROM 'FILE'\" writes it as CSV",
        ),
        (b"%PDF", "it is a PDF document: export the records as CSV"),
        (
            b"SQLite format 3\0",
            "it is a SQLite database: sqlite3 -csv -header FILE 'SELECT …' writes a table as CSV",
        ),
        (
            b"\xd0\xcf\x11\xe0",
            "it is an old spreadsheet: save it as .xlsx or CSV",
        ),
        (
            b"<",
            "it is HTML or XML, as of a page that asks to log in: export the records as CSV or JSON",
        ),
    ];
    let start = head.trim_ascii_start();
    let found = kinds.iter().find(|(magic, _)| start.starts_with(magic));
    found.map_or(Ok(()), |(_, reason)| bail!(*reason))
}

/// Finds the encoding of a file, whose mark is consumed, and decodes it.
fn decode(input: &mut Input, decisions: &mut Decisions) -> anyhow::Result<FileEncoding> {
    check_text(input.ahead())?;
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
                let words = encoding.name();
                decisions.take(Decision {
                    choices: vec![vec![Setting::Encoding(encoding)]],
                    reason: Some(format!("it is not UTF-8, but seems to be {words}")),
                    words,
                });
            }
            encoding
        }
    };
    input.decode(encoding);
    ensure!(
        !input.ahead().contains(&0),
        "it is neither JSON nor a table of text or a spreadsheet (.xlsx)"
    );
    Ok(encoding)
}

/// Refuses a table of the other kind, or without a column that an option names.
fn check_columns(columns: &Columns, rules: &ImportRules) -> anyhow::Result<()> {
    let other = rules.kind.other();
    ensure!(
        rules.map_decisive_field() || !columns.look_like(other, rules),
        other.refusal()
    );
    let of_ids = rules.id_from.iter().map(|name| (name, "--id-from"));
    let of_selection = rules.selection.iter().map(|it| (&it.place, "--where"));
    for (name, option) in of_ids.chain(of_selection) {
        ensure!(
            columns.find(name).is_some(),
            "there is no column {name} for {option}"
        );
    }
    Ok(())
}

/// Says that no record has these fields.
fn lack_of_records(fields: &[&str]) -> String {
    let outcomes = OUTCOMES.join(" or ");
    let members = fields.iter().map(|field| {
        if *field == "rating" {
            &*outcomes
        } else {
            *field
        }
    });
    let members = members.collect::<Vec<_>>().join(", and none has ");
    format!("no record at its beginning has {members}")
}

/// What the options leave open of a file.
struct Decision {
    /// The settings that would decide it. It is clear if there is one choice.
    choices: Vec<Vec<Setting>>,
    /// Why it is open; `None` if a field is lacking.
    reason: Option<String>,
    /// How it is said if it is clear.
    words: String,
}

/// What is decided of a file.
struct Decisions {
    /// The options, completed by what is decided.
    rules: ImportRules,
    /// What is decided without an option, or open.
    choices: Vec<Vec<Vec<Setting>>>,
    /// The fields that nothing is called like.
    lacking: Vec<&'static str>,
    /// Why anything else is open.
    reasons: Vec<String>,
    said: Vec<String>,
    notes: Vec<String>,
    unused: Vec<String>,
    survey: Option<String>,
    has_labels: bool,
}

impl Decisions {
    fn new(options: &ImportRules) -> Self {
        Self {
            rules: options.clone(),
            choices: Vec::new(),
            lacking: Vec::new(),
            reasons: Vec::new(),
            said: Vec::new(),
            notes: Vec::new(),
            unused: Vec::new(),
            survey: None,
            has_labels: false,
        }
    }

    /// Decides what the options leave open of fields, dates, scores, and words for nothing. `lack` says that fields
    /// are lacking, and `format` is that of JSON; in a document, as services write, records may all be displays that
    /// nobody answered.
    ///
    /// # Errors
    ///
    /// Fails with [`Undecided`] if something is not clear, or the options do not allow to decide it.
    fn decide(
        &mut self,
        sample: &Sample,
        format: Option<&JsonFormat>,
        lack: impl Fn(&[&str]) -> String,
    ) -> anyhow::Result<()> {
        let is_document = matches!(format, Some(JsonFormat::Documents(_)));
        let are_columns = format.is_none();
        let is_response = self.rules.kind == RecordKind::Responses;
        self.survey = survey_of(sample).map(|place| place.name.clone());
        let mut ratings: Vec<_> = sample.member("rating").cloned().into_iter().collect();
        let may_be_rated = ["rating", "answers"].map(|member| sample.member(member).is_some());
        let found = of_ratings(sample);
        // A file of displays that were dismissed needs no rating, but may have one under another name.
        let is_unrated = sample.member("dismissed").is_some() && !found.are_named;
        if is_response && may_be_rated == [false; 2] && !is_unrated {
            ensure!(
                !are_counts(sample),
                "its columns are counts of promoters, passives or detractors rather than responses, of which \
                 each is a row"
            );
            if let Some(place) = found.unfitting.as_ref().filter(|_| found.best.is_empty()) {
                self.reasons
                    .push(place.is_not("a whole number from 0 to 10"));
            }
            if found.best.is_empty() && is_document {
                self.notes.push(lack(&["rating"]));
            } else {
                self.decide_place("rating", &found);
            }
            ratings = found.best;
        } else if !is_response && sample.member("userId").is_none() {
            self.decide_place("userId", &of_user_ids(sample));
        }
        self.decide_scores(&ratings)?;
        let mut dates: Vec<_> = DATES
            .iter()
            .filter_map(|member| sample.member(member).cloned())
            .collect();
        let is_dated = self.rules.created.is_some() || sample.member("created").is_some();
        if is_response && !is_dated {
            let found = of_dates(sample, &self.rules.dates, are_columns);
            self.decide_created(&found, &dates);
            dates.extend(found.best);
        } else {
            self.decide_forms(&dates);
        }
        let flags = ["dismissed", "unsubscribed"];
        let flags = flags.iter().filter_map(|member| sample.member(member));
        let typed_traits = sample.fields.iter().filter_map(|(field, place)| {
            let is_trait = matches!(field, Field::Trait(_));
            (is_trait && TraitType::of(place.texts()).is_some()).then_some(place)
        });
        let typed = ratings
            .iter()
            .chain(&dates)
            .chain(flags)
            .chain(typed_traits);
        self.decide_nulls(typed);
        if self.rules.folds_addresses()
            && let Some(place) = sample.member("userId")
            && place.texts().any(|text| text.contains('@'))
        {
            let words = format!("userId from {} in lower case", quoted(&place.name));
            self.said.push(words);
        }
        let is_clear = self.choices.iter().all(|choices| is_clear(choices));
        if is_clear && (self.rules.guesses || self.choices.is_empty()) {
            return Ok(());
        }
        let lack = (!self.lacking.is_empty()).then(|| lack(&self.lacking));
        let reasons = lack.iter().chain(&self.reasons).map(String::as_str);
        Err(anyhow!(Undecided {
            reason: reasons.collect::<Vec<_>>().join("; "),
            options: self.options(),
        }))
    }

    /// Takes a decision if it is clear, and notes what is open otherwise.
    fn take(&mut self, decision: Decision) {
        let Decision {
            choices,
            reason,
            words,
        } = decision;
        if is_clear(&choices) {
            for setting in choices.iter().flatten() {
                setting.clone().apply(&mut self.rules);
            }
            self.said.push(words);
        }
        self.reasons.extend(reason);
        self.choices.push(choices);
    }

    /// Decides from where a field is read that nothing is called like.
    fn decide_place(&mut self, field: &'static str, found: &Proposals) {
        self.lacking.push(field);
        let is_unknown = found.best.is_empty();
        let unknown = is_unknown.then(|| vec![Setting::Unmapped(field)]);
        let choices = found.best.iter().map(|place| vec![place.setting(field)]);
        self.take(Decision {
            choices: choices.chain(unknown).collect(),
            reason: None,
            words: format!("{field} from {}", found.in_words()),
        });
    }

    /// Decides whether ratings have labels, which an option says that names their column.
    fn decide_scores(&mut self, ratings: &[Place]) -> anyhow::Result<()> {
        let Some((place, example)) = ratings
            .first()
            .and_then(|place| Some((place, place.texts().next()?)))
        else {
            return Ok(());
        };
        let scores = Scores::of(place.texts());
        let [name, example] = [&*place.name, example].map(quoted);
        ensure!(
            !scores.are_words(),
            "{name} has words, such as {example}, where ratings are whole numbers from 0 to 10"
        );
        self.has_labels = scores.have_labels();
        let words = format!("ratings with labels, such as {example}");
        if self.has_labels && !self.rules.maps("rating") && self.lacking.is_empty() {
            self.take(Decision {
                choices: vec![vec![place.setting("rating")]],
                reason: Some(words.clone()),
                words,
            });
        } else if self.has_labels {
            self.said.push(words);
        }
        Ok(())
    }

    /// Decides where the instants of responses are, and the forms of all dates.
    fn decide_created(&mut self, found: &Proposals, others: &[Place]) {
        self.lacking.push("created");
        let choices = found.best.iter().flat_map(|place| {
            let sets = self.form_sets(place, others);
            let map = |forms| {
                [place.setting("created")]
                    .into_iter()
                    .chain(forms)
                    .collect()
            };
            sets.into_iter().map(map).collect::<Vec<Vec<_>>>()
        });
        let mut choices: Vec<_> = choices.collect();
        let mut words = format!("created from {}{}", found.in_words(), in_words(&choices));
        if let Some(place) = found.unfitting.as_ref().filter(|_| choices.is_empty()) {
            // Another date for all records would be wrong, if this column has their dates.
            self.reasons.push(place.is_not(KNOWN_DATES));
            choices.push(vec![place.setting("created"), Setting::OtherForm]);
        } else if choices.is_empty() {
            "no dates".clone_into(&mut words);
            choices.push(vec![Setting::Undated]);
        }
        self.take(Decision {
            choices,
            reason: None,
            words,
        });
    }

    /// Decides the forms of dates whose places are known.
    fn decide_forms(&mut self, dates: &[Place]) {
        let Some((first, others)) = dates.split_first() else {
            return;
        };
        let mut choices = self.form_sets(first, others);
        let mut reason = first.texts().next().map(|example| {
            format!(
                "its dates have a form that is not named, as in {}",
                quoted(example)
            )
        });
        let is_none_read = || {
            !first
                .texts()
                .any(|text| self.rules.dates.read(text).is_ok())
        };
        // A single one is rejected, and says why.
        if choices.is_empty() && first.texts().nth(1).is_some() && is_none_read() {
            choices.push(vec![Setting::OtherForm]);
            reason = Some(first.is_not(KNOWN_DATES));
        }
        if choices.iter().any(|forms| !forms.is_empty()) {
            self.take(Decision {
                words: format!("dates{}", in_words(&choices)),
                choices,
                reason,
            });
        }
    }

    /// Returns the sets of forms that read the dates of a place; one that is empty if an option names their forms, or
    /// they need none. The dates of others are read, too, if their form is clear.
    fn form_sets(&self, place: &Place, others: &[Place]) -> Vec<Vec<Setting>> {
        if !self.rules.dates.forms.is_empty() {
            return vec![Vec::new()];
        }
        let sets = forms_of(place.texts(), true).unwrap_or_default();
        let completed = sets.into_iter().map(|forms| {
            let mut dates = Dates {
                forms,
                zone: Zone::default(),
            };
            for other in others {
                let is_read = other.texts().all(|text| dates.read(text).is_ok());
                let found = forms_of(other.texts(), true).filter(|_| !is_read);
                if let Some([clear]) = found.as_deref() {
                    dates.forms.extend(clear.iter().cloned());
                }
            }
            dates.forms.into_iter().map(Setting::DateForm).collect()
        });
        completed.collect()
    }

    /// Decides which words mean nothing: those that stand among numbers or dates.
    fn decide_nulls<'a>(&mut self, typed: impl Iterator<Item = &'a Place>) {
        let words: BTreeSet<_> = typed.flat_map(Place::nulls).collect();
        if words.is_empty() {
            return;
        }
        let listed = words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(", ");
        let settings = words.into_iter().map(|word| Setting::Null(word.to_owned()));
        self.take(Decision {
            choices: vec![settings.collect()],
            reason: Some(format!("{listed} among numbers or dates may mean nothing")),
            words: format!("{listed} as nothing"),
        });
    }

    /// Returns the options that would decide everything, one line for each combination of what is open.
    fn options(&self) -> Vec<String> {
        const MOST: usize = 6;
        let mut lines = vec![Vec::new()];
        for choices in &self.choices {
            let longer = lines.iter().flat_map(|line| {
                choices.iter().map(|settings| {
                    let options = settings.iter().map(Setting::option);
                    line.iter().cloned().chain(options).collect()
                })
            });
            lines = longer.take(MOST).collect();
        }
        lines
            .into_iter()
            .map(|line: Vec<_>| line.join(" "))
            .collect()
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
            survey: self.survey,
        }
    }
}

/// Returns whether there is one choice, which needs nothing that only the user knows.
fn is_clear(choices: &[Vec<Setting>]) -> bool {
    let is_known =
        |setting: &Setting| !matches!(setting, Setting::Unmapped(_) | Setting::OtherForm);
    matches!(choices, [settings] if settings.iter().all(is_known))
}

/// Returns the forms of dates of the first choice, worded to follow what has them.
fn in_words(choices: &[Vec<Setting>]) -> String {
    let forms = choices
        .first()
        .into_iter()
        .flatten()
        .filter_map(|setting| match setting {
            Setting::DateForm(form) => Some(form.name()),
            _ => None,
        });
    let forms = forms.collect::<Vec<_>>().join(" and ");
    if forms.is_empty() {
        forms
    } else {
        format!(" as {forms}")
    }
}

/// What dates should be that have no known form.
const KNOWN_DATES: &str =
    "in a form of dates that is known: write it as 2026-01-31 08:30, or name its form";

impl Place {
    /// Says that its first value is not what it should be.
    fn is_not(&self, what: &str) -> String {
        let example = quoted(self.texts().next().unwrap_or_default());
        format!("{} has {example}, which is not {what}", quoted(&self.name))
    }

    /// Returns the decision that a field is read from here.
    fn setting(&self, field: &'static str) -> Setting {
        Setting::Map {
            field,
            place: self.name.clone(),
        }
    }
}
