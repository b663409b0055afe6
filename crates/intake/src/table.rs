//! Reads the rows of a table by its plan.

use std::borrow::Cow;
use std::io::BufRead as _;

use model::UserId;

use crate::columns::{ColumnField, Columns, TraitType};
use crate::csv::{Cell, CsvRow, CsvRows, Quotes};
use crate::dialect::Dialect;
use crate::input::{Input, count_lines};
use crate::parsed_record::RecordValues;
use crate::raw_record::{RawContent, RawRecord};
use crate::reason::{Reason, quoted};
use crate::records::FileRecords;
use crate::rules::{Field, ImportRules};
use crate::sample::with_time;
use crate::scores::rating;

/// How a table is divided into rows, and these into fields.
pub(crate) struct Table {
    pub(crate) dialect: Dialect,
    pub(crate) columns: Columns,
}

impl Table {
    /// Reads all rows behind the header. Rows that repeat it are no records, nor are those without any text.
    pub(crate) fn read(
        &self,
        rules: &ImportRules,
        input: &mut Input,
        records: &mut FileRecords<'_>,
    ) -> anyhow::Result<()> {
        let dialect = &self.dialect;
        input.consume(dialect.preamble.len());
        let mut rows = CsvRows::new(input, dialect.delimiter, dialect.line);
        let mut last = None;
        while let Some(row) = rows.next()? {
            if row.line < dialect.first_record || row.is_blank() || row.text == dialect.header {
                continue;
            }
            if row.is_ended {
                self.add(row, rules, records)?;
            } else {
                last = Some(row.clone());
            }
        }
        // One that the input ends within is no row.
        let whole = last.filter(|_| !input.is_cut());
        whole.map_or(Ok(()), |row| self.add(&row, rules, records))
    }

    fn add(
        &self,
        row: &CsvRow,
        rules: &ImportRules,
        records: &mut FileRecords<'_>,
    ) -> anyhow::Result<()> {
        let content = match self.swallowed_row(row, rules) {
            Some(reason) => Err(reason),
            None => Ok(RawContent::Row { table: self, row }),
        };
        records.add(RawRecord {
            line: row.line,
            text: &row.text,
            is_ended: row.is_ended,
            content,
        })
    }

    /// Says which cell seems to have swallowed a row because a quote is missing: a quoted cell of several lines
    /// of which one reads as a row, the line that it begins on included, or that goes on behind its end.
    fn swallowed_row(&self, row: &CsvRow, rules: &ImportRules) -> Option<Reason> {
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
            let mut start = cell.start;
            for (n, line) in content.split(is_line_end).enumerate() {
                if n > 0 && self.reads_as_row(line, rules, 0) {
                    return Some(reason(cell, start, "reads as a row"));
                }
                start += line.len() + 1;
            }
            // On its first line, the opening quote may be the one that is wrong.
            let first = content.split(is_line_end).next().unwrap_or_default();
            let before = text(0, cell.start - 1);
            let is_first = !before.iter().any(is_line_end);
            if is_first && self.reads_as_row(&[before, first].concat(), rules, position) {
                return Some(reason(cell, cell.start, "reads as a row without its quote"));
            }
            let goes_on = cell.quotes == Quotes::GoesOn;
            goes_on.then(|| reason(cell, cell.end, "goes on behind the closing quote"))
        })
    }

    /// Returns whether a line has as many cells as the header, and a date or a score where a row has one, in this
    /// column or a later one.
    fn reads_as_row(&self, line: &[u8], rules: &ImportRules, from: usize) -> bool {
        let delimiter = self.dialect.delimiter;
        let width = self.columns.names.len();
        // Splitting a line takes longer than this.
        if line.split(|byte| *byte == delimiter).count() < width {
            return false;
        }
        let row = CsvRow::of_line(line, delimiter);
        if row.cells.len() != width {
            return false;
        }
        let known = ["created", "lastSeen", "rating", "userId"];
        let mut columns = known
            .iter()
            .filter_map(|member| Some((*member, self.columns.member(member)?)));
        columns.next().is_some_and(|(member, it)| {
            let text = self.text(&row, it, rules).ok().flatten();
            let is_one = |text: &str| match member {
                "rating" => rating(text, true).is_ok(),
                "userId" => UserId::is_valid(text),
                _ => rules.dates.read(text).is_ok(),
            };
            it.column >= from && text.is_some_and(|text| is_one(&text))
        })
    }

    /// Returns the values of a row.
    ///
    /// # Errors
    ///
    /// Says that the row has other cells than the header, or names the column whose cell is not UTF-8.
    pub(crate) fn values<'a>(
        &'a self,
        row: &'a CsvRow,
        rules: &ImportRules,
    ) -> Result<RecordValues<'a>, Reason> {
        let [found, wanted] = [row.cells.len(), self.columns.names.len()];
        let is_empty = |cell: &Cell| row.content(*cell).trim_ascii().is_empty();
        let mut others = row.cells.iter().skip(wanted);
        let is_wider =
            found > wanted && !(self.dialect.ends_with_delimiter && others.all(is_empty));
        // Spreadsheets leave out empty cells at the end of a row, and a download that breaks off leaves out others.
        let is_cut = found < wanted && !row.is_ended;
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
        let mut values = RecordValues::default();
        let mut traits = Vec::new();
        for it in &self.columns.fields {
            let Some(text) = self.text(row, it, rules)? else {
                continue;
            };
            match &it.field {
                Field::Member(member) => values.add(member, text),
                Field::Trait(name) => {
                    let typed = it.trait_type.json(&text).or_else(|| {
                        values.untyped.push(name);
                        TraitType::Text.json(&text)
                    });
                    traits.extend(typed.map(|json| (name.clone(), json)));
                }
            }
        }
        if !traits.is_empty() {
            values.traits = Some(traits.into_iter().collect());
        }
        Ok(values)
    }

    /// Returns the text of a field without the blanks around it, unless it is absent.
    fn text<'a>(
        &self,
        row: &'a CsvRow,
        it: &ColumnField,
        rules: &ImportRules,
    ) -> Result<Option<Cow<'a, str>>, Reason> {
        let is_there = |text: &Cow<'_, str>| !rules.is_null(text);
        let first = self.cell(row, it.column)?.filter(is_there);
        let second = it.second.map(|second| self.cell(row, second)).transpose()?;
        Ok(match (first, second.flatten().filter(is_there)) {
            (Some(first), Some(second)) => Some(with_time(&first, &second).into()),
            (first, second) => first.or(second),
        })
    }

    /// Returns the text of the column of this name, unless it is empty.
    pub(crate) fn text_at<'a>(
        &self,
        row: &'a CsvRow,
        name: &str,
    ) -> Result<Option<Cow<'a, str>>, Reason> {
        let column = self.columns.find(name);
        column.map_or(Ok(None), |column| self.cell(row, column))
    }

    fn cell<'a>(&self, row: &'a CsvRow, column: usize) -> Result<Option<Cow<'a, str>>, Reason> {
        let Some(cell) = row.cells.get(column) else {
            return Ok(None);
        };
        let text = match row.content(*cell) {
            Cow::Borrowed(bytes) => str::from_utf8(bytes).ok().map(|text| text.trim().into()),
            Cow::Owned(bytes) => {
                let text = String::from_utf8(bytes).ok();
                text.map(|text| text.trim().to_owned().into())
            }
        };
        let name = self.columns.names.get(column).map_or("", |name| name);
        let there: Cow<'_, str> =
            text.ok_or_else(|| format!("its {} is not UTF-8", quoted(name)))?;
        Ok(Some(there).filter(|text| !text.is_empty()))
    }
}
