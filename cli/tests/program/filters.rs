//! The filters of `feedback stats`, as they are written on the command line.

use crate::operator::Operator;
use crate::process::{failed, rows, run, succeeded};

/// Returns a project with three displays.
fn operator() -> Operator {
    let operator = Operator::new();
    let records = [
        r#"{"plan":"pro","legroom":3,"recommended":true,"a.b":"x:y"}"#,
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
fn a_filter_compares_strings_or_the_type_before_its_operator() {
    let operator = operator();
    for (filters, expected) in [
        (" --filter plan=eq:pro", 1),
        (" --filter plan=ne:pro", 2),
        (" --filter plan=ncontains:p", 2),
        (" --filter a.b=eq:x:y", 1),
        (" --filter legroom=eq:3", 0),
        (" --filter legroom=number.gte:4", 2),
        (" --filter legroom=number.eq:4.5", 1),
        (" --filter legroom=number.lt:45e-1", 1),
        (" --filter legroom=number.gt:+4.50", 1),
        (" --filter plan=number.ne:4", 3),
        (" --filter recommended=boolean.eq:true", 1),
        (" --filter recommended=boolean.ne:true", 2),
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
    for (filter, reason) in rows(
        "
        plan => must be NAME=OPERATOR:VALUE
        plan=pro => must be NAME=OPERATOR:VALUE
        =eq:pro => must name a trait in 1 to 255 bytes
        plan=is:pro => must have as the operator of a string eq, ne, contains or ncontains
        legroom=gte:4 => \
            must have as the operator of a string eq, ne, contains or ncontains (of a number, number.gte)
        legroom=number.contains:4 => must have as the operator of a number eq, ne, gt, gte, lt or lte
        legroom=string.lt:4 => ncontains (of a number, number.lt)
        recommended=boolean.gt:true => must have as the operator of a boolean eq or ne
        created=date.eq:2020-01-01 => must have as the type before the operator string, number or boolean
        legroom=number.eq:four => must have a value that is a decimal number, such as 4, -0.5 or 1e3
        legroom=number.eq:1e999 => \
            must have a value that is between 1E-130 and 9.99E+125 in magnitude, or 0 with such an exponent
        recommended=boolean.eq:True => must have a value that is true or false
        ",
    ) {
        let error = failed(&run(&["stats", "--project", "acme", "--filter", filter]), 2);
        assert!(error.contains(reason), "{filter}: {error}");
    }
}
