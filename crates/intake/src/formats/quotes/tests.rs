use super::*;
use crate::rules::ImportRules;
use crate::rules::kind::RecordKind;

/// Returns what is suspicious about a row of a table with the columns `id`, `traits.note`, `rating` and
/// `created`.
fn suspicious(row: &str) -> Option<(u64, u64, &'static str)> {
    let rules = ImportRules::new(RecordKind::Responses, "acme".parse().unwrap());
    let header = ["id", "traits.note", "rating", "created"].map(str::to_owned);
    let (columns, _) = Columns::from_header(&header, &rules).unwrap();
    let suspicion = suspicion(row.as_bytes(), b',', &columns)?;
    Some((suspicion.opened, suspicion.line, suspicion.what))
}

#[test]
fn a_cell_that_swallowed_a_row_is_suspicious() {
    let row = Some((0, 1, "looks like a row"));
    for swallowed in [
        "r1,\"good,7,2020-01-01\nr2,bad,7,2020-01-02\nr3,\"fine\",7,2020-01-03\n",
        "r1,\"good,7,2020-01-01\r\nr2,bad,7,2020-01-02\r\nr3,x\",7,2020-01-03\r\n",
        "\"r1,good,7,2020-01-01\nr2,bad,7,2020-01-02\n\",x,7,2020-01-03\n",
    ] {
        assert_eq!(suspicious(swallowed), row, "{swallowed}");
    }
    let later = "r1,\"a\nb\",7,\"2020-01-01\nr2,bad,7,2020-01-02\n\"\n";
    assert_eq!(suspicious(later), Some((1, 2, "looks like a row")));
}

#[test]
fn a_line_that_is_a_row_but_for_its_quote_is_suspicious() {
    let what = "looks like a row without its quote";
    for row in [
        "r1,\"good,7,2020-01-01\nrest\",7,2020-01-02\n",
        // The quote that closes the cell opens another.
        "r1,\"good,7,2020-01-01\nr2,\"bad,7,2020-01-02\n",
    ] {
        assert_eq!(suspicious(row), Some((0, 0, what)), "{row}");
    }
}

#[test]
fn text_behind_a_closing_quote_is_suspicious() {
    let row = "r1,\"two\nlines\" and more,7,2020-01-01\n";
    let what = "goes on behind the closing quote";
    assert_eq!(suspicious(row), Some((0, 1, what)));
}

#[test]
fn other_cells_of_several_lines_are_not_suspicious() {
    for row in [
        "r1,good,7,2020-01-01\n",
        "r1,\"good, and \"\"quoted\"\"\",7,2020-01-01\n",
        "r1,\"two\nlines\",7,2020-01-01\n",
        "r1,\"two\r\nlines\",7,2020-01-01\r\n",
        "r1,\"\n2020-01-02\n,,,\n\",7,2020-01-01\n",
        // As many cells as a row, but no date.
        "r1,\"a\nr2,bad,7,soon\nb\",7,2020-01-01\n",
    ] {
        assert_eq!(suspicious(row), None, "{row}");
    }
}

#[test]
fn the_line_of_the_last_quoted_cell_is_counted_within_the_row() {
    for (row, lines) in [
        ("a,b", 0),
        ("a,\"b", 0),
        ("\"a\nb\",\"c", 1),
        ("\"a\n\n\"\n\"b\",c", 3),
    ] {
        assert_eq!(lines_before_last(row.as_bytes(), b','), lines, "{row}");
    }
}
