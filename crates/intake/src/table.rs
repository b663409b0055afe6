//! Tables as rows: which column holds which field, of which type its traits are, and the cells of a row.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead as _;

use anyhow::{Context as _, bail, ensure};
use model::{Decimal, UserId};
use serde_json::value::{RawValue, to_raw_value};

use crate::csv::{Cell, CsvRow, CsvRows, Dialect, HeadRow, Quotes, with_cell};
use crate::file::{Input, count_lines};
use crate::head::{Head, HeadColumn, HeadForm, with_time};
use crate::names::is_total;
use crate::reason::{Reason, argument, listed, quoted};
use crate::record::{Facts, Row, Rows, Values, lacks};
use crate::rules::{Field, ImportRules, RecordKind, StringTraits, TRAITS, field_of};
use crate::scores::rating;
use crate::workbook::MAX_COLUMNS;

/// How a table is divided into rows, and these into fields.
pub(crate) struct Table {
    pub(crate) dialect: Dialect,
    pub(crate) columns: Columns,
}

/// The rows of a table behind its header.
pub(crate) struct TableRows<'a> {
    table: &'a Table,
    rules: &'a ImportRules,
    rows: CsvRows<&'a mut Input>,
}

impl Rows for TableRows<'_> {
    /// Rows that repeat the header are no records, nor are those without any text, or that the input breaks off within.
    fn next(&mut self) -> anyhow::Result<Option<Row<'_>>> {
        let Dialect {
            header,
            first_record,
            ..
        } = &self.table.dialect;
        loop {
            if !self.rows.advance()? {
                return Ok(None);
            }
            let row = &self.rows.row;
            let is_skipped = row.line < *first_record || row.is_blank() || row.text == *header;
            let is_cut = !row.is_ended && self.rows.input.is_cut();
            if !is_skipped && !is_cut {
                break;
            }
        }
        let row = &self.rows.row;
        let cells = Cells {
            table: self.table,
            rules: self.rules,
            row,
        };
        Ok(Some(Row {
            line: row.line,
            list: 0,
            text: &row.text,
            is_ended: row.is_ended,
            values: match cells.swallowed_row() {
                Some(reason) => Err(reason),
                None => Ok(Box::new(cells)),
            },
        }))
    }
}

/// The cells of a row.
#[derive(Clone, Copy)]
struct Cells<'a> {
    table: &'a Table,
    rules: &'a ImportRules,
    row: &'a CsvRow,
}

impl Values for Cells<'_> {
    /// Fails if the row has other cells than the header, or one that is read is not UTF-8.
    fn facts(&self, _: &ImportRules) -> Result<Facts<'_>, Reason> {
        let Table { dialect, columns } = self.table;
        let [found, wanted] = [self.row.cells.len(), columns.names.len()];
        let mut others = (wanted..found).map(|column| self.is_empty(column));
        let is_wider = found > wanted && !(dialect.ends_with_delimiter && others.all(|it| it));
        // Spreadsheets leave out empty cells at the end of a row, and a download that breaks off leaves out others.
        let is_cut = found < wanted && !self.row.is_ended;
        if is_wider || is_cut {
            let why = if is_cut {
                ", and no line end: the file may be cut off"
            } else {
                ""
            };
            return Err(format!(
                "it has {found} cells where the header has {wanted}{why}"
            ));
        }
        let mut facts = Facts::default();
        let mut traits = Vec::new();
        for it in &columns.fields {
            let Some(text) = self.text(it)? else {
                continue;
            };
            match &it.field {
                Field::Member(member) => facts.add(member, text),
                Field::Trait(name) => {
                    let typed = it.trait_type.json(&text);
                    let typed = typed.or_else(|| TraitType::Text.json(&text));
                    traits.extend(typed.map(|json| (name.clone(), json)));
                }
            }
        }
        if !traits.is_empty() {
            facts.traits = Some(traits.into_iter().collect());
        }
        Ok(facts)
    }

    fn text_at(&self, name: &str) -> Result<Option<Cow<'_, str>>, Reason> {
        let column = self.table.columns.find(name);
        column.map_or(Ok(None), |column| self.cell(column))
    }

    fn may_be_totals(&self) -> bool {
        const LONGEST: usize = 20;
        let mut short = self.row.cells.iter();
        short.any(|cell| {
            cell.end - cell.start <= LONGEST
                && str::from_utf8(&self.row.content(*cell)).is_ok_and(|it| is_total(it.trim()))
        })
    }

    fn lacks_id(&self) -> bool {
        let id = self.table.columns.member("id");
        id.is_none_or(|id| self.is_empty(id.first))
    }

    /// The names are written as in the header, and the texts as in the cells.
    fn content(&self, names: &[String]) -> Result<Vec<u8>, Reason> {
        let texts: Vec<_> = self.row.texts().collect();
        let text_of = |column: usize| texts.get(column).map_or("", |text| text);
        let mut chosen = Vec::new();
        for name in names {
            let column = self.table.columns.find(name);
            let there = column.filter(|column| !text_of(*column).is_empty());
            chosen.push(there.ok_or_else(|| lacks(name))?);
        }
        let written = self.table.dialect.names.iter().enumerate();
        let mut pairs: Vec<_> = written
            .filter(|(column, _)| names.is_empty() || chosen.contains(column))
            .map(|(column, name)| (name, text_of(column)))
            .collect();
        // Stable, so that columns of the same name keep their order.
        pairs.sort_by_key(|(name, _)| *name);
        serde_json::to_vec(&pairs).map_err(|error| error.to_string())
    }
}

impl Table {
    /// Returns the rows behind the header.
    pub(crate) fn rows<'a>(
        &'a self,
        rules: &'a ImportRules,
        input: &'a mut Input,
    ) -> TableRows<'a> {
        let dialect = &self.dialect;
        input.consume(dialect.preamble.len());
        TableRows {
            table: self,
            rules,
            rows: CsvRows::new(input, dialect.delimiter, dialect.line),
        }
    }

    /// Returns the text of a row with this id, and what precedes the records. A table without a column of ids gets one,
    /// unless its column `id` is something else.
    pub(crate) fn text_and_header(&self, row: &[u8], id: Option<&str>) -> (Vec<u8>, Vec<u8>) {
        let Self { dialect, columns } = self;
        let (header, delimiter) = (&dialect.header, dialect.delimiter);
        let behind = |cell: &str, rest: &[u8]| [cell.as_bytes(), &[delimiter], rest].concat();
        let (text, header) = match (id, columns.member("id")) {
            (Some(id), Some(it)) => (with_cell(row, delimiter, it.first, id), header.clone()),
            (Some(id), None) if columns.find("id").is_none() => {
                (behind(id, row), behind("id", header))
            }
            _ => (row.to_owned(), header.clone()),
        };
        (text, [&*dialect.preamble, &*header, b"\n"].concat())
    }
}

impl<'a> Cells<'a> {
    /// Says which cell seems to have swallowed a row because a quote is missing: a quoted cell of several lines
    /// of which one reads as a row, the line that it begins on included, or that goes on behind its end.
    fn swallowed_row(&self) -> Option<Reason> {
        let row = self.row;
        let text = |start: usize, end: usize| row.text.get(start..end).unwrap_or_default();
        let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        if !row.text.iter().any(is_line_end) {
            return None;
        }
        let line_of = |at: usize| row.line + count_lines(text(0, at));
        let reason = |cell: &Cell, at: usize, what: &str| {
            let [opened, line] = [line_of(cell.start), line_of(at)];
            format!(
                "the quoted cell that begins on line {opened} contains line {line}, which {what}: a quote may be \
                 missing"
            )
        };
        let mut cells = row.cells.iter().enumerate();
        cells.find_map(|(position, cell)| {
            let content = text(cell.start, cell.end);
            if cell.quotes == Quotes::None || !content.iter().any(is_line_end) {
                return None;
            }
            let mut lines = content.split(is_line_end);
            let first = lines.next().unwrap_or_default();
            let mut start = cell.start + first.len() + 1;
            for line in lines {
                if self.reads_as_row(line, 0) {
                    return Some(reason(cell, start, "reads as a row"));
                }
                start += line.len() + 1;
            }
            // On its first line, the opening quote may be the one that is wrong.
            let before = text(0, cell.start - 1);
            let is_first = !before.iter().any(is_line_end);
            if is_first && self.reads_as_row(&[before, first].concat(), position) {
                return Some(reason(cell, cell.start, "reads as a row without its quote"));
            }
            let goes_on = cell.quotes == Quotes::GoesOn;
            goes_on.then(|| reason(cell, cell.end, "goes on behind the closing quote"))
        })
    }

    /// Returns whether a line has as many cells as the header, and a date or a score where a row has one, in this
    /// column or a later one.
    fn reads_as_row(&self, line: &[u8], from: usize) -> bool {
        let Table { dialect, columns } = self.table;
        let width = columns.names.len();
        // Splitting a line takes longer than this.
        if line.split(|byte| *byte == dialect.delimiter).count() < width {
            return false;
        }
        let row = CsvRow::of_line(line, dialect.delimiter);
        let known = ["created", "lastSeen", "rating", "userId"];
        let mut fields = known
            .iter()
            .filter_map(|member| Some((*member, columns.member(member)?)));
        let Some((member, it)) = fields.next().filter(|(_, it)| it.first >= from) else {
            return false;
        };
        let text = Cells { row: &row, ..*self }.text(it).ok().flatten();
        let is_one = |text: Cow<'_, str>| match member {
            "rating" => rating(&text, true).is_ok(),
            "userId" => UserId::is_valid(&text),
            _ => self.rules.dates.read(&text).is_ok(),
        };
        row.cells.len() == width && text.is_some_and(is_one)
    }

    /// Returns the text of a field without the blanks around it, unless it is absent.
    fn text(&self, it: &Column) -> Result<Option<Cow<'a, str>>, Reason> {
        let is_there = |text: &Cow<'_, str>| !self.rules.is_null_of(&it.field, text);
        let first = self.cell(it.first)?.filter(is_there);
        let second = it.second.map(|second| self.cell(second)).transpose()?;
        Ok(match (first, second.flatten().filter(is_there)) {
            (Some(first), Some(second)) => Some(with_time(&first, &second).into()),
            (first, second) => first.or(second),
        })
    }

    fn cell(&self, column: usize) -> Result<Option<Cow<'a, str>>, Reason> {
        let Some(cell) = self.row.cells.get(column) else {
            return Ok(None);
        };
        let text = match self.row.content(*cell) {
            Cow::Borrowed(bytes) => str::from_utf8(bytes).ok().map(|text| text.trim().into()),
            Cow::Owned(bytes) => {
                let text = String::from_utf8(bytes).ok();
                text.map(|text| text.trim().to_owned().into())
            }
        };
        let there: Cow<'_, str> = text.ok_or_else(|| {
            let name = quoted(self.table.columns.name(column));
            format!("its {name} is not UTF-8")
        })?;
        Ok(Some(there).filter(|text| !text.is_empty()))
    }

    /// Returns whether a cell has nothing but blanks, or is not there.
    fn is_empty(&self, column: usize) -> bool {
        let cell = self.row.cells.get(column);
        cell.is_none_or(|cell| self.row.content(*cell).trim_ascii().is_empty())
    }
}

/// The columns of a table, and the fields that are read from them.
pub(crate) struct Columns {
    /// The names by which columns are found: trimmed, and `Score#2` for the second `Score`.
    pub(crate) names: Vec<String>,
    /// The same in lower case.
    folded: Vec<String>,
    pub(crate) fields: Vec<Column>,
}

/// A field that is read from a column.
pub(crate) struct Column {
    pub(crate) field: Field,
    /// The position of the column.
    pub(crate) first: usize,
    /// The position of the column whose text follows behind a blank: a time behind its date.
    pub(crate) second: Option<usize>,
    /// The type of its values, if it is a trait.
    pub(crate) trait_type: TraitType,
}

/// The type of the values of a trait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TraitType {
    Text,
    /// As in `1961.95`.
    Number,
    /// As in `1961,95`.
    NumberWithComma,
    /// `true` and `false`, in upper or lower case.
    Boolean,
}

impl Columns {
    /// Assigns fields to the columns of this header.
    ///
    /// # Errors
    ///
    /// Fails if an option names a column that is not there, or two columns have the name of a field.
    pub(crate) fn of(header: &[String], rules: &ImportRules) -> anyhow::Result<Self> {
        ensure!(
            header.len() <= MAX_COLUMNS,
            "it has {} columns, and at most {MAX_COLUMNS} are read",
            header.len()
        );
        let names = numbered_names(header);
        let mut columns = Self {
            folded: names.iter().map(|name| name.to_lowercase()).collect(),
            names,
            fields: Vec::new(),
        };
        for mapping in &rules.map {
            let place = columns.find_place(&mapping.place);
            let (column, second) = place.with_context(|| {
                let [place, names] = [quoted(&mapping.place), listed(&columns.names)];
                format!("there is no column {place}; the columns are {names}")
            })?;
            let field = field_of(rules.kind, &mapping.field).context("unknown field")?;
            columns.add(field, column, second);
        }
        for member in rules.kind.members() {
            let Some(column) = columns.find(member) else {
                continue;
            };
            if columns.add_own(Field::Member(member), column)
                && let Some(twin) = columns.twin(member, column)
            {
                let option = |column| argument(&format!("{member}={}", columns.name(column)));
                let [one, other] = [column, twin].map(option);
                bail!(
                    "two columns are called {member}: --map {one} reads one, and --map {other} the other"
                );
            }
        }
        for (column, name) in columns.names.clone().iter().enumerate() {
            if let Some((prefix, name)) = name.split_at_checked(TRAITS.len())
                && prefix.eq_ignore_ascii_case(TRAITS)
                && !name.is_empty()
            {
                columns.add_own(Field::Trait(name.to_owned()), column);
            }
        }
        Ok(columns)
    }

    fn add(&mut self, field: Field, column: usize, second: Option<usize>) {
        self.fields.push(Column {
            field,
            first: column,
            second,
            trait_type: TraitType::Text,
        });
    }

    /// Adds a field that its column is called like, unless an option says that it is elsewhere, or that the
    /// column is another one. An address that is a `userId` stays an address. Returns whether it is added.
    fn add_own(&mut self, field: Field, column: usize) -> bool {
        let is_other = |it: &Column| {
            let is_read = it.reads(column);
            let is_address = field == Field::Member("email") && it.field == Field::Member("userId");
            it.field == field || (is_read && !is_address)
        };
        let is_free = !self.fields.iter().any(is_other);
        if is_free {
            self.add(field, column, None);
        }
        is_free
    }

    /// Returns the position of the column of this name, or of one that differs in case alone.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let name = &plain_name(name);
        let position = |names: &[String], name: &str| names.iter().position(|other| other == name);
        position(&self.names, name).or_else(|| position(&self.folded, &name.to_lowercase()))
    }

    /// Returns the position of another column than this one of a name, in upper or lower case.
    fn twin(&self, name: &str, column: usize) -> Option<usize> {
        let name = name.to_lowercase();
        let mut others = (0..self.folded.len()).filter(|other| *other != column);
        others.find(|other| {
            let folded = self.folded.get(*other);
            folded.is_some_and(|other| other.strip_suffix("#2").unwrap_or(other) == name)
        })
    }

    fn name(&self, column: usize) -> &str {
        self.names.get(column).map_or("", |name| name)
    }

    /// Returns the column of this name, or the two columns whose names it joins: `Date+Time`.
    pub(crate) fn find_place(&self, place: &str) -> Option<(usize, Option<usize>)> {
        let joined = || {
            let mut plus = place.match_indices('+');
            plus.find_map(|(at, _)| {
                let [first, second] = [place.get(..at)?, place.get(at + 1..)?];
                Some((self.find(first)?, Some(self.find(second)?)))
            })
        };
        self.find(place)
            .map(|column| (column, None))
            .or_else(joined)
    }

    /// Returns the field of a member, if a column has it.
    pub(crate) fn member(&self, member: &str) -> Option<&Column> {
        self.fields.iter().find(|it| it.field.is_member(member))
    }

    /// Returns whether the table seems to be one of this kind, and not of the other, as far as its own names
    /// tell.
    pub(crate) fn look_like(&self, kind: RecordKind, rules: &ImportRules) -> bool {
        let is_mapped = |column| {
            let mut mappings = rules.map.iter();
            mappings.any(|map| self.find(&map.place) == Some(column))
        };
        let has = |member| self.find(member).is_some_and(|column| !is_mapped(column));
        let is_field = |name: &String| kind.has_field(name);
        match kind {
            RecordKind::Responses => has("created") && has("rating"),
            // A column of another name may hold ratings, so the table may be one of responses.
            RecordKind::Users => has("userId") && !has("rating") && self.names.iter().all(is_field),
        }
    }

    /// Returns the names of the columns that are not read.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &String> {
        let is_read = |column| self.fields.iter().any(|it| it.reads(column));
        let names = self.names.iter().enumerate();
        names.filter_map(move |(column, name)| (!is_read(column)).then_some(name))
    }

    /// Returns what the head of the table shows, which has these rows.
    pub(crate) fn head(&self, rows: &[HeadRow], is_whole: bool, rules: &ImportRules) -> Head {
        let column_at = |column: usize| {
            let cells = rows.iter().map(|row| row.cell(column));
            let values = cells.map(|cell| if rules.is_null(cell) { "" } else { cell }.to_owned());
            HeadColumn {
                name: self.name(column).to_owned(),
                values: values.collect(),
                field: None,
            }
        };
        let read = self.fields.iter().map(|it| {
            let first = column_at(it.first);
            let second = it.second.map(column_at);
            let column = second.map_or(first.clone(), |second| HeadColumn::joined(&first, &second));
            column.of_field(it.field.clone(), rules)
        });
        let is_free = |column: &usize| {
            // What others call `createdAt` may be the date of a response.
            let is_taken = |it: &Column| it.reads(*column) && !it.field.is_member("createdAt");
            !self.fields.iter().any(is_taken)
        };
        let is_named = |it: &HeadColumn| !it.name.is_empty() && !it.name.contains(char::is_control);
        let free = (0..self.names.len()).filter(is_free).map(column_at);
        Head {
            form: HeadForm::Table(listed(&self.names)),
            is_whole,
            columns: read.chain(free.filter(is_named)).collect(),
            selection: None,
        }
    }

    /// Decides of which type each trait is, by the rows in the head of the file.
    pub(crate) fn decide_types(&mut self, rows: &[HeadRow], rules: &ImportRules, delimiter: u8) {
        for it in &mut self.fields {
            let Field::Trait(name) = &it.field else {
                continue;
            };
            let is_text = match &rules.string_traits {
                StringTraits::None => false,
                StringTraits::Named(names) => names.contains(name),
                StringTraits::All => true,
            };
            let values = rows.iter().map(|row| row.cell(it.first));
            let values = values.filter(|value| !rules.is_null_of(&it.field, value));
            let found = TraitType::of(values.clone());
            // Where semicolons separate, 1,250 and 1.250 may be thousands or not.
            let may_be_thousands = |mark| {
                let mut with_mark = values
                    .clone()
                    .filter_map(|value| value.split_once(mark))
                    .peekable();
                with_mark.peek().is_some() && with_mark.all(|(_, digits)| digits.len() == 3)
            };
            let is_possible = |found: &TraitType| match found {
                _ if is_text => false,
                TraitType::Number => delimiter == b',' || !may_be_thousands('.'),
                TraitType::NumberWithComma => delimiter != b',' && !may_be_thousands(','),
                TraitType::Text | TraitType::Boolean => true,
            };
            it.trait_type = found.filter(is_possible).unwrap_or(TraitType::Text);
        }
    }
}

impl Column {
    /// Returns whether it is read from the column at this position.
    fn reads(&self, column: usize) -> bool {
        self.first == column || self.second == Some(column)
    }
}

impl TraitType {
    /// Returns the type that all of these texts have, if they are numbers or booleans and there are any.
    pub(crate) fn of<'a>(mut texts: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let types = [Self::Boolean, Self::Number, Self::NumberWithComma];
        let fits = |kind: &Self| texts.clone().all(|text| kind.json(text).is_some());
        let found = types.into_iter().find(fits);
        texts.next().and(found)
    }

    /// Returns the JSON of a cell, if it has a value of this type.
    pub(crate) fn json(self, cell: &str) -> Option<Box<RawValue>> {
        match self {
            Self::Text => to_raw_value(cell).ok(),
            Self::Boolean => {
                let mut words = ["true", "false"].into_iter();
                let word = words.find(|word| cell.eq_ignore_ascii_case(word))?;
                RawValue::from_string(word.to_owned()).ok()
            }
            Self::Number => number(cell),
            Self::NumberWithComma => {
                let is_plain = !cell.contains('.') && cell.matches(',').count() <= 1;
                number(&is_plain.then(|| cell.replace(',', "."))?)
            }
        }
    }
}

/// Returns the JSON of a plain number, which has no leading zero, exponent or plus.
fn number(cell: &str) -> Option<Box<RawValue>> {
    let is_plain = |byte: u8| byte.is_ascii_digit() || byte == b'-' || byte == b'.';
    let is_json = serde_json::from_str::<&RawValue>(cell).is_ok();
    let is_number = is_json && cell.bytes().all(is_plain);
    let number: Decimal = cell.parse().ok().filter(|_| is_number)?;
    RawValue::from_string(number.to_string()).ok()
}

/// Returns a name on one line, without the marks of a direction of writing.
fn plain_name(name: &str) -> String {
    let is_mark = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}');
    let unmarked = name.replace(is_mark, "");
    let words: Vec<_> = unmarked.split_whitespace().collect();
    words.join(" ")
}

/// Returns the names by which columns are found.
fn numbered_names(header: &[String]) -> Vec<String> {
    let mut counts = HashMap::<&str, u32>::new();
    let plain: Vec<_> = header.iter().map(|name| plain_name(name)).collect();
    let names = plain.iter().map(|name| {
        let count = counts.entry(name).or_default();
        *count += 1;
        match *count {
            1 => name.clone(),
            count => format!("{name}#{count}"),
        }
    });
    names.collect()
}
