//! Quotes that are missing in CSV.

use crate::import::import;
use crate::limits::time_of;

const NOTES: &str = "id,created,rating,traits.note\n";

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
        let lines = line.repeat(40_000);
        time_of(&format!("{NOTES}r1,2020-01-01,9,\"{lines}\"\n"))
    };
    let read = time("a b c d\n");
    let checked = time("a,b,c,d\n");
    assert!(checked < 20 * read, "{checked:?}, {read:?}");
}

#[test]
fn a_long_cell_before_one_of_many_lines_is_not_read_again_for_each_of_them() {
    let time = |lines: usize| {
        let [long, lines] = ["text ".repeat(60_000), "line\n".repeat(lines)];
        let header = "id,created,rating,first,second";
        time_of(&format!("{header}\nr1,2020-01-01,9,{long},\"{lines}\"\n"))
    };
    let one = time(1);
    let many = time(20_000);
    assert!(many < 5 * one, "{many:?}, {one:?}");
}
