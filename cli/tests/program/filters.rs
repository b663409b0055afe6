//! The filters of `feedback stats`, as they are written on the command line. What they accept and refuse is
//! that of the API's parameter `filter`.

use crate::operator::Operator;
use crate::process::{failed, run, succeeded};

/// Returns a project with three displays.
fn operator() -> Operator {
    let operator = Operator::new();
    let records = [
        r#"{"plan":"pro","legroom":3,"recommended":true,"a.b":"x:y+z &"}"#,
        r#"{"plan":"4","legroom":4.50,"recommended":false}"#,
        r#"{"legroom":1e1,"recommended":"true"}"#,
    ];
    let records = records.map(|traits| {
        format!(r#"{{"created":"2020-01-01","rating":9,"user":{{"traits":{traits}}}}}"#)
    });
    let import = "import responses - --project acme";
    succeeded(&operator.run_with_input(import, records.join("\n")));
    operator
}

#[test]
fn filters_reach_the_api_as_they_are_written_and_all_must_match() {
    let operator = operator();
    for (filters, expected) in [
        (" --filter plan=ncontains:p", 2),
        (" --filter a.b=contains:x:y+z", 1),
        (" --filter legroom=number.gt:+4.50", 1),
        (
            " --filter legroom=number.gte:4 --filter recommended=boolean.eq:false --filter recommended=ne:true",
            1,
        ),
    ] {
        assert_eq!(operator.figures(filters)["displays"], expected, "{filters}");
    }
}

#[test]
fn the_drawing_names_each_filter_with_quotes_around_strings_alone() {
    let operator = operator();
    let drawn = succeeded(&operator.request(
        "stats --project acme --start 2020-01-01 --filter plan=ne:4 --filter legroom=number.gte:03.0 --filter recommended=boolean.ne:false",
    ));
    let lines = drawn.lines().filter(|line| line.starts_with("  where "));
    let expected = [
        r#"  where plan ne "4""#,
        "  where legroom gte 3",
        "  where recommended ne false",
    ];
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}

#[test]
fn a_malformed_filter_is_a_usage_error_that_says_what_is_wrong() {
    let error = failed(
        &run(&["stats", "--project", "acme", "--filter", "legroom=gte:4"]),
        2,
    );
    let expected = "must have as the operator of a string eq, ne, contains or ncontains (of a number, number.gte)";
    assert!(error.contains(expected), "{error}");
}
