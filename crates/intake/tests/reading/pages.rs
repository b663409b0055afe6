//! Pages of a list, as APIs return them.

use std::ops::RangeInclusive;

use serde_json::Value;

use crate::import::{import, import_files};

/// Two pages of made-up records: 30 of the campaign `nps-2026`, and 10 of another.
const PAGES: [&str; 2] = [
    include_str!("../../../cli/tests/program/satismeter/page-1.json"),
    include_str!("../../../cli/tests/program/satismeter/page-2.json"),
];

/// Imports the campaign from these files.
const CAMPAIGN: &str =
    "responses --where campaign=nps-2026 --map rating=answers.5f2a9c01d4b8e70012ab34c1 --dry-run";

/// Returns a page of displays with these ids.
fn page(ids: &[&str], end: &str) -> String {
    let record = |id| format!(r#"{{"id":"{id}","created":"2020-01-01","rating":9}}"#);
    let records: Vec<_> = ids.iter().map(record).collect();
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
        let page: Value = serde_json::from_str(page).unwrap();
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
        let names = ["page-1.json", "page-2.json"].into_iter().zip(files);
        let files: Vec<_> = names.map(|(name, file)| (name, file.as_bytes())).collect();
        let imported = import_files(CAMPAIGN, &files).whole();
        let rated = |ratings: RangeInclusive<u64>| {
            let rating = |text: &String| {
                let record: Value = serde_json::from_str(text).unwrap();
                record["rating"].as_u64()
            };
            let given = imported.responses.iter().filter_map(rating);
            given.filter(|rating| ratings.contains(rating)).count()
        };
        let dismissed = imported
            .responses
            .iter()
            .filter(|it| it.contains(r#""dismissed":true"#));
        let outcomes = [
            rated(0..=10),
            dismissed.count(),
            rated(9..=10),
            rated(0..=6),
        ];
        let report = imported.report;
        assert_eq!(
            (report.summary.records, report.skipped, outcomes),
            (30, 10, [25, 5, 6, 11])
        );
        assert!(report.is_complete);
    }
}

#[test]
fn kept_members_are_traits_of_the_response_and_never_of_its_user() {
    let keep = format!("{CAMPAIGN} --keep campaign,method,location.country");
    let imported = import(&keep, PAGES.concat()).whole();
    let with = |part: &str| {
        imported
            .responses
            .iter()
            .filter(|text| text.contains(part))
            .count()
    };
    assert_eq!(with(r#""survey.campaign":"nps-2026""#), 30);
    let countries =
        ["CZ", "DE", "US"].map(|at| with(&format!(r#""survey.location.country":"{at}""#)));
    assert_eq!(countries.iter().sum::<usize>(), 30);
    assert!(!imported.users.concat().contains("survey.") && !imported.users.is_empty());
}

#[test]
fn without_a_last_page_everything_is_imported_and_a_page_is_said_to_be_missing() {
    let of = |ends: &[&str]| page(&["a", "b"], &ends.concat());
    let odd = |page: &str| of(&[&format!(r#","page":{page}"#)]);
    let rows = [
        (vec![of(&[&next("c1")])], 1),
        (vec![of(&[&next("c1")]), of(&[&next("c2")])], 2),
        (vec![format!("{}\n{}", of(&[&next("c1")]), of(&[]))], 1),
        (vec![odd(r#"{"hasNextPage":"false"}"#)], 1),
        (vec![of(&[&next("c1"), LAST])], 1),
        (vec![of(&[LAST, LAST])], 1),
        (
            vec![odd(r#"{"hasNextPage":false,"nextPageCursor":"c1"}"#)],
            1,
        ),
        (vec![odd(r#"{"hasNextPage":false,"nextPageCursor":12}"#)], 1),
        (vec![odd(r#"{"hasNextPage":0}"#)], 1),
    ];
    for cursor in ["null", "\"\""] {
        let last = odd(&format!(
            r#"{{"hasNextPage":false,"nextPageCursor":{cursor}}}"#
        ));
        assert!(import("responses", last).whole().report.is_complete);
    }
    // These say nothing of other pages.
    for whole in [of(&[]), odd(r#"{"hasNextPage":null}"#), odd("2")] {
        assert!(import("responses", whole).whole().report.is_complete);
    }
    for (pages, count) in rows {
        let named = ["0.json", "1.json"].into_iter().zip(&pages);
        let files: Vec<_> = named.map(|(name, page)| (name, page.as_bytes())).collect();
        let imported = import_files("responses", &files).whole();
        assert_eq!(
            (imported.displays(), imported.report.is_complete),
            (2, false)
        );
        let told = format!("none of those that were read ({count}) is the last");
        let [line] = &imported.told[..] else {
            panic!("{:?}", imported.told)
        };
        assert!(
            line.starts_with("a page is missing") && line.contains(&told),
            "{line}"
        );
    }
}

#[test]
fn an_object_that_is_no_page_ends_the_import_after_the_pages_before_it() {
    for other in [
        r#"{"errors":[{"status":"401"}]}"#,
        r#"{"id":"x","created":"2020-01-01","rating":9}"#,
        r#"{"data":{}}"#,
        "<html>",
    ] {
        let imported = import("responses", format!("{}\n{other}\n", page(&["a"], LAST)));
        let error = imported.error.unwrap();
        assert!(error.contains("on line 2"), "{other}: {error}");
        assert_eq!(imported.responses.len(), 1);
    }
}

#[test]
fn a_document_with_two_lists_of_records_is_refused_by_the_names_of_both() {
    let list = |id| format!(r#"[{{"id":"{id}","userId":"{id}","created":"2020-01-01"}}]"#);
    let [one, other] = ["a", "b"].map(list);
    for (options, list) in [("responses", "responses"), ("users", "users")] {
        let documents = [
            format!(r#"{{"data":{one},"{list}":{other}}}"#),
            format!(r#"{{"{list}":{one},"data": {other}}}"#),
            format!(r#"[{{"data":{one}}},{{"data":{one},"{list}":{other}}}]"#),
            format!(r#"{{"data":{one}}}{{"{list}":{other},"data":{one}}}"#),
        ];
        for document in documents {
            let error = import(options, &document).error.unwrap();
            let is_named = [list, "data"].map(|name| error.contains(&format!("{name:?}")));
            assert_eq!(is_named, [true, true], "{document}: {error}");
        }
        // What is no list of records is lost by nobody.
        for other in ["[]", "{}", "3", r#"["x"]"#] {
            let document = format!(r#"{{"data":{other},"{list}":{one}}}"#);
            assert_eq!(import(options, &document).error, None, "{document}");
        }
    }
}

#[test]
fn rejected_records_of_pages_are_bare_and_can_be_imported_with_the_same_options() {
    let answered = |id: &str, value: &str| {
        let answers = format!(r#"[{{"id":"q.1","value":{value}}}]"#);
        format!(r#"{{"id":"{id}","created":"2020-01-01","campaign":"c","answers":{answers}}}"#)
    };
    let [good, high, text] =
        [("a", "9"), ("b", "11"), ("c", "\"often\"")].map(|(id, value)| answered(id, value));
    let page = format!("{{\"data\":[{good},\n{high},\n{text}]{LAST}}}");
    let options = "responses --map rating=answers.q.1 --where campaign=c --keep campaign";
    let imported = import(options, page);
    let range = "rating must be a whole number from 0 to 10, got";
    let reasons = [
        format!("file:2: {range} \"11\""),
        format!("file:3: {range} \"often\""),
    ];
    assert_eq!(imported.rejects, reasons);
    assert_eq!(imported.rejected(), format!("{high}\n{text}\n"));
    let corrected = imported
        .rejected()
        .replace("11", "10")
        .replace("\"often\"", "0");
    let corrected = import(options, corrected).whole();
    assert_eq!(
        corrected.told,
        ["file: members that are not imported: \"answers\" in part (2)"]
    );
    let kept = corrected
        .responses
        .concat()
        .matches(r#""traits":{"survey.campaign":"c"}"#)
        .count();
    assert_eq!((corrected.responses.len(), kept), (2, 2));
}

#[test]
fn a_list_of_objects_makes_a_document_wherever_other_members_stand() {
    let records = r#"[{"id":"a","created":"2020-01-01","rating":9},{"id":"b","created":"2020-01-01","rating":3}]"#;
    let created = r#""created":"2026-01-05""#;
    let end = r#""page":{"hasNextPage":false}"#;
    for document in [
        format!(r#"{{"data":{records},{created},{end}}}"#),
        format!(r#"{{{created},{end},"data": {records}}}"#),
        format!(r#"{{"id":"export",{created},"responses":{records}}}"#),
    ] {
        let imported = import("responses", &document).whole();
        let stored = imported.responses.concat();
        let found = [r#""rating":9"#, r#""rating":3"#].map(|rating| stored.matches(rating).count());
        assert_eq!(found, [1, 1], "{document}: {stored}");
        assert_eq!(imported.responses.len(), 2, "{document}");
    }
    let list = r#"[{"id":"a"}]"#;
    for (options, record) in [
        (
            "responses",
            format!(r#"{{{created},"data":{list},"rating":9}}"#),
        ),
        (
            "responses",
            format!(r#"{{{created},"responses":{list},"dismissed":false}}"#),
        ),
        (
            "responses",
            format!(r#"{{{created},"data":{list},"answers":[]}}"#),
        ),
        (
            "responses",
            format!(r#"{{{created},"users":{list},"user":{{}}}}"#),
        ),
        (
            "responses --map id=key",
            format!(r#"{{"data":{list},{created},"key":"k"}}"#),
        ),
        // Not of objects.
        ("responses", format!(r#"{{{created},"data":["a"]}}"#)),
        ("responses", format!(r#"{{{created},"responses":[1]}}"#)),
        ("responses", format!(r#"{{{created},"data":[]}}"#)),
    ] {
        // A file of displays alone is refused.
        let rated = r#"{"created":"2026-01-06","rating":9,"key":"z"}"#;
        let imported = import(options, format!("{record}\n{rated}")).whole();
        assert_eq!(imported.responses.len(), 2, "{record}");
    }
}
