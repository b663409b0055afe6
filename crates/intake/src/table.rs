//! Reads the rows of a table by its plan.

use std::borrow::Cow;
use std::io::BufRead as _;

use model::UserId;

use crate::columns::{ColumnField, Columns, TraitType};
use crate::csv::{Cell, CsvRow, CsvRows, Quotes};
use crate::input::{Input, count_lines};
use crate::origin::{RawContent, RawRecord};
use crate::parsed_record::RecordValues;
use crate::plan::TablePlan;
use crate::reason::{Reason, quoted};
use crate::records::Records;
use crate::rules::{Field, ImportRules};
use crate::scores::rating;

/// Reads all rows behind the header. Rows that repeat it are no records, nor are those without any text.
pub(crate) fn read(
    plan: &TablePlan,
    rules: &ImportRules,
    input: &mut Input,
    records: &mut Records,
) -> anyhow::Result<()> {
    input.consume(plan.offset);
    let mut rows = CsvRows::new(input, plan.delimiter, plan.line);
    let mut last = None;
    while let Some(row) = rows.next()? {
        if row.line < plan.first_record || row.is_blank() || records.is_header(&row.text) {
            continue;
        }
        if row.is_ended {
            add(row, plan, rules, records)?;
        } else {
            last = Some(row.clone());
        }
    }
    // One that the input ends within is no row.
    let whole = last.filter(|_| !input.is_cut());
    whole.map_or(Ok(()), |row| add(&row, plan, rules, records))
}

fn add(
    row: &CsvRow,
    plan: &TablePlan,
    rules: &ImportRules,
    records: &mut Records,
) -> anyhow::Result<()> {
    let columns = &plan.columns;
    let content = match columns.swallowed_row(row, rules, plan.delimiter) {
        Some(reason) => Err(reason),
        None => Ok(RawContent::Row { columns, row }),
    };
    records.add(RawRecord {
        line: row.line,
        text: &row.text,
        is_ended: row.is_ended,
        content,
    })
}

impl Columns {
    /// Says which cell seems to have swallowed a row because a quote is missing: a quoted cell of several lines
    /// of which one reads as a row, the line that it begins on included, or that goes on behind its end.
    fn swallowed_row(&self, row: &CsvRow, rules: &ImportRules, delimiter: u8) -> Option<Reason> {
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
                if n > 0 && self.reads_as_row(line, rules, delimiter, 0) {
                    return Some(reason(cell, start, "reads as a row"));
                }
                start += line.len() + 1;
            }
            // On its first line, the opening quote may be the one that is wrong.
            let first = content.split(is_line_end).next().unwrap_or_default();
            let before = text(0, cell.start - 1);
            let is_first = !before.iter().any(is_line_end);
            if is_first && self.reads_as_row(&[before, first].concat(), rules, delimiter, position)
            {
                return Some(reason(cell, cell.start, "reads as a row without its quote"));
            }
            let goes_on = cell.quotes == Quotes::GoesOn;
            goes_on.then(|| reason(cell, cell.end, "goes on behind the closing quote"))
        })
    }

    /// Returns whether a line has as many cells as the header, and a date or a score where a row has one, in this
    /// column or a later one.
    fn reads_as_row(&self, line: &[u8], rules: &ImportRules, delimiter: u8, from: usize) -> bool {
        // Splitting a line takes longer than this.
        if line.split(|byte| *byte == delimiter).count() < self.names.len() {
            return false;
        }
        let row = CsvRow::of_line(line, delimiter);
        if row.cells.len() != self.names.len() {
            return false;
        }
        let known = ["created", "lastSeen", "rating", "userId"];
        let mut columns = known
            .iter()
            .filter_map(|member| Some((*member, self.member(member)?)));
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

    /// Returns the values of a row, and the names of the traits that have a text where the others have numbers or
    /// booleans.
    ///
    /// # Errors
    ///
    /// Says that the row has other cells than the header, or names the column whose cell is not UTF-8.
    pub(crate) fn values<'a>(
        &'a self,
        row: &'a CsvRow,
        rules: &ImportRules,
    ) -> Result<(RecordValues<'a>, Vec<&'a str>), Reason> {
        let [found, wanted] = [row.cells.len(), self.names.len()];
        let is_empty = |cell: &Cell| row.content(*cell).trim_ascii().is_empty();
        let mut others = row.cells.iter().skip(wanted);
        if found > wanted && !(self.ends_with_delimiter && others.all(is_empty)) {
            return Err(format!(
                "it has {found} cells where the header has {wanted}"
            ));
        }
        // Spreadsheets leave out empty cells at the end of a row, and a download that breaks off leaves out others.
        if found < wanted && !row.is_ended {
            return Err(format!(
                "it has {found} cells where the header has {wanted}, and no line end: the file may be cut off"
            ));
        }
        let mut values = RecordValues::default();
        let mut traits = Vec::new();
        let mut untyped = Vec::new();
        for it in &self.fields {
            let Some(text) = self.text(row, it, rules)? else {
                continue;
            };
            match &it.field {
                Field::Member(member) => values.add(member, text),
                Field::Trait(name) => {
                    let typed = it.trait_type.json(&text).or_else(|| {
                        untyped.push(&**name);
                        TraitType::Text.json(&text)
                    });
                    traits.extend(typed.map(|json| (name.clone(), json)));
                }
            }
        }
        if !traits.is_empty() {
            values.traits = Some(traits.into_iter().collect());
        }
        Ok((values, untyped))
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
        let Some(second) = it.second else {
            return Ok(first);
        };
        let second = self.cell(row, second)?.filter(is_there);
        let parts = first.into_iter().chain(second).collect::<Vec<_>>();
        Ok((!parts.is_empty()).then(|| parts.join(" ").into()))
    }

    /// Returns the text of the column of this name, unless it is empty.
    pub(crate) fn text_at<'a>(
        &self,
        row: &'a CsvRow,
        name: &str,
    ) -> Result<Option<Cow<'a, str>>, Reason> {
        self.find(name)
            .map_or(Ok(None), |column| self.cell(row, column))
    }

    fn cell<'a>(&self, row: &'a CsvRow, column: usize) -> Result<Option<Cow<'a, str>>, Reason> {
        let Some(cell) = row.cells.get(column) else {
            return Ok(None);
        };
        let text = match row.content(*cell) {
            Cow::Borrowed(bytes) => str::from_utf8(bytes)
                .map(|text| Cow::Borrowed(text.trim()))
                .ok(),
            Cow::Owned(bytes) => String::from_utf8(bytes)
                .map(|text| text.trim().to_owned().into())
                .ok(),
        };
        let name = self.names.get(column).map_or("", |name| name);
        let there = text.ok_or_else(|| format!("its {} is not UTF-8", quoted(name)))?;
        Ok(Some(there).filter(|text| !text.is_empty()))
    }
}
