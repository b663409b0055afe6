//! What is long, large or cut off.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use rustix::time::{ClockId, clock_gettime};

use crate::import::{import, import_files};

/// Returns a record with these members.
fn line(id: impl std::fmt::Display, members: &str) -> String {
    format!("{{\"id\":\"{id}\",\"created\":\"2020-01-01\"{members}}}\n")
}

/// Returns more records than a megabyte holds.
fn over_a_megabyte(members: &str) -> String {
    let note = "x".repeat(1000);
    let record = |n| line(n, &format!(r#","note":"{note}"{members}"#));
    (0..1100).map(record).collect()
}

#[test]
fn what_is_longer_than_16_mb_ends_the_import_after_the_records_before() {
    let first = r#"{"id":"r1","created":"2020-01-01","rating":9}"#;
    let long = "x".repeat(16 << 20);
    let object = line("long", &format!(r#","note":"{long}""#));
    for (content, [start, end]) in [
        (
            format!("{first}\n{object}"),
            ["file: ", "line 2 is longer than 16 MB"],
        ),
        (
            format!("[{first},{object}]"),
            [
                "file: the record that begins on line 1 is longer than 16 MB",
                "; a quote or bracket may be missing",
            ],
        ),
        (
            format!("id,created,rating\nr1,2020-01-01,9\n\"{long}"),
            [
                "file: the quoted cell that begins on line 3",
                "is not closed within 16 MB",
            ],
        ),
    ] {
        let imported = import("responses", &content);
        let error = imported.error.unwrap();
        assert!(error.starts_with(start) && error.ends_with(end), "{error}");
        assert_eq!(imported.responses.len(), 1, "{error}");
    }
}

/// Gzips without compression, so that what is cut off is known.
pub(crate) fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn what_was_read_of_a_gzipped_file_is_imported() {
    let [first, second] = ["r1", "r3"].map(|id| line(id, r#","rating":9"#));
    let lines = format!("{first}{}", second.trim_end());
    let array = format!("[{},{}]", first.trim_end(), second.trim_end());
    let table = "id,created,rating\nr1,2020-01-01,9\nr3,2020-01-01,10";
    // Behind the content are eight bytes of checksum and length.
    for (content, cut, displays) in [
        (&*lines, 8 + 2, 1),
        (&lines, 8, 2),
        (&array, 8 + 3, 1),
        (&array, 8, 2),
        (table, 8 + 1, 1),
        (table, 8, 1),
        ("", 8, 0),
        (table, 8 + table.len(), 0),
    ] {
        let mut cut_off = gzipped(content.as_bytes());
        cut_off.truncate(cut_off.len() - cut);
        let imported = import("responses", cut_off);
        let error = imported.error.as_deref().unwrap();
        let beginning = "file: cannot read it to its end";
        assert!(error.starts_with(beginning), "{error}");
        assert_eq!(imported.displays(), displays, "{error}");
    }
    for (content, displays) in [(&*lines, 2), (&array, 2), (table, 1)] {
        let padded = [gzipped(content.as_bytes()), vec![0; 512]].concat();
        let imported = import("responses", padded);
        let error = "file: cannot read it to its end: invalid gzip header";
        assert_eq!(imported.error.as_deref(), Some(error));
        assert_eq!(imported.displays(), displays);
    }
}

#[test]
fn a_path_that_is_absent_from_the_first_megabyte_is_an_error_before_anything_is_received() {
    let late = over_a_megabyte(r#","rating":9"#) + &line("last", r#","rating":9,"late":1"#);
    let imported = import("responses --map traits.n=late", late);
    let error = imported.error.unwrap();
    let reason = "no record at its beginning has \"late\" (--map)";
    assert!(error.ends_with(reason), "{error}");
    assert!(imported.responses.is_empty() && imported.rejects.is_empty());
}

#[test]
fn a_question_that_never_comes_is_a_failure_and_one_that_comes_late_is_read() {
    let never = over_a_megabyte(r#","answers":[]"#);
    let answers = r#","answers":[{"id":"q","value":9}]"#;
    let late = format!("{never}{}", line("last", answers));
    let failure = "no record has \"answers.q\" (--map)";
    for (text, is_missing) in [(late, false), (never, true)] {
        let imported = import("responses --map rating=answers.q", text);
        let is_told = imported.told.iter().any(|told| told == failure);
        assert_eq!([is_told, !imported.report.is_complete], [is_missing; 2]);
    }
}

#[test]
fn a_thousand_questions_are_listed_and_further_ones_counted() {
    let answered = |id: usize, question: &str| {
        let answers = format!(r#","answers":[{{"id":"{question}","value":9}}]"#);
        line(id, &answers)
    };
    let short = (0..1200).map(|n| answered(n, &format!("q{n}")));
    let long = answered(1200, &"x".repeat(1 << 10));
    let lines: String = short.chain([long]).collect();
    let notes = import("responses", lines).report.notes;
    let is_listed = |note: &&String| note.contains(": 1 whole number 9;");
    assert_eq!(notes.iter().filter(is_listed).count(), 1000);
    assert_eq!(notes.last().unwrap(), "  other answers: 201");
}

#[test]
fn a_record_or_user_that_would_be_too_large_is_rejected_as_a_whole() {
    // DynamoDB counts three bytes for each of these elements, which take two in the file.
    let ones = vec!["1"; 136_100].join(",");
    let email = "x".repeat(500);
    let user = format!(r#"{{"userId":"007","email":"{email}","traits":{{"a":[{ones}]}}}}"#);
    let of_user = line("a", &format!(r#","rating":9,"user":{user}"#));
    let long = "x".repeat(409_600);
    let record = line(
        "a",
        &format!(r#","rating":9,"user":{{"traits":{{"a":"{long}"}}}}"#),
    );
    for (text, what) in [(&of_user, "user"), (&record, "record")] {
        let imported = import("responses", text);
        let reason = format!("file:1: the {what} must not be larger than 399 KB");
        assert!(imported.rejects[0].starts_with(&reason));
        assert!(imported.responses.is_empty() && imported.users.is_empty());
    }
    let alone = import("responses --no-users", of_user).whole();
    assert_eq!(alone.responses.len(), 1);
}

#[test]
fn twenty_members_that_are_not_imported_are_named_and_the_others_counted() {
    let odd = |n| line(n, &format!(r#","rating":9,"odd{n}":1"#));
    let known = |n| line(1000 + n, r#","feedback":"x""#);
    let many: String = (0..150).map(odd).chain((0..30).map(known)).collect();
    let members: Vec<_> = (0..10_100).map(|n| format!(r#","odd{n}":1"#)).collect();
    let more_than_counted = line("r", &format!(r#","rating":9{}"#, members.concat()));
    let first = "file: members that are not imported: \"feedback\" (30), \"odd0\" (1), ";
    for (text, [start, end]) in [
        (many, [first, ", and others (131)"]),
        (more_than_counted, ["", ", and others (10080)"]),
    ] {
        let told = import("responses", text).whole().told;
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with(start) && told[0].ends_with(end));
    }
}

#[test]
fn a_file_is_refused_once_its_first_megabyte_lacks_an_outcome() {
    let rated = line("rated", r#","rating":9"#);
    let unrated = over_a_megabyte("");
    let late = [&*unrated, &rated].concat();
    let error = import("responses", &late).error.unwrap();
    assert!(error.contains("no record at its beginning has rating"));
    let half = &unrated[..unrated.len() / 1100 * 800];
    let half = &half[..=half.rfind('\n').unwrap()];
    let early = [half, &rated, &unrated].concat();
    let imported = import("responses", &early).whole();
    assert_eq!(imported.responses.len(), early.lines().count());
    // What precedes a file that is refused is imported.
    let files = [("first", rated.as_bytes()), ("second", late.as_bytes())];
    for options in ["responses", "responses --keep campaign"] {
        let imported = import_files(options, &files);
        assert!(imported.error.unwrap().starts_with("second: no record"));
        assert_eq!(imported.responses.len(), 1);
    }
}

/// Imports one display; returns how long that takes a processor, whatever else the machine does.
pub(crate) fn time_of(text: &str) -> Duration {
    let now = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
    let started = now();
    assert_eq!(import("responses", text).whole().displays(), 1);
    now().saturating_sub(started)
}

#[test]
fn a_nested_record_takes_little_longer_than_a_flat_one() {
    let time = |brackets: usize| {
        let value = ["[".repeat(brackets), "]".repeat(brackets)].concat();
        let values = vec![value; 600_000 / brackets].join(",");
        time_of(&format!(
            r#"{{"created":"2020-01-01","rating":9,"x":[{values}]}}"#
        ))
    };
    let flat = time(1);
    let nested = time(100);
    assert!(nested < 8 * flat, "{nested:?}, {flat:?}");
}

#[test]
fn a_path_that_is_no_file_is_refused() {
    let rules = intake::ImportRules::new(intake::RecordKind::Users, "acme".parse().unwrap());
    let folder = std::env::temp_dir();
    for (path, reason) in [
        (folder.join("absent"), "cannot open "),
        (folder, ": it is a directory"),
    ] {
        let error = intake::check(&[path], &rules).unwrap_err();
        assert!(format!("{error:#}").contains(reason));
    }
}

#[test]
fn a_column_that_is_called_a_count_is_named_while_counts_may_follow() {
    let each = "2026-03-01,9,1\n2026-03-02,3,1\n";
    let note =
        "file: if \"count\" counts answers, the figures are wrong: each row is one answer here";
    for (rows, is_said) in [(each.to_owned(), false), (each.repeat(40_000), true)] {
        let text = format!("created,rating,count\n{rows}2026-03-03,9,40\n");
        let (text, _) = text.split_at(if is_said { text.len() } else { 51 });
        let imported = import("responses", text).whole();
        assert_eq!(imported.told.iter().any(|told| told == note), is_said);
    }
}

#[test]
fn a_count_of_what_only_the_beginning_shows_says_so() {
    let rows = "2026-03-01,9,promoter\n2026-03-02,3,passive\n";
    let said = |times: usize| {
        let text = format!("created,rating,kind\n{}", rows.repeat(times));
        import("responses", &text).whole().told.concat()
    };
    assert!(said(2).contains("contradicts ratings (2), such as"));
    assert!(said(40_000).contains(" at the beginning), such as"));
}

#[test]
fn flags_are_read_to_the_end_of_a_file() {
    let row = |flag: &str| format!("2026-03-01,9,{flag}\n");
    let text = [
        "created,rating,finished\n",
        &row("1").repeat(80_000),
        &row("0"),
    ]
    .concat();
    let told = import("responses", &text).whole().told;
    assert!(
        told.concat()
            .contains("rows whose \"finished\" is \"0\" (1) count, too;")
    );
}
