//! `feedback stats --respondents`, `--traits` and `--interval all`.

use serde_json::json;

use crate::operator::Operator;
use crate::process::{failed, succeeded};

const YEAR: &str = "stats --project acme --start 2020-01-01 --end 2021-01-01";

/// Imports three ratings of one person, two in January and one in February, and one of nobody.
fn operator() -> Operator {
    let operator = Operator::new();
    let record = |(created, rating, plan)| {
        let user = json!({"userId": "jane", "traits": {"plan": plan, "email": "jane@example.com"}});
        json!({"rating": rating, "created": created, "user": user}).to_string()
    };
    let ratings = [
        ("2020-01-05", 2, "free"),
        ("2020-01-06", 9, "pro"),
        ("2020-02-07", 10, "pro"),
    ];
    let mut records = ratings.map(record).to_vec();
    records.push(json!({"rating": 7, "created": "2020-01-08"}).to_string());
    succeeded(&operator.run_with_input("import responses - --project acme", records.join("\n")));
    operator
}

fn stats(operator: &Operator, options: &str) -> String {
    succeeded(&operator.request(&format!("{YEAR} {options}")))
}

#[test]
fn the_newest_rating_of_each_person_counts_and_the_others_answered_too() {
    let operator = operator();
    let drawn = stats(&operator, "--respondents latest");
    for line in [
        "  the newest rating of each person",
        "NPS  +50.0",
        "4 displays answered, 2 superseded by newer ones; no unanswered displays are",
    ] {
        assert!(drawn.lines().any(|drawn| drawn == line), "{line}: {drawn}");
    }
    let csv = stats(
        &operator,
        "--respondents latest --interval month --group-by plan --csv",
    );
    let mut lines = csv.lines();
    let superseded = lines
        .next()
        .unwrap()
        .split(',')
        .position(|name| name == "superseded");
    let cells = lines
        .take(3)
        .map(|line| line.split(',').nth(superseded.unwrap()).unwrap());
    // Of pro, of no plan and of free in January.
    assert_eq!(cells.collect::<Vec<_>>(), ["0", "1", "0"], "{csv}");
    let all = stats(&operator, "--respondents all");
    assert!(
        all.contains("\n4 displays answered; no unanswered displays are recorded\n"),
        "{all}"
    );
}

#[test]
fn after_an_erasure_the_records_of_the_person_count_singly() {
    let operator = operator();
    let responses = || operator.figures(" --respondents latest")["responses"].clone();
    assert_eq!(responses(), 2);
    succeeded(&operator.run("erase --project acme --user-id jane --yes"));
    assert_eq!(responses(), 4);
}

#[test]
fn the_traits_are_listed_with_their_types_and_what_is_private() {
    let operator = operator();
    let drawn = stats(&operator, "--traits");
    let expected = [
        "   DISPLAYS  TYPE     NAME",
        "          3  string   email  (private: filter only)",
        "          3  string   plan",
    ];
    assert_eq!(drawn.lines().collect::<Vec<_>>(), expected);
    assert_eq!(
        stats(&operator, "--traits --filter plan=eq:pro")
            .lines()
            .count(),
        3
    );
    let none = stats(&operator, "--traits --filter plan=eq:x");
    assert!(
        none.starts_with("No traits in this period. ") && none.ends_with(", or omit\na filter.\n"),
        "{none}"
    );
    let json = stats(&operator, "--traits --json");
    assert!(
        json.contains(r#"{"name":"plan","type":"string","displays":3,"private":false}"#),
        "{json}"
    );
    for option in [
        "--csv",
        "--interval day",
        "--interval week --week-start sunday",
        "--group-by plan",
        "--group-by plan --group-limit 5",
        "--confidence 95",
        "--respondents latest",
    ] {
        let error = failed(&operator.request(&format!("{YEAR} --traits {option}")), 2);
        assert!(error.contains("cannot be used with"), "{option}: {error}");
    }
}

#[test]
fn the_period_as_one_interval_has_its_start_and_its_end() {
    let operator = operator();
    let csv = stats(&operator, "--interval all --timezone Europe/Prague --csv");
    let row = csv.lines().nth(1).unwrap();
    let expected = "\"2020-01-01T00:00:00.000+01:00\",\"2021-01-01T00:00:00.000+01:00\",4,4,";
    assert!(row.starts_with(expected), "{csv}");
    let drawn = stats(&operator, "--interval all");
    let whole = "  which is from 2020-01-01T00:00:00.000Z until 2021-01-01T00:00:00.000Z\n";
    assert!(
        drawn.contains(whole) && !drawn.contains("by all"),
        "{drawn}"
    );
}
