//! Quotes that are missing in CSV.

use std::time::Instant;

use crate::import::import;

const NOTES: &str = "id,created,rating,traits.note\n";

#[test]
fn a_row_whose_quotes_seem_to_be_wrong_is_rejected_with_all_its_lines() {
    let notes = |rows: &str| format!("{NOTES}r1,2020-01-01,9,fine\n{rows}");
    let swallowed =
        "file:3: the quoted cell that begins on line 3 contains line 4, which reads as a row";
    let without_quote =
        "file:3: the quoted cell that begins on line 3 contains line 3, which reads as a row";
    let users = "userId,name\nu1,\"One\nu2,Two\nu3,\"Three\"\n";
    let of_user = "file:2: the quoted cell that begins on line 2 contains line 3";
    #[rustfmt::skip]
    let rows = [
        // They are closed by a quote within a row, at its end, and by the next row.
        ("responses", &*notes("r2,2020-01-02,8,\"good\nr3,2020-01-03,7,bad\nr4,2020-01-04,7,\"fine\"\n"), swallowed, 1),
        ("responses", &notes("r2,2020-01-02,8,\"good\nr3,2020-01-03,7,\"\n"), swallowed, 1),
        ("responses", &notes("\"r2,2020-01-02,8,good\n\"r3\",2020-01-03,7,bad\n"), without_quote, 1),
        // A row ends with a carriage return alone.
        ("responses", &notes("r2,2020-01-02,8,\"good\nr3,2020-01-03,7,bad\rr4,2020-01-04,6,\"\n"), swallowed, 1),
        // Users are told by their ids.
        ("users", users, of_user, 0),
    ];
    for (kind, table, reason, records) in rows {
        let imported = import(kind, table);
        let reasons = &imported.rejects;
        let is_told = reasons.iter().any(|found| found.starts_with(reason));
        assert!(is_told, "{table}: {reasons:?}");
        let found = imported.responses.len() + imported.users.len();
        assert_eq!(found, records, "{table}");
        // The header, and every row that is not imported.
        let mut lines = table.lines();
        let kept = lines.next().into_iter().chain(lines.skip(records));
        let rejected: String = kept.flat_map(|line| [line, "\n"]).collect();
        assert_eq!(imported.rejected(), rejected, "{table}");
    }
    for (table, reason) in [
        // The file ends within quotes, which begin on the first or on a later line of the row.
        (
            &*notes("r2,2020-01-02,8,\"good\nr3,2020-01-03,7,bad\n"),
            "line 3 is not closed",
        ),
        (
            "id,created,rating,traits.a,traits.b\nr1,2020-01-01,9,\"one\ntwo\",\"open\nr2\n",
            "line 3 is not closed",
        ),
    ] {
        let error = import("responses", table).error.unwrap();
        assert!(error.contains(reason), "{error}");
    }
    let carriage_returns = notes("r2,2020-01-02,8,x\n").replace('\n', "\r");
    assert_eq!(import("responses", carriage_returns).whole().displays(), 2);
}

#[test]
fn a_cell_of_several_lines_is_suspicious_if_one_of_them_looks_like_a_row() {
    let row = Some((0, 1, "reads as a row"));
    let without_quote = Some((0, 0, "reads as a row without its quote"));
    let goes_on = Some((0, 1, "goes on behind the closing quote"));
    #[rustfmt::skip]
    let rows = [
        ("r1,\"good,7,2020-01-01\nr2,bad,7,2020-01-02\nr3,\"fine\",7,2020-01-03\n", row),
        ("r1,\"good,7,2020-01-01\r\nr2,bad,7,2020-01-02\r\nr3,x\",7,2020-01-03\r\n", row),
        ("\"r1,good,7,2020-01-01\nr2,bad,7,2020-01-02\n\",x,7,2020-01-03\n", row),
        ("r1,\"a\nb\",7,\"2020-01-01\nr2,bad,7,2020-01-02\n\"\n", Some((1, 2, "reads as a row"))),
        ("r1,\"good,7,2020-01-01\nrest\",7,2020-01-02\n", without_quote),
        // The quote that closes the cell opens another.
        ("r1,\"good,7,2020-01-01\nr2,\"bad,7,2020-01-02\n", without_quote),
        ("r1,\"two\nlines\" and more,7,2020-01-01\n", goes_on),
        ("r1,good,7,2020-01-01\n", None),
        ("r1,\"good, and \"\"quoted\"\"\",7,2020-01-01\n", None),
        ("r1,\"two\nlines\",7,2020-01-01\n", None),
        ("r1,\"two\r\nlines\",7,2020-01-01\r\n", None),
        ("r1,\"\n2020-01-02\n,,,\n\",7,2020-01-01\n", None),
        // As many cells as a row, but no date.
        ("r1,\"a\nr2,bad,7,soon\nb\",7,2020-01-01\n", None),
    ];
    for (row, suspicious) in rows {
        let imported = import("responses", format!("id,traits.note,rating,created\n{row}"));
        let reason = suspicious.map(|(opened, line, what)| {
            let [opened, line] = [2 + opened, 2 + line];
            format!(
                "file:2: the quoted cell that begins on line {opened} contains line {line}, which {what}: \
                 a quote may be missing"
            )
        });
        assert_eq!(imported.rejects, Vec::from_iter(reason), "{row}");
    }
}

#[test]
fn other_cells_of_several_lines_are_imported() {
    for (table, rows) in [
        (
            "traits.first,created,rating,traits.last\n\
             \"two\nlines\",2020-01-01,9,\"and \"\"quoted\"\",\n2020-01-02\n,,,\"\n\
             \"a, b\n\",2020-01-02,8,x\n\
             plain,2020-01-03,7,\"\n2020-01-03,7\"\n",
            3,
        ),
        // Not the first line of the row: the cell before it has two.
        (
            "traits.first,traits.last,created,rating\n\
             \"two\nlines\",\"one,2020-01-02,9\nmore\",2020-01-01,9\n",
            1,
        ),
    ] {
        assert_eq!(
            import("responses", table).whole().displays(),
            rows,
            "{table}"
        );
    }
}

#[test]
fn no_row_of_a_table_with_stray_quotes_vanishes() {
    // Two stray quotes in each pair of columns, in rows at most two lines apart.
    const COLUMNS: usize = 4;
    for case in 0..COLUMNS * COLUMNS * 2 {
        let first = case % COLUMNS;
        let second = case / COLUMNS % COLUMNS;
        let gap = case / COLUMNS / COLUMNS + 1;
        let mut table = String::from("id,traits.comment,rating,created\n");
        for n in 0..5 {
            let [id, remark] = [format!("row-{n}"), format!("remark {n}")];
            let mut cells = [id, remark, n.to_string(), format!("2020-01-0{}", n + 1)];
            for (row, column) in [(1, first), (1 + gap, second)] {
                if n == row {
                    cells[column].insert(0, '"');
                }
            }
            table += &(cells.join(",") + "\n");
        }
        let imported = import("responses", &table);
        let read = imported.responses.concat();
        let rejected = imported.rejected();
        let has_vanished = |n: &usize| {
            !read.contains(&format!("#row-{n}\"")) && !rejected.contains(&format!("row-{n}"))
        };
        // What follows a quote that is not closed is not read, and the error says so.
        let is_told = imported.error.is_some();
        assert_eq!(
            (0..5).find(|n| !is_told && has_vanished(n)),
            None,
            "{table}"
        );
    }
}

#[test]
fn a_cell_of_many_lines_is_checked_in_a_few_times_the_time_that_reading_it_takes() {
    // Each line has as many cells as the header, and none that makes it look like a row.
    let time = |line: &str| {
        let table = format!("{NOTES}r1,2020-01-01,9,\"{}\"\n", line.repeat(40_000));
        let started = Instant::now();
        assert_eq!(import("responses", &table).whole().displays(), 1);
        started.elapsed()
    };
    let read = time("a b c d\n");
    let checked = time("a,b,c,d\n");
    assert!(checked < 20 * read, "{checked:?}, {read:?}");
}

#[test]
fn a_long_cell_before_one_of_many_lines_is_not_read_again_for_each_of_them() {
    let time = |lines: usize| {
        let table = format!(
            "id,created,rating,first,second\nr1,2020-01-01,9,{},\"{}\"\n",
            "text ".repeat(60_000),
            "line\n".repeat(lines)
        );
        let started = Instant::now();
        assert_eq!(import("responses", &table).whole().displays(), 1);
        started.elapsed()
    };
    let one = time(1);
    let many = time(20_000);
    assert!(many < 5 * one, "{many:?}, {one:?}");
}
