//! Ratings that are answers: a rating is never guessed.

use crate::import::import;

/// Returns a record with these members.
pub(crate) fn line(id: &str, members: &str) -> String {
    format!("{{\"id\":\"{id}\",\"created\":\"2020-01-01\",{members}}}\n")
}

/// Returns a record with these answers.
pub(crate) fn answered(id: &str, answers: &[(&str, &str)]) -> String {
    let answer = |(id, value): &(&str, &str)| format!(r#"{{"id":"{id}","value":{value}}}"#);
    let list = answers.iter().map(answer).collect::<Vec<_>>().join(",");
    line(id, &format!(r#""answers":[{list}]"#))
}

#[test]
fn a_record_with_answers_but_no_rating_is_rejected_and_its_questions_are_listed() {
    let mut lines = String::new();
    for (n, (rating, effort)) in [("0", "1"), ("10", "7"), ("7", "3")]
        .into_iter()
        .enumerate()
    {
        let comment = if n == 0 { "null" } else { "\"Good\"" };
        let answers = [("5f.2a", rating), ("c", comment), ("a b", effort)];
        lines += &answered(&format!("r{n}"), &answers);
    }
    lines += &answered(
        "mixed",
        &[("m", "true"), ("n", "1.5"), ("o", "[1]"), ("p", "11")],
    );
    lines += &line("other", r#""answers":[7],"dismissed":true"#);
    lines += &line("rated", r#""answers":[{"id":"x","value":1}],"rating":9"#);
    lines += &line("display", r#""answers":[]"#);
    let imported = import("responses", lines);
    let reason = "file:1: it has answers, but no rating: name its question with --map";
    assert_eq!((imported.rejects.len(), &*imported.rejects[0]), (5, reason));
    assert_eq!(
        imported.report.notes,
        [
            "5 records have answers but no rating, and a rating is never guessed; their questions are",
            "  5f.2a: 3 whole numbers 0–10; if it is the rating: --map rating=answers.5f.2a",
            "  \"a b\": 3 whole numbers 1–7; if it is the rating: --map 'rating=answers.a b'",
            "  c: 2 texts",
            "  m: 1 other value",
            "  n: 1 other value",
            "  o: 1 other value",
            "  p: 1 whole number 11",
            "  other answers: 1",
        ]
    );
    assert_eq!(imported.responses.len(), 2);
    assert!(imported.responses[0].contains(r#""rating":9"#));
}

#[test]
fn a_thousand_questions_are_listed_and_further_ones_counted() {
    let short = (0..1200).map(|n| answered(&format!("r{n}"), &[(&format!("q{n}"), "9")]));
    let long = answered("long", &[(&"x".repeat(1 << 10), "9")]);
    let lines: String = short.chain([long]).collect();
    let notes = import("responses", lines).report.notes;
    let is_listed = |note: &&String| note.contains(": 1 whole number 9;");
    assert_eq!(notes.iter().filter(is_listed).count(), 1000);
    assert_eq!(notes.last().unwrap(), "  other answers: 201");
}

#[test]
fn the_option_is_listed_for_every_question_that_may_ask_for_the_rating() {
    let one = answered("a", &[("q", "9"), ("control\\u001b", "9"), ("c", "11")]);
    let two = [&*one, &answered("b", &[("q", "\"No\"")])].concat();
    let guessed = "no rating, and a rating is never guessed";
    for (options, lines, records) in [
        (
            "responses",
            &one,
            "1 record has answers but RATING; its questions are",
        ),
        (
            "responses --map rating=answers.typo",
            &one,
            "1 record has answers but RATING; its questions are",
        ),
        (
            "responses",
            &two,
            "2 records have answers but RATING; their questions are",
        ),
    ] {
        let notes = import(options, lines).report.notes;
        assert_eq!(notes[0], records.replace("RATING", guessed));
        let is_option = |note: &&String| note.contains("; if it is the rating: --map ");
        let options: Vec<_> = notes.iter().filter(is_option).collect();
        let [option] = options[..] else {
            panic!("{notes:?}")
        };
        assert!(option.ends_with(" --map rating=answers.q"), "{option}");
    }
}

/// What becomes of a display.
#[derive(Debug, PartialEq)]
enum Outcome {
    Rated,
    Dismissed,
    Pending,
    Rejected(&'static str),
}

use Outcome::{Dismissed, Pending, Rated, Rejected};

/// Checks what becomes of a record. Another one, which precedes it, has the path, so that this is not
/// mistaken.
#[track_caller]
fn assert_outcome(path: &str, first: &str, second: &str, outcome: &Outcome) {
    let lines = [line("first", first), second.to_owned()].concat();
    let imported = import(&format!("responses --map rating={path}"), lines);
    if let Rejected(reason) = outcome {
        let beginning = format!("file:2: {reason}");
        let rejects = &imported.rejects;
        assert!(rejects[0].starts_with(&beginning), "{second}: {rejects:?}");
        return;
    }
    let response = imported.whole().responses.remove(1);
    let found = match &response {
        response if response.contains(r#""rating":"#) => Rated,
        response if response.contains(r#""dismissed":true"#) => Dismissed,
        _ => Pending,
    };
    assert_eq!(found, *outcome, "{second}");
}

const NONE: Outcome = Rejected("it has answers, but no rating where --map says");

#[test]
fn the_named_question_decides_what_became_of_a_display() {
    const RANGE: Outcome = Rejected("rating must be a whole number from 0 to 10");
    const TWICE: Outcome = Rejected("answers has \"q\" twice");
    for (answers, outcome) in [
        (&[("q", "9")][..], Rated),
        (&[("c", "\"Good\""), ("q", "\"9\"")], Rated),
        (&[("q", "0.0")], Rated),
        (&[("q", "null")], Pending),
        (&[], Pending),
        (&[("c", "\"Good\"")], NONE),
        (&[("c", "\"Good\""), ("q", "null")], NONE),
        (&[("c", "0")], NONE),
        (&[("q", "11")], RANGE),
        (&[("q", "-1")], RANGE),
        (&[("q", "8.5")], RANGE),
        (&[("q", "true")], RANGE),
        (&[("q", "\"\"")], RANGE),
        (
            &[("q", "[9]")],
            Rejected("rating must be a string, number or boolean"),
        ),
        (&[("q", "9"), ("q", "1")], TWICE),
    ] {
        assert_outcome("answers.q", FIRST, &answered("r", answers), &outcome);
    }
    #[rustfmt::skip]
    let rows = [
        (r#""answers":null"#, Pending),
        (r#""campaign":"c""#, Pending),
        (r#""dismissed":true,"answers":[]"#, Dismissed),
        (r#""dismissed":true,"answers":[{"id":"c","value":"Bad"}]"#, Dismissed),
        (r#""dismissed":true,"answers":[{"id":"q","value":3}]"#, Rated),
        (r#""answers":[{"id":"q","value":null,"comment":"Good"}]"#, NONE),
        (r#""answers":[null,{"id":"q","value":10}]"#, Rated),
        (r#""answers":[{"id":"c","choices":["x"]}]"#, NONE),
        (r#""answers":{"q":9,"c":1}"#, Rated),
        (r#""answers":{"c":1}"#, NONE),
        (r#""answers":"9""#, NONE),
        (r#""answers":[{"id":"q"},{"id":"q","value":1}]"#, TWICE),
    ];
    for (members, outcome) in rows {
        assert_outcome("answers.q", FIRST, &line("r", members), &outcome);
    }
}

/// The answer of a record that has the question.
const FIRST: &str = r#""answers":[{"id":"q","value":5}]"#;

#[test]
fn a_record_whose_own_rating_the_path_does_not_replace_is_rejected() {
    const ELSEWHERE: Outcome = Rejected("it has a rating, but none where --map says");
    let first = r#""answers":[{"id":"q","value":3}],"rating":{"value":3},"score":3"#;
    for (path, members) in [
        ("answers.q", r#""rating":9"#),
        (
            "answers.q",
            r#""rating":9,"answers":[{"id":"c","value":3}]"#,
        ),
        (
            "answers.q",
            r#""dismissed":true,"rating":9,"answers":[{"id":"c","value":"hi"}]"#,
        ),
        ("rating.value", r#""rating":9"#),
        ("score", r#""rating":9,"score":null"#),
    ] {
        assert_outcome(path, first, &line("r", members), &ELSEWHERE);
    }
}

#[test]
fn answers_elsewhere_are_answers_too_whatever_their_form() {
    let first = r#""survey":{"q":3,"items":[null,{"id":"q","value":3}]}"#;
    #[rustfmt::skip]
    let rows = [
        ("survey.items.q", r#"{"items":[{"id":"c","value":9}]}"#, NONE),
        ("survey.items.q", r#"{"items":[["q",9]]}"#, NONE),
        ("survey.items.q", r#"{"items":[null,{"id":"c","value":10}]}"#, NONE),
        ("survey.items.q", r#"{"items":{"q2":10}}"#, NONE),
        ("survey.items.q", r#"{"items":{"q":null,"q2":10}}"#, NONE),
        ("survey.items.q", r#"{"items":"10"}"#, NONE),
        ("survey.items.q", r#"{"q":null,"items":[]}"#, Pending),
        ("survey.q", r#""10""#, NONE),
        ("survey.q", "null", Pending),
    ];
    for (path, survey, outcome) in rows {
        let second = line("r", &format!(r#""survey":{survey}"#));
        assert_outcome(path, first, &second, &outcome);
    }
}
