//! Traits that `feedback stats` is asked for, and that no record has.

use serde_json::json;

use crate::operator::Operator;
use crate::process::{failed, succeeded};

const YEAR: &str = "stats --project acme --start 2020-01-01 --end 2021-01-01";

/// Returns a project whose only display has a string, a number and a boolean, and another in the year before, with
/// a string of its own.
fn operator() -> Operator {
    let operator = Operator::new();
    let traits = json!({"airline": "A", "legroom": 4, "recommended": true});
    let records = [
        json!({"created": "2020-03-01", "rating": 9, "user": {"traits": traits}}),
        json!({"created": "2019-03-01", "rating": 9, "user": {"traits": {"plan": "pro"}}}),
    ];
    let records = records.map(|record| record.to_string()).join("\n");
    succeeded(&operator.run_with_input("import responses - --project acme", records));
    operator
}

#[test]
fn a_trait_that_no_record_has_is_an_error_that_names_similar_ones() {
    let operator = operator();
    for (options, unknown, hint) in [
        (
            "--group-by arline",
            "string `arline`",
            "similar: airline (string)",
        ),
        (
            "--group-by Airline --csv",
            "string `Airline`",
            "similar: airline (string)",
        ),
        (
            "--group-by airlne --interval month",
            "string `airlne`",
            "similar: airline (string)",
        ),
        (
            "--group-by recommended",
            "string `recommended`",
            "similar: recommended (boolean)",
        ),
        (
            "--group-by boolean.legroom",
            "boolean `legroom`",
            "similar: legroom (number)",
        ),
        (
            "--filter legroom=eq:4",
            "string `legroom`",
            "similar: legroom (number)",
        ),
        (
            "--filter airline=ne:B --filter arline=eq:A",
            "string `arline`",
            "similar: airline (string)",
        ),
        (
            "--filter arline=eq:A --group-by legroom",
            "string `arline`",
            "similar: airline (string)",
        ),
        (
            "--filter arline=eq:A --traits",
            "string `arline`",
            "similar: airline (string)",
        ),
        // The period's, not the project's.
        (
            "--group-by plan",
            "string `plan`",
            "--traits lists what there is",
        ),
        (
            "--group-by q\u{1b}[2J",
            "string `q\u{fffd}[2J`",
            "--traits lists what there is",
        ),
    ] {
        let output = operator.request(&format!("{YEAR} {options}"));
        let expected = format!("feedback: no record of this period has the {unknown}; {hint}\n");
        assert_eq!(failed(&output, 2), expected, "{options}");
        assert!(output.stdout.is_empty(), "{options}");
    }
}

#[test]
fn a_trait_that_records_have_or_a_period_without_displays_is_no_error() {
    let operator = operator();
    for options in [
        "--filter airline=eq:B",
        "--filter airline=eq:B --group-by boolean.recommended",
        // It is not why nothing is found.
        "--filter arline=ne:A",
        "--group-by airline --filter arline=ncontains:A",
        "--traits --filter airline=eq:B",
    ] {
        succeeded(&operator.request(&format!("{YEAR} {options}")));
    }
    let empty = "stats --project acme --start 2018-01-01 --end 2018-02-01 --group-by arline --filter arlin=eq:A";
    let drawn = succeeded(&operator.request(empty));
    assert!(drawn.contains("No displays in this period."), "{drawn}");
    let json = succeeded(&operator.request(&format!("{YEAR} --group-by arline --json")));
    assert!(json.contains(r#""group":null"#), "{json}");
    // Of these seven, the traits are asked for where nothing was found, except of JSON.
    let requests = operator.served().log(7 + 4);
    assert_eq!(requests.lines().count(), 7 + 4, "{requests}");
}
