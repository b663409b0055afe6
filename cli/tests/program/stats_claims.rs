//! What `feedback stats` says of its tables: only what holds.

use std::fmt::Write as _;

use serde_json::{Value, json};
use shared::model::Timestamp;

use crate::operator::Operator;
use crate::process::{output, succeeded};

const YEAR: &str = "stats --project acme --start 2020-01-01 --end 2021-01-01";
const NONE: &str = "No two complete intervals have at least 30 responses, so none are compared.";

/// Adds displays of a day and a plan: of promoters, passives and detractors, and unanswered ones.
fn add(records: &mut String, day: &str, plan: Option<&str>, counts: [usize; 4]) {
    let outcomes = [
        json!({"rating": 10}),
        json!({"rating": 7}),
        json!({"rating": 0}),
        json!({"pending": true}),
    ];
    for (outcome, count) in outcomes.iter().zip(counts) {
        let mut record = json!({"created": day, "user": {"traits": {}}});
        record["user"]["traits"]["plan"] = plan.map_or(Value::Null, Value::from);
        let members = record.as_object_mut().unwrap();
        members.extend(outcome.as_object().unwrap().clone());
        for at in 0..count {
            // An id of its own, because the others are equal.
            record["id"] = format!("{day}-{plan:?}-{outcome}-{at}").into();
            writeln!(records, "{record}").unwrap();
        }
    }
}

/// Returns a project with these displays.
fn operator(displays: &[(&str, Option<&str>, [usize; 4])]) -> Operator {
    let operator = Operator::new();
    let mut records = String::new();
    for (day, plan, counts) in displays {
        add(&mut records, day, *plan, *counts);
    }
    succeeded(&operator.run_with_input("import responses - --project acme", records));
    operator
}

/// Returns what is drawn, with its lines as one.
fn drawn(operator: &Operator, line: &str) -> String {
    succeeded(&operator.request(line)).replace('\n', " ")
}

#[track_caller]
fn assert_says(operator: &Operator, line: &str, sentence: &str) {
    let drawn = drawn(operator, line);
    assert!(drawn.contains(sentence), "{line}: {drawn}");
}

const TREND: &[(&str, Option<&str>, [usize; 4])] = &[
    ("2020-01-10", None, [29, 0, 0, 0]),
    ("2020-02-10", None, [5, 5, 20, 1]),
    ("2020-03-10", None, [0, 29, 0, 0]),
    ("2020-04-10", None, [20, 5, 5, 0]),
    ("2020-05-10", Some("a"), [1, 0, 0, 0]),
];

#[test]
fn a_trend_compares_whole_intervals_with_enough_responses() {
    let operator = operator(TREND);
    let change = "From -50.0 (2020-02-01) to +50.0 (2020-04-01): the change of +100.0 points is unlikely to be chance alone";
    for (confidence, bounds) in [
        ("", "(with 95% confidence it lies between +53 and +129)."),
        (
            " --confidence 99",
            "(with 99% confidence it lies between +41 and +140).",
        ),
    ] {
        let line = format!("{YEAR} --interval month{confidence}");
        assert_says(&operator, &line, &format!("{change} {bounds}"));
    }
    // Three of them have as many together.
    assert_says(&operator, &format!("{YEAR} --interval quarter"), "From ");
    for period in [
        "--start 2020-02-02 --end 2020-06-01 --interval month",
        "--start 2020-02-01T00:00:01 --end 2020-06-01 --interval month",
        "--start 2020-02-01 --end 2020-04-30 --interval month",
        "--start 2020-02-01 --interval quarter --end 2020-06-01",
        "--start 2020-01-01 --end 2021-01-01 --interval year",
    ] {
        assert_says(&operator, &format!("stats --project acme {period}"), NONE);
    }
    let groups = drawn(
        &operator,
        &format!("{YEAR} --interval month --group-by plan"),
    );
    assert!(!groups.contains("compare"), "{groups}");
    let all = drawn(&operator, &format!("{YEAR} --interval all"));
    assert!(!all.contains("compare"), "{all}");
}

#[test]
fn a_change_that_chance_explains_is_said_to_be_possible_chance() {
    let operator = operator(&[
        ("2020-02-10", None, [10, 10, 10, 0]),
        ("2020-03-10", None, [11, 10, 9, 0]),
    ]);
    assert_says(
        &operator,
        &format!("{YEAR} --interval month"),
        "From +0.0 (2020-02-01) to +6.7 (2020-03-01): the change of +6.7 points could be chance",
    );
}

#[test]
fn an_interval_that_is_not_over_is_not_compared() {
    let today = Timestamp::now().to_string();
    let operator = operator(&[
        ("2020-02-10", None, [10, 10, 10, 0]),
        ("2021-02-10", None, [20, 5, 5, 0]),
        (today.as_str(), None, [30, 0, 0, 0]),
    ]);
    let year: u32 = today[..4].parse().unwrap();
    for (start, sentence) in [("2020", "to +50.0 (2021-01-01)"), ("2021", NONE)] {
        let line = format!(
            "stats --project acme --start {start}-01-01 --end {}-01-01 --interval year",
            year + 1
        );
        assert_says(&operator, &line, sentence);
    }
}

#[test]
fn groups_are_named_only_where_chance_does_not_explain_their_difference() {
    let day = "2020-02-10";
    let said = |groups: &[(Option<&'static str>, [usize; 4])], more: &str| {
        let groups: Vec<_> = groups.iter().map(|(plan, n)| (day, *plan, *n)).collect();
        drawn(&operator(&groups), &format!("{YEAR} --group-by plan{more}"))
    };
    let (low, high) = ([5, 5, 20, 0], [20, 5, 5, 0]);
    let none = "Fewer than two groups have at least 30 responses, so none are compared.";
    let chance =
        "No difference between the groups with at least 30 responses can be told from chance.";
    let best = "b (+50.0) scores highest and a (-50.0) lowest of the groups with at least 30 responses; the difference is unlikely to be chance alone.";
    let a = (Some("a"), low);
    let b = (Some("b"), high);
    for (groups, more, expected) in [
        (vec![a], "", none),
        (vec![a, (Some("b"), [29, 0, 0, 0])], "", none),
        // The others are no group.
        (vec![a, b], " --group-limit 1", none),
        (vec![a, b], "", best),
        (vec![a, b, (Some("c"), [0, 0, 29, 0])], "", best),
        (vec![a, (None, high)], "", "no value (+50.0) scores highest"),
        (vec![a, (Some("b"), [6, 5, 19, 0])], "", chance),
        // Two of them differ with 95 % confidence, but not as two of three pairs.
        (
            vec![(Some("a"), [10, 10, 10, 0]), (Some("b"), [20, 5, 5, 0])],
            "",
            "b (+50.0) scores highest and a (+0.0) lowest",
        ),
        (
            vec![
                (Some("a"), [10, 10, 10, 0]),
                (Some("b"), [20, 5, 5, 0]),
                (Some("c"), [14, 8, 8, 0]),
            ],
            "",
            chance,
        ),
        (
            vec![(Some("a"), [10, 10, 10, 0]), (Some("b"), [20, 5, 5, 0])],
            " --confidence 99",
            chance,
        ),
        // The highest score rests on too little, the next does not.
        (
            vec![
                (Some("top"), [12, 12, 6, 0]),
                (Some("mid"), [200, 60, 140, 0]),
                (Some("end"), [140, 100, 160, 0]),
            ],
            "",
            "mid (+15.0) scores higher than end (-5.0), which is unlikely to be chance alone. Which group scores highest or lowest cannot be told from chance.",
        ),
    ] {
        let said = said(&groups, more);
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn small_groups_and_intervals_are_grey_and_hollow_and_others_have_their_colors() {
    let operator = operator(TREND);
    let line = format!("{YEAR} --interval month --url {}", operator.api());
    let mut command = operator.command(&line);
    let colored = succeeded(&output(command.env("CLICOLOR_FORCE", "1")));
    let row = |start: &str| {
        let row = colored
            .lines()
            .skip(2)
            .find(|line| line.contains(start))
            .unwrap();
        (
            row.contains("\u{1b}[38;5;8m"),
            row.contains("\u{1b}[31m"),
            row.contains("\u{1b}[32m"),
            row.contains('○'),
            row.contains('●'),
        )
    };
    assert_eq!(row("2020-01-01"), (true, false, false, true, false));
    assert_eq!(row("2020-02-01"), (false, true, false, false, true));
    assert_eq!(row("2020-04-01"), (false, false, true, false, true));
    assert!(colored.contains("Grey, ○: fewer than 30 responses, too few to tell."));
    let large = "stats --project acme --start 2020-02-01 --end 2020-03-01 --interval month";
    assert!(!drawn(&operator, large).contains("Grey"));
}

#[test]
fn one_response_outside_its_interval_is_explained() {
    let operator = operator(TREND);
    let sentence = "The score of one response can lie outside its interval, which allows for customers who would rate differently.";
    let may = "stats --project acme --start 2020-05-01 --end 2020-06-01";
    for more in [" --confidence 95", " --confidence 95 --interval month"] {
        assert_says(&operator, &format!("{may}{more}"), sentence);
    }
    let without = drawn(&operator, may);
    assert!(!without.contains("outside"), "{without}");
    assert!(
        without.ends_with(" 1 display answered; no unanswered displays are recorded "),
        "{without}"
    );
    let other = format!("{YEAR} --confidence 95");
    assert!(!drawn(&operator, &other).contains("outside"));
    assert_says(
        &operator,
        &other,
        "119 of 120 displays answered (99.2%), 0 dismissed",
    );
}
