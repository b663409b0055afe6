//! `feedback import`: quotes that are missing in CSV.

use crate::operator::Operator;
use crate::process::{failed, imported, succeeded};

#[test]
fn a_file_that_ends_within_quotes_rejects_the_row_and_imports_those_before() {
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "id,created,rating,traits.note\nr1,2020-01-01,9,fine\nr2,2020-01-02,8,\"good\nr3,2020-01-03,7,bad\n",
    );
    let output = operator.run("import responses survey.csv --project acme --rejects bad.csv");
    let errors = failed(&output, 2);
    assert!(
        errors.contains("survey.csv:3: the quoted cell that begins on line 3 is not closed before the end of the file"),
        "{errors}"
    );
    assert_eq!(operator.figures("")["displays"], 1);
    assert_eq!(
        std::fs::read_to_string(operator.path("bad.csv")).unwrap(),
        "id,created,rating,traits.note\nr2,2020-01-02,8,\"good\nr3,2020-01-03,7,bad\n"
    );
}

#[test]
fn the_line_on_which_an_open_cell_begins_is_named_within_a_row_of_several_lines() {
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "id,created,rating,traits.a,traits.b\nr1,2020-01-01,9,\"one\ntwo\",\"open\nr2\n",
    );
    let errors = failed(
        &operator.run("import responses survey.csv --project acme"),
        2,
    );
    assert!(
        errors.contains("survey.csv:2: the quoted cell that begins on line 3 is not closed"),
        "{errors}"
    );
    operator.file("header.csv", "id,created,\"rating\nr1,2020-01-01,9\n");
    let errors = failed(
        &operator.run("import responses header.csv --project acme"),
        1,
    );
    assert!(errors.contains("line 1 is not closed"), "{errors}");
}

#[test]
fn a_cell_that_swallowed_rows_is_rejected_unless_such_cells_are_accepted() {
    for (name, rows) in [
        (
            "closed by a quote within a row",
            "r2,2020-01-02,8,\"good\nr3,2020-01-03,7,bad\nr4,2020-01-04,7,\"fine\"\n",
        ),
        (
            "closed by a quote at the end of a row",
            "r2,2020-01-02,8,\"good\nr3,2020-01-03,7,\"\n",
        ),
        (
            "opened in the first cell and closed by the next row",
            "\"r2,2020-01-02,8,good\n\"r3\",2020-01-03,7,bad\n",
        ),
        (
            "with rows that end with carriage returns alone",
            "r2,2020-01-02,8,\"good\nr3,2020-01-03,7,bad\rr4,2020-01-04,6,\"\n",
        ),
    ] {
        let operator = Operator::new();
        let table = format!("id,created,rating,traits.note\nr1,2020-01-01,9,fine\n{rows}");
        operator.file("survey.csv", &table);
        let output = operator.run("import responses survey.csv --project acme --rejects bad.csv");
        let errors = failed(&output, 2);
        assert!(
            errors.contains("survey.csv:3: the quoted cell that begins on line 3 contains line 4, which looks like a row"),
            "{name}: {errors}"
        );
        let rejects = std::fs::read_to_string(operator.path("bad.csv")).unwrap();
        assert_eq!(
            rejects.matches("2020-01-03").count(),
            1,
            "{name}: {rejects}"
        );
    }
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "created,rating,traits.note\n2020-01-01,9,\"pasted:\n2020-01-02,8,x\n\"\n",
    );
    succeeded(&operator.run("import responses survey.csv --project acme --multiline"));
    assert_eq!(operator.figures("")["displays"], 1);
}

#[test]
fn other_cells_of_several_lines_are_imported() {
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "traits.first,created,rating,traits.last\n\
         \"two\nlines\",2020-01-01,9,\"and \"\"quoted\"\",\n2020-01-02\n,,,\"\n\
         \"a, b\n\",2020-01-02,8,x\n\
         plain,2020-01-03,7,\"\n2020-01-03,7\"\n",
    );
    assert_eq!(
        imported(&operator.run("import responses survey.csv --project acme")),
        "responses: 3 written, 0 unchanged, 0 rejected\n"
    );
    let filter = " --filter first=eq:plain";
    assert_eq!(operator.figures(filter)["displays"], 1);
    // Not the first line of the row: the cell before it has two.
    operator.file(
        "lines.csv",
        "traits.first,traits.last,created,rating\n\
         \"two\nlines\",\"one,2020-01-02,9\nmore\",2020-01-01,9\n",
    );
    assert_eq!(
        imported(&operator.run("import responses lines.csv --project acme")),
        "responses: 1 written, 0 unchanged, 0 rejected\n"
    );
}

#[test]
fn a_table_of_users_is_checked_for_swallowed_rows_by_its_user_ids() {
    let operator = Operator::new();
    operator.file("users.csv", "userId,name\nu1,\"One\nu2,Two\nu3,\"Three\"\n");
    let errors = failed(&operator.run("import users users.csv --project acme"), 2);
    assert!(
        errors.contains("users.csv:2: the quoted cell that begins on line 2 contains line 3"),
        "{errors}"
    );
}

#[test]
fn rows_that_merge_in_pairs_into_rows_of_the_right_width_are_rejected() {
    let operator = Operator::new();
    let row = |n: usize| format!("{n},\"remark {n},{n},2020-01-0{}\n", n + 1);
    let rows: String = (0..6).map(row).collect();
    operator.file(
        "pairs.csv",
        format!("id,traits.comment,rating,created\n{rows}"),
    );
    let output = operator.run("import responses pairs.csv --project acme --rejects bad.csv");
    failed(&output, 2);
    assert_eq!(operator.figures("")["displays"], 0);
    let rejects = std::fs::read_to_string(operator.path("bad.csv")).unwrap();
    assert!(rejects.ends_with(&rows), "{rejects}");
}

#[test]
fn no_row_of_a_table_with_stray_quotes_vanishes() {
    // Two stray quotes in each pair of columns, in rows at most two lines apart.
    const COLUMNS: usize = 4;
    let id = |case, n| format!("table-{case:02}-{n}");
    let operator = Operator::new();
    let mut tables = Vec::new();
    for case in 0..COLUMNS * COLUMNS * 2 {
        let (first, second, gap) = (
            case % COLUMNS,
            case / COLUMNS % COLUMNS,
            case / COLUMNS / COLUMNS + 1,
        );
        let mut table = String::from("id,traits.comment,rating,created\n");
        for n in 0..5 {
            let mut cells = [
                id(case, n),
                format!("remark {n}"),
                n.to_string(),
                format!("2020-01-0{}", n + 1),
            ];
            for (row, column) in [(1, first), (1 + gap, second)] {
                if n == row {
                    cells[column].insert(0, '"');
                }
            }
            table += &(cells.join(",") + "\n");
        }
        operator.file(&format!("{case}.csv"), &table);
        tables.push(table);
    }
    let files: Vec<_> = (0..tables.len())
        .map(|case| format!("{case}.csv"))
        .collect();
    let files = files.join(" ");
    let import = format!("import responses {files} --project acme --rejects bad.csv");
    failed(&operator.run(&import), 2);
    let rejected = std::fs::read_to_string(operator.path("bad.csv")).unwrap();
    let imported = operator.export("responses").join("\n");
    let has_vanished =
        |id: &str| !imported.contains(&format!("\"id\":\"{id}\"")) && !rejected.contains(id);
    let vanished = tables.iter().enumerate();
    let vanished = vanished.filter(|(case, _)| (0..5).any(|n| has_vanished(&id(*case, n))));
    let vanished: Vec<_> = vanished.map(|(_, table)| table).collect();
    assert_eq!(vanished, [""; 0]);
}

#[test]
fn a_table_whose_lines_end_with_carriage_returns_alone_is_refused() {
    let operator = Operator::new();
    operator.file("mac.csv", "id,created,rating\rr1,2020-01-01,9\r");
    let errors = failed(&operator.run("import responses mac.csv --project acme"), 1);
    assert!(errors.contains("carriage returns alone"), "{errors}");
}

#[test]
fn the_header_of_rejected_rows_keeps_an_empty_last_column() {
    let operator = Operator::new();
    operator.file(
        "survey.tsv",
        "id\tcreated\trating\t\r\nr1\t2020-01-01\t99\tx\r\n",
    );
    failed(
        &operator.run("import responses survey.tsv --project acme --rejects bad.tsv"),
        2,
    );
    let rejects = std::fs::read_to_string(operator.path("bad.tsv")).unwrap();
    operator.file("bad.tsv", rejects.replace("99", "9"));
    succeeded(&operator.run("import responses bad.tsv --project acme"));
    assert_eq!(operator.figures("")["responses"], 1);
}
