//! `feedback import --map` of JSON: fields at paths, and ratings that are answers. A rating is never guessed.

use std::fmt::Write as _;

use crate::operator::Operator;
use crate::process::{counts, failed, imported, stderr, succeeded};

/// Returns a record with these members.
fn record(id: &str, members: &str) -> String {
    format!("{{\"id\":\"{id}\",\"created\":\"2020-01-01\",{members}}}\n")
}

/// Returns a record with these answers.
fn answered(id: &str, answers: &[(&str, &str)]) -> String {
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
            record("r", r#""rating":9,"answers":[{"id":"c","value":3}]"#),
            Err(none),
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
fn answers_in_another_list_are_answers_too() {
    let operator = Operator::new();
    let nested = |id: &str| {
        record(
            "r",
            &format!(r#""survey":{{"items":[{{"id":"{id}","value":9}}]}}"#),
        )
    };
    operator.file(
        "all",
        [nested("q").replace("\"r\"", "\"s\""), nested("c")].concat(),
    );
    let output = operator.run("import responses all --project acme --map rating=survey.items.q");
    let errors = failed(&output, 2);
    assert!(
        errors.contains("all:2: it has answers, but no rating"),
        "{errors}"
    );
    assert_eq!(
        counts(&output),
        "responses: 1 written, 0 unchanged, 1 rejected\n"
    );
}

#[test]
fn fields_are_read_from_paths_and_a_whole_name_precedes_a_path() {
    let operator = Operator::new();
    operator.file(
        "all",
        r#"{"key":{"id":7},"at":"2020-01-01","a.b":1,"a":{"b":2,"b.c":3},"x":{"y.z":{"w":4}},
            "person":{"mail":"j@x"},"rating":9,"user":{"userId":"007","email":"old@x"}}"#
            .replace('\n', ""),
    );
    let map = "--map id=key.id --map created=at --map traits.whole=a.b --map traits.dots=a.b.c \
               --map traits.longest=x.y.z.w --map email=person.mail";
    let output = operator.run(&format!("import responses all --project acme {map}"));
    let told = stderr(&output);
    imported(&output);
    let ignored = r#""a" in part (1), "key" in part (1), "person" in part (1), "user.email" (1), "x" in part (1)"#;
    assert!(told.contains(ignored), "{told}");
    let export = operator.export("responses").concat();
    assert!(
        export.contains(r#""id":"7","created":"2020-01-01T00:00:00.000Z""#)
            && export.contains(r#""traits":{"dots":3,"longest":4,"whole":1}"#),
        "{export}"
    );
    assert_eq!(operator.users()[0]["email"], "j@x");
}

#[test]
fn users_are_read_from_paths() {
    let operator = Operator::new();
    operator.file(
        "users",
        r#"{"key":"007","profile":{"mail":"j@x","plan":"pro"},"traits":{"n":1}}"#,
    );
    let map = "--map userId=key --map email=profile.mail --map traits.plan=profile.plan";
    imported(&operator.run(&format!("import users users --project acme {map}")));
    let user = &operator.users()[0];
    assert_eq!([&user["userId"], &user["email"]], ["007", "j@x"]);
    assert_eq!(user["traits"], serde_json::json!({"n": 1, "plan": "pro"}));
}

#[test]
fn a_path_that_is_absent_from_the_first_megabyte_is_an_error_before_anything_is_written() {
    let operator = Operator::new();
    let note = "x".repeat(1000);
    let mut many = String::new();
    for n in 0..4000 {
        let late = if n > 3000 { r#","late":1"# } else { "" };
        let members = format!(r#""rating":9,"note":"{note}"{late}"#);
        many += &record(&format!("r{n}"), &members);
    }
    operator.file("many", &many);
    operator.file("few", record("a", r#""rating":9"#));
    operator.file(
        "pages",
        format!(r#"{{"data":[{}]}}"#, record("a", r#""rating":9"#)),
    );
    for (file, path) in [
        ("many", "traits.n=late"),
        ("few", "name=user.nick"),
        ("few few", "rating=answers.q"),
        ("pages", "traits.n=a.b"),
    ] {
        let line = format!("import responses {file} --project acme --map {path} --rejects bad");
        let output = operator.run(&line);
        let errors = failed(&output, 1);
        let (_, path) = path.split_once('=').unwrap();
        let error = format!("no record at the beginning of the input has {path:?} (--map)\n");
        assert!(errors.ends_with(&error), "{errors}");
        assert!(!operator.path("bad").exists(), "nothing was rejected");
        let counts = "responses: 0 written, 0 unchanged, 0 rejected\n";
        assert_eq!(String::from_utf8(output.stdout).unwrap(), counts);
    }
    assert_eq!(operator.figures("")["displays"], 0);
}

#[test]
fn a_question_that_is_absent_from_the_first_megabyte_is_a_warning_and_a_failure_if_it_never_comes()
{
    let operator = Operator::new();
    let note = "x".repeat(1000);
    let mut lines = String::new();
    for n in 0..1100 {
        writeln!(
            lines,
            "{}",
            record(
                &format!("r{n}"),
                &format!(r#""answers":[],"note":"{note}""#)
            )
            .trim()
        )
        .unwrap();
    }
    operator.file("never", &lines);
    operator.file("late", lines + &answered("last", &[("q", "9")]));
    operator.file("few", answered("r", &[]));
    let warning = "no record so far has \"answers.q\" (--map)\n";
    let failure = "no record has \"answers.q\" (--map)\n";
    for (file, code, told) in [
        ("late", 0, [true, false]),
        ("never", 2, [true, true]),
        ("few", 2, [false, true]),
    ] {
        let line = format!("import responses {file} --project acme --map rating=answers.q");
        let output = operator.run(&line);
        assert_eq!(output.status.code(), Some(code), "{file}");
        let errors = stderr(&output);
        assert_eq!(
            [warning, failure].map(|line| errors.contains(line)),
            told,
            "{errors}"
        );
    }
    assert_eq!(operator.figures("")["responses"], 1);
}
