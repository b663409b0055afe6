//! Finds rows with a missing quote.

use std::ops::Range;

use csv_core::Reader;

use crate::formats::input::newlines;
use crate::raw::cells::cells;
use crate::raw::columns::Columns;

/// A quoted cell of several lines that suggests that a quote is missing. Lines are counted from the
/// first line of the row.
pub(crate) struct Suspicion {
    /// The line on which the cell begins.
    pub(crate) opened: u64,
    /// The line that is suspicious.
    pub(crate) line: u64,
    /// What the line does.
    pub(crate) what: &'static str,
}

/// Finds a quoted cell that seems to have swallowed a row. The parser is not the one of the rows.
pub(crate) fn suspicion(
    raw: &[u8],
    delimiter: u8,
    reader: &mut Reader,
    columns: &Columns<'_>,
) -> Option<Suspicion> {
    if newlines(raw.trim_ascii_end()) == 0 {
        return None;
    }
    // Counting takes time, so it is left to the only cell that is reported.
    let line_of = |at: usize| newlines(raw.get(..at).unwrap_or_default());
    let first_line = raw
        .split(|byte| *byte == b'\n')
        .next()
        .map_or(0, <[u8]>::len);
    let cells = quoted_cells(raw, delimiter);
    let is_long = |cell: &Range<usize>| raw.get(cell.clone()).is_some_and(|it| newlines(it) > 0);
    let mut long = cells.into_iter().filter(is_long);
    long.find_map(|cell| {
        let suspicion = |at, what| Suspicion {
            opened: line_of(cell.start),
            line: line_of(at),
            what,
        };
        let mut lines = lines_within(raw, cell.clone());
        if let Some(line) =
            lines.find(|line| looks_like_row(raw, line, &cell, delimiter, reader, columns))
        {
            Some(suspicion(line.start, "looks like a row"))
        } else if cell.start <= first_line
            && opening_line_looks_like_row(raw, &cell, reader, columns)
        {
            Some(suspicion(cell.start, "looks like a row without its quote"))
        } else if is_closed(raw, &cell, delimiter) {
            None
        } else {
            Some(suspicion(cell.end, "goes on behind the closing quote"))
        }
    })
}

/// Returns whether a delimiter or the end of the row follows the closing quote.
fn is_closed(raw: &[u8], cell: &Range<usize>, delimiter: u8) -> bool {
    let following = raw.get(cell.end + 1);
    following.is_none_or(|byte| [delimiter, b'\n', b'\r'].contains(byte))
}

/// Returns whether the first line of the row, on which the cell begins, looks like a row if the cell's opening
/// quote is taken literally, and the cell contains what makes it look like one.
fn opening_line_looks_like_row(
    raw: &[u8],
    cell: &Range<usize>,
    reader: &mut Reader,
    columns: &Columns<'_>,
) -> bool {
    let before = raw.get(..cell.start - 1).unwrap_or_default();
    let within = raw.get(cell.clone()).unwrap_or_default();
    let within = within.split(|byte| *byte == b'\n').next();
    let opened = split(before, reader).map_or(0, |cells| cells.len().saturating_sub(1));
    let line = [before, within.unwrap_or_default()].concat();
    let decisive = split(&line, reader).and_then(|cells| columns.decisive_cell(&cells));
    decisive.is_some_and(|decisive| decisive >= opened)
}

/// Returns the lines that begin within the cell.
fn lines_within(raw: &[u8], cell: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let starts = cell.clone().filter(|at| raw.get(*at) == Some(&b'\n'));
    starts.map(move |newline| {
        let start = newline + 1;
        let rest = raw.get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'\n');
        start..start + length.unwrap_or(rest.len())
    })
}

/// Returns whether the line looks like a row that the cell swallowed. The last line of a cell may
/// continue with other cells, so what makes it look like a row has to be within the cell, or the line
/// has to be well formed by itself.
fn looks_like_row(
    raw: &[u8],
    line: &Range<usize>,
    cell: &Range<usize>,
    delimiter: u8,
    reader: &mut Reader,
    columns: &Columns<'_>,
) -> bool {
    let text = raw.get(line.clone()).unwrap_or_default();
    let delimiters = text.split(|byte| *byte == delimiter).count() - 1;
    // Splitting a line takes much longer than this.
    if delimiters + 1 < columns.names.len() {
        return false;
    }
    let mut split = |range: Range<usize>| split(raw.get(range).unwrap_or_default(), reader);
    let Some(decisive) = split(line.clone()).and_then(|cells| columns.decisive_cell(&cells)) else {
        return false;
    };
    // The last cell of the part may be cut.
    line.end <= cell.end
        || split(line.start..cell.end).is_some_and(|part| decisive + 1 < part.len())
        || is_well_formed(text, delimiter)
}

/// Returns whether all quotes of a line enclose cells. The last line of a proper cell is not well
/// formed by itself, because of the quote that closes the cell.
fn is_well_formed(line: &[u8], delimiter: u8) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let quoted = quoted_cells(line, delimiter);
    let is_enclosed = |cell: &Range<usize>| {
        cell.end < line.len() && line.get(cell.end + 1).is_none_or(|byte| *byte == delimiter)
    };
    let within: usize = quoted
        .iter()
        .filter_map(|cell| line.get(cell.clone()))
        .map(quotes)
        .sum();
    quoted.iter().all(is_enclosed) && quotes(line) == within + 2 * quoted.len()
}

fn quotes(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'"').count() - 1
}

/// Splits one line into cells; returns `None` if one is not UTF-8. A carriage return within the line
/// ends the row, as it does elsewhere; what follows is left out.
fn split(line: &[u8], reader: &mut Reader) -> Option<Vec<String>> {
    let mut output = vec![0; line.len() + 1];
    let mut bounds = vec![0; line.len() + 1];
    // To make a parser takes much longer than a line does.
    reader.reset();
    let (_, _, written, ended) = reader.read_record(line, &mut output, &mut bounds);
    // The end of the input ends the last cell.
    let (_, _, more_written, more_ended) =
        reader.read_record(&[], output.get_mut(written..)?, bounds.get_mut(ended..)?);
    cells(
        output.get(..written + more_written)?,
        bounds.get(..ended + more_ended)?,
    )
}

/// Returns where the quoted cells are, without their quotes. The last one ends with the row if it is
/// not closed.
fn quoted_cells(raw: &[u8], delimiter: u8) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut is_cell_start = true;
    let mut bytes = raw.iter().copied().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        if !(is_cell_start && byte == b'"') {
            is_cell_start = byte == delimiter || byte == b'\n';
            continue;
        }
        is_cell_start = false;
        let start = at + 1;
        let mut end = raw.len();
        while let Some((at, byte)) = bytes.next() {
            if byte == b'"' && bytes.next_if(|(_, next)| *next == b'"').is_none() {
                end = at;
                break;
            }
        }
        cells.push(start..end);
    }
    cells
}
