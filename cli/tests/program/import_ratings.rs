//! `feedback import --map` of JSON: ratings that are answers. A rating is never guessed.

use crate::operator::Operator;
use crate::process::{counts, failed, succeeded};

/// Returns a record with these members.
pub(crate) fn record(id: &str, members: &str) -> String {
    format!("{{\"id\":\"{id}\",\"created\":\"2020-01-01\",{members}}}\n")
}

/// Returns a record with these answers.
pub(crate) fn answered(id: &str, answers: &[(&str, &str)]) -> String {
    let answers = answers
        .iter()
        .map(|(id, value)| format!(r#"{{"id":"{id}","value":{value}}}"#));
    let answers: Vec<_> = answers.collect();
    record(id, &format!(r#""answers":[{}]"#, answers.join(",")))
}

#[test]
fn a_record_with_answers_but_no_rating_is_rejected_and_its_questions_are_listed() {
    let operator = Operator::new();
    let mut lines = String::new();
    for (n, (rating, effort)) in [(0, 1), (10, 7), (7, 3)].into_iter().enumerate() {
        let [rating, effort] = [rating, effort].map(|value: u8| value.to_string());
        let comment = if n == 0 { "null" } else { "\"Good\"" };
        lines += &answered(
            &format!("r{n}"),
            &[("5f.2a", &rating), ("c", comment), ("a b", &effort)],
        );
    }
    lines += &answered(
        "mixed",
        &[("m", "true"), ("n", "1.5"), ("o", "[1]"), ("p", "11")],
    );
    lines += &record("other", r#""answers":[7],"dismissed":true"#);
    lines += &record("rated", r#""answers":[{"id":"x","value":1}],"rating":9"#);
    lines += &record("display", r#""answers":[]"#);
    operator.file("all", lines);
    for arguments in [" --dry-run", ""] {
        let output = operator.run(&format!("import responses all --project acme{arguments}"));
        let errors = failed(&output, 2);
        let listed = "5 records have answers but no rating, and a rating is never guessed; their questions are\n  \
            5f.2a: 3 whole numbers 0–10; if it is the rating: --map rating=answers.5f.2a\n  \
            \"a b\": 3 whole numbers 1–7; if it is the rating: --map 'rating=answers.a b'\n  \
            c: 2 texts\n  m: 1 other value\n  n: 1 other number\n  o: 1 other value\n  \
            p: 1 whole number 11\n  other answers: 1\n";
        assert!(errors.contains(listed), "{errors}");
        let reason = "all:1: it has answers, but no rating: name its question with --map\n";
        assert!(errors.starts_with(reason), "{errors}");
    }
    let figures = operator.figures("");
    assert_eq!(
        [&figures["displays"], &figures["responses"]],
        [2, 1],
        "{figures}"
    );
}

#[test]
fn a_thousand_questions_are_listed_and_further_ones_counted() {
    let operator = Operator::new();
    let line = |n: usize| answered(&format!("r{n}"), &[(&format!("q{n}"), "9")]);
    let long = answered("long", &[(&"x".repeat(1 << 10), "9")]);
    operator.file("all", (0..1200).map(line).chain([long]).collect::<String>());
    let errors = failed(
        &operator.run("import responses all --project acme --dry-run"),
        2,
    );
    assert_eq!(errors.matches(": 1 whole number 9;").count(), 1000);
    assert!(errors.ends_with("  other answers: 201\n"));
}

#[test]
fn the_named_question_decides_what_became_of_a_display() {
    let operator = Operator::new();
    let none = "it has answers, but no rating where --map says";
    let range = "rating must be a whole number from 0 to 10";
    let dismissed =
        |answers: &str| record("r", &format!(r#""dismissed":true,"answers":{answers}"#));
    for (line, outcome) in [
        (answered("r", &[("q", "9")]), Ok([1, 0])),
        (
            answered("r", &[("c", "\"Good\""), ("q", "\"9\"")]),
            Ok([1, 0]),
        ),
        (answered("r", &[("q", "0.0")]), Ok([1, 0])),
        (answered("r", &[("q", "null")]), Ok([0, 0])),
        (answered("r", &[]), Ok([0, 0])),
        (record("r", r#""answers":null"#), Ok([0, 0])),
        (record("r", r#""campaign":"c""#), Ok([0, 0])),
        (dismissed("[]"), Ok([0, 1])),
        (dismissed(r#"[{"id":"c","value":"Bad"}]"#), Ok([0, 1])),
        (dismissed(r#"[{"id":"q","value":3}]"#), Ok([1, 0])),
        (answered("r", &[("c", "\"Good\"")]), Err(none)),
        (
            answered("r", &[("c", "\"Good\""), ("q", "null")]),
            Err(none),
        ),
        (answered("r", &[("c", "0")]), Err(none)),
        (
            record(
                "r",
                r#""answers":[{"id":"q","value":null,"comment":"Good"}]"#,
            ),
            Err(none),
        ),
        (
            record("r", r#""answers":[null,{"id":"q","value":10}]"#),
            Ok([1, 0]),
        ),
        (
            record("r", r#""answers":[{"id":"c","choices":["x"]}]"#),
            Err(none),
        ),
        (record("r", r#""answers":{"q":9,"c":1}"#), Ok([1, 0])),
        (record("r", r#""answers":{"c":1}"#), Err(none)),
        (record("r", r#""answers":"9""#), Err(none)),
        (answered("r", &[("q", "11")]), Err(range)),
        (answered("r", &[("q", "-1")]), Err(range)),
        (answered("r", &[("q", "8.5")]), Err(range)),
        (answered("r", &[("q", "true")]), Err(range)),
        (answered("r", &[("q", "\"\"")]), Err(range)),
        (
            answered("r", &[("q", "[9]")]),
            Err("rating must be a string, number or boolean"),
        ),
        (
            answered("r", &[("q", "9"), ("q", "1")]),
            Err("answers has \"q\" twice"),
        ),
        (
            record("r", r#""answers":[{"id":"q"},{"id":"q","value":1}]"#),
            Err("answers has \"q\" twice"),
        ),
    ] {
        // Another record has the question, so that it is not mistaken.
        operator.file("all", format!("{}{line}", answered("first", &[("q", "5")])));
        let output =
            operator.run("import responses all --project acme --map rating=answers.q --dry-run");
        let told = String::from_utf8(output.stdout.clone()).unwrap();
        match outcome {
            Ok([rated, dismissed]) => {
                succeeded(&output);
                let expected = format!(
                    "\nrecords     2\nrated       {}\ndismissed   {dismissed}\npending     {}\n",
                    rated + 1,
                    1 - rated - dismissed
                );
                assert!(told.contains(&expected), "{line}: {told}");
            }
            Err(reason) => {
                let errors = failed(&output, 2);
                assert!(
                    errors.contains(&format!("all:2: {reason}")),
                    "{line}: {errors}"
                );
                assert!(told.contains("\nrecords     1\n"), "{line}: {told}");
            }
        }
    }
}

#[test]
fn a_record_whose_own_rating_the_path_does_not_replace_is_rejected() {
    for (path, line) in [
        ("answers.q", record("r", r#""rating":9"#)),
        (
            "answers.q",
            record("r", r#""rating":9,"answers":[{"id":"c","value":3}]"#),
        ),
        (
            "answers.q",
            record(
                "r",
                r#""dismissed":true,"rating":9,"answers":[{"id":"c","value":"hi"}]"#,
            ),
        ),
        ("rating.value", record("r", r#""rating":9"#)),
        ("score", record("r", r#""rating":9,"score":null"#)),
    ] {
        let operator = Operator::new();
        let first = r#""answers":[{"id":"q","value":3}],"rating":{"value":3},"score":3"#;
        operator.file("all", [record("first", first), line].concat());
        let output = operator.run(&format!(
            "import responses all --project acme --map rating={path}"
        ));
        let errors = failed(&output, 2);
        let reason = "all:2: it has a rating, but none where --map says\n";
        assert!(errors.contains(reason), "{path}: {errors}");
        let figures = operator.figures("");
        assert_eq!([&figures["displays"], &figures["responses"]], [1, 1]);
    }
}

#[test]
fn the_option_is_listed_for_every_question_that_may_ask_for_the_rating() {
    let operator = Operator::new();
    let answers = [("q", "9"), ("control\\u001b", "9"), ("c", "11")];
    operator.file("all", answered("a", &answers));
    for (map, more) in [("", ""), (" --map rating=answers.typo", ""), ("", "mixed")] {
        if !more.is_empty() {
            operator.file(
                "all",
                [answered("a", &answers), answered("b", &[("q", "\"No\"")])].concat(),
            );
        }
        let output = operator.run(&format!(
            "import responses all --project acme --dry-run{map}"
        ));
        let errors = failed(&output, 2);
        assert!(
            errors.contains("; if it is the rating: --map rating=answers.q\n"),
            "{errors}"
        );
        assert_eq!(
            errors.matches("--map rating=answers.").count(),
            1,
            "{errors}"
        );
        let records = if more.is_empty() {
            "1 record has"
        } else {
            "2 records have"
        };
        assert!(errors.contains(&format!("\n{records} answers")), "{errors}");
    }
}

#[test]
fn records_of_one_line_are_reported_once_for_each_reason() {
    let operator = Operator::new();
    let records: Vec<_> = ["a", "b"]
        .map(|id| answered(id, &[("q", "9")]))
        .map(|line| line.trim().to_owned())
        .into();
    operator.file("all", format!("[{}]", records.join(",")));
    let output = operator.run("import responses all --project acme --dry-run");
    assert_eq!(failed(&output, 2).matches("all:1: ").count(), 1);
    assert!(counts(&output).contains("2 rejected"));
}

#[test]
fn after_ten_records_of_one_reason_the_others_are_counted() {
    let operator = Operator::new();
    let rating = |n: usize| record(&format!("r{n}"), &format!("\"rating\":\"{n} \\\"a\\\"\""));
    let bad: String = (0..1015).map(rating).collect();
    operator.file("all", format!("{bad}[]\n{{\"id\":\"x\"}}\n"));
    let output = operator.run("import responses all --project acme --rejects rejected");
    let errors = failed(&output, 2);
    let errors: Vec<_> = errors.lines().collect();
    assert_eq!(
        errors[9..],
        [
            r#"all:10: rating must be a whole number from 0 to 10, got "9 \"a\"""#,
            "all:1016: it is not a JSON object",
            "all:1017: created is missing",
            "… and 1,005 more: rating must be a whole number from 0 to 10, got …",
            "rejected: 1017 rejected",
        ]
    );
    let kept = std::fs::read_to_string(operator.path("rejected")).unwrap();
    assert_eq!(kept.lines().count(), 1017);
}

#[test]
fn the_others_of_one_reason_are_counted_without_numbers_that_differ() {
    let operator = Operator::new();
    let rows = "a\na,\n".repeat(6);
    operator.file("all", format!("id,created,rating\n{rows}"));
    let errors = failed(&operator.run("import responses all --project acme"), 2);
    assert!(
        errors.starts_with("all:2: it has 1 cells where the header has 3\n"),
        "{errors}"
    );
    assert!(
        errors.ends_with("\n… and 2 more: it has … cells where the header has …\n"),
        "{errors}"
    );
}

#[test]
fn answers_elsewhere_are_answers_too_whatever_their_form() {
    for (path, answers) in [
        ("survey.items.q", r#"{"items":[{"id":"c","value":9}]}"#),
        ("survey.items.q", r#"{"items":[["q",9]]}"#),
        (
            "survey.items.q",
            r#"{"items":[null,{"id":"c","value":10}]}"#,
        ),
        ("survey.items.q", r#"{"items":{"q2":10}}"#),
        ("survey.items.q", r#"{"items":{"q":null,"q2":10}}"#),
        ("survey.items.q", r#"{"items":"10"}"#),
        ("survey.q", r#""10""#),
    ] {
        let operator = Operator::new();
        let named = r#""survey":{"q":3,"items":[null,{"id":"q","value":3}]}"#;
        let other = format!(r#""survey":{answers}"#);
        let none = r#""survey":{"q":null,"items":[]}"#;
        let none = if path == "survey.q" {
            r#""survey":null"#
        } else {
            none
        };
        let lines = [
            record("named", named),
            record("other", &other),
            record("none", none),
        ];
        operator.file("all", lines.concat());
        let output = operator.run(&format!(
            "import responses all --project acme --map rating={path}"
        ));
        let errors = failed(&output, 2);
        let reason = "all:2: it has answers, but no rating where --map says\n";
        assert!(errors.contains(reason), "{answers}: {errors}");
        let figures = operator.figures("");
        assert_eq!(
            [&figures["displays"], &figures["responses"]],
            [2, 1],
            "{answers}"
        );
    }
}
