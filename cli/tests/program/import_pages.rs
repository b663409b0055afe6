//! `feedback import`: pages of a list, as APIs return them.

use crate::operator::Operator;
use crate::process::{counts, failed, imported, stderr, succeeded};

/// Two pages of made-up records: 30 of the campaign `nps-2026`, and 10 of another.
pub(crate) const PAGES: [&str; 2] = [
    include_str!("satismeter/page-1.json"),
    include_str!("satismeter/page-2.json"),
];

/// The options that import the campaign.
pub(crate) const OPTIONS: &str =
    "--project acme --campaign nps-2026 --map rating=answers.5f2a9c01d4b8e70012ab34c1";

/// Returns a page of displays with these ids.
fn page(ids: &[&str], end: &str) -> String {
    let records: Vec<_> = ids
        .iter()
        .map(|id| format!(r#"{{"id":"{id}","created":"2020-01-01","rating":9}}"#))
        .collect();
    format!(r#"{{"data":[{}]{end}}}"#, records.join(","))
}

const LAST: &str = r#","page":{"hasNextPage":false}"#;

/// Returns the end of a page that leads to another.
fn next(cursor: &str) -> String {
    format!(r#","page":{{"hasNextPage":true,"nextPageCursor":"{cursor}"}}"#)
}

#[test]
fn pages_are_imported_from_files_of_their_own_one_after_another_or_in_an_array() {
    let [first, second] = PAGES.map(str::trim);
    let pretty = |page| -> String {
        let page: serde_json::Value = serde_json::from_str(page).unwrap();
        serde_json::to_string_pretty(&page).unwrap()
    };
    for files in [
        &[first.to_owned(), second.to_owned()][..],
        &[second.to_owned(), first.to_owned()],
        &[format!("{first}\n{second}\n")],
        &[format!("{first}{second}")],
        &[format!("{}\n{}", pretty(first), pretty(second))],
        &[format!("[{first},\n {second}]")],
        &[format!("[{second}]"), first.to_owned()],
    ] {
        let operator = Operator::new();
        let names: Vec<_> = (0..files.len()).map(|n| format!("page-{n}.json")).collect();
        for (name, content) in names.iter().zip(files) {
            operator.file(name, content);
        }
        let output = operator.run(&format!("import responses {} {OPTIONS}", names.join(" ")));
        assert_eq!(
            imported(&output),
            "responses: 30 written, 0 unchanged, 0 rejected, 10 skipped\n"
        );
        let figures = operator.figures("");
        let found = [
            "displays",
            "responses",
            "dismissed",
            "promoters",
            "detractors",
        ];
        assert_eq!(
            found.map(|name| figures[name].as_u64().unwrap()),
            [30, 25, 5, 6, 11]
        );
    }
}

#[test]
fn without_a_last_page_everything_is_imported_and_the_last_cursors_are_named() {
    let of = |names: &[&str]| page(&["a", "b"], &names.concat());
    for (pages, told) in [
        (vec![of(&[&next("c1")])], r#""c1" (0.json:1)"#),
        (
            vec![of(&[&next("c1")]), of(&[&next("c2")])],
            r#""c1" (0.json:1), "c2" (1.json:1)"#,
        ),
        (
            vec![format!("{}\n{}", of(&[&next("c1")]), of(&[]))],
            r#""c1" (0.json:1)"#,
        ),
        (vec![of(&[])], "none has a cursor"),
        (
            vec![of(&[r#","page":{"hasNextPage":null}"#])],
            "none has a cursor",
        ),
        (
            vec![of(&[r#","page":{"hasNextPage":"false"}"#])],
            "none has a cursor",
        ),
        (vec![of(&[r#","page":2"#])], "none has a cursor"),
        (vec![of(&[&next("c1"), LAST])], "none has a cursor"),
        (vec![of(&[LAST, LAST])], "none has a cursor"),
        (
            vec![of(&[
                r#","page":{"hasNextPage":false,"nextPageCursor":"c1"}"#,
            ])],
            r#""c1" (0.json:1)"#,
        ),
        (
            vec![of(&[r#","page":{"hasNextPage":true,"nextPageCursor":12}"#])],
            r#""12" (0.json:1)"#,
        ),
        (
            vec![of(&[r#","page":{"hasNextPage":0,"nextPageCursor":"c1"}"#])],
            r#""c1" (0.json:1)"#,
        ),
        (
            vec![of(&[
                r#","page":{"hasNextPage":false,"nextPageCursor":["c1"]}"#,
            ])],
            "none has a cursor",
        ),
    ] {
        let operator = Operator::new();
        let names: Vec<_> = (0..pages.len()).map(|n| format!("{n}.json")).collect();
        for (name, content) in names.iter().zip(&pages) {
            operator.file(name, content);
        }
        let line = format!("import responses {} --project acme", names.join(" "));
        for arguments in [" --dry-run", ""] {
            let errors = failed(&operator.run(&format!("{line}{arguments}")), 2);
            assert!(
                errors.contains("a page is missing") && errors.contains(told),
                "{errors}"
            );
        }
        assert_eq!(operator.figures("")["responses"], 2);
    }
}

#[test]
fn a_last_page_without_a_cursor_is_the_last() {
    for cursor in ["null", "\"\""] {
        let operator = Operator::new();
        let last = format!(r#","page":{{"hasNextPage":false,"nextPageCursor":{cursor}}}"#);
        operator.file("pages", page(&["a"], &last));
        imported(&operator.run("import responses pages --project acme"));
    }
}

#[test]
fn a_list_of_many_pages_names_the_last_three_cursors() {
    let operator = Operator::new();
    let pages: Vec<_> = (0..50)
        .map(|n| page(&["a"], &next(&format!("c{n}"))))
        .collect();
    operator.file("pages", pages.join("\n"));
    let errors = failed(
        &operator.run("import responses pages --project acme --dry-run"),
        2,
    );
    let told = r#"cursors are "c47" (pages:48), "c48" (pages:49), "c49" (pages:50)"#;
    assert!(errors.contains(told), "{errors}");
}

#[test]
fn a_record_on_two_pages_counts_once() {
    let operator = Operator::new();
    let pages = [page(&["a", "b"], &next("c")), page(&["b", "c"], LAST)];
    let bare = r#"{"created":"2020-01-02","rating":3}"#;
    let bare = format!(r#"{{"data":[{bare},{bare}]}}"#);
    operator.file("pages", [pages.concat(), bare.repeat(2)].concat());
    let told = succeeded(&operator.run("import responses pages --project acme --dry-run"));
    assert!(
        told.contains("\nrecords     5\n") && told.contains("\npromoters   3\n"),
        "{told}"
    );
    let output = operator.run("import responses pages --project acme");
    assert_eq!(
        counts(&output),
        "responses: 5 written, 3 unchanged, 0 rejected\n"
    );
    assert_eq!(operator.figures("")["responses"], 5);
}

#[test]
fn an_object_that_is_no_page_ends_the_import_after_the_pages_before_it() {
    let operator = Operator::new();
    let record = r#"{"id":"x","created":"2020-01-01","rating":9}"#;
    for other in [
        r#"{"errors":[{"status":"401"}]}"#,
        record,
        r#"{"data":{}}"#,
        "<html>",
    ] {
        operator.file("pages", format!("{}\n{other}\n", page(&["a"], LAST)));
        let errors = failed(&operator.run("import responses pages --project acme"), 1);
        assert!(errors.contains("on line 2"), "{other}: {errors}");
    }
    assert_eq!(operator.figures("")["responses"], 1);
}

#[test]
fn an_interrupted_import_of_pages_fails_although_records_are_rejected_and_a_page_is_missing() {
    let operator = Operator::new();
    let bad = r#"{"data":[{"id":"x"}],"page":{}}"#;
    operator.file("pages", format!("{bad}{}", &page(&["a", "b"], "")[..60]));
    let output = operator.run("import responses pages --project acme");
    let errors = failed(&output, 1);
    assert!(errors.contains("pages:1: created is missing"), "{errors}");
    assert_eq!(
        counts(&output),
        "responses: 1 written, 0 unchanged, 1 rejected\n"
    );
}

#[test]
fn users_are_imported_from_pages() {
    let operator = Operator::new();
    operator.file(
        "users",
        r#"{"data":[{"userId":"007"},{"userId":"42"}],"page":{"hasNextPage":false}}"#,
    );
    let output = operator.run("import users users --project acme");
    assert_eq!(
        imported(&output),
        "users: 2 written, 0 unchanged, 0 rejected\n"
    );
}

#[test]
fn a_record_with_a_member_called_data_is_a_record() {
    let operator = Operator::new();
    for record in [
        r#"{"id":"a","created":"2020-01-01","data":[]}"#,
        r#"{"id":"b","data":[{"id":"x"}],"created":"2020-01-01","rating":9}"#,
    ] {
        operator.file("records", record);
        let output = operator.run("import responses records --project acme");
        assert_eq!(
            imported(&output),
            "responses: 1 written, 0 unchanged, 0 rejected\n"
        );
    }
}

#[test]
fn rejected_records_of_pages_are_bare_and_can_be_imported_with_the_same_options() {
    let operator = Operator::new();
    let answered = |id: &str, value: &str| {
        let answers = format!(r#"[{{"id":"q.1","value":{value}}}]"#);
        format!(r#"{{"id":"{id}","created":"2020-01-01","campaign":"c","answers":{answers}}}"#)
    };
    let records = [
        answered("a", "9"),
        answered("b", "11"),
        answered("c", "\"often\""),
    ];
    operator.file(
        "pages",
        format!(r#"{{"data":[{}]{LAST}}}"#, records.join(",\n")),
    );
    let options = "--project acme --map rating=answers.q.1 --campaign c --keep campaign";
    let output = operator.run(&format!("import responses pages {options} --rejects bad"));
    let errors = failed(&output, 2);
    assert_eq!(
        errors
            .matches("rating must be a whole number from 0 to 10")
            .count(),
        2
    );
    let bad = std::fs::read_to_string(operator.path("bad")).unwrap();
    assert_eq!(bad, format!("{}\n{}\n", records[1], records[2]));
    operator.file("bad", bad.replace("11", "10").replace("\"often\"", "0"));
    let output = operator.run(&format!("import responses bad {options}"));
    assert_eq!(
        stderr(&output),
        "bad: members that are not imported: \"answers\" in part (2)\n"
    );
    assert_eq!(
        imported(&output),
        "responses: 2 written, 0 unchanged, 0 rejected, 0 skipped\n"
    );
    assert_eq!(
        operator.figures(" --filter survey.campaign=eq:c")["responses"],
        3
    );
}
