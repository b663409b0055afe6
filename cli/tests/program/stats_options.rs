//! The options of `feedback stats`: those that are refused, by it or by the service, and those that
//! variables save.

use crate::operator::Operator;
use crate::process::{error_line, failed, output, succeeded};

#[test]
fn options_that_depend_on_each_other_say_so() {
    let operator = Operator::new();
    for (options, reason) in [
        ("--week-start sunday", "--interval"),
        ("--group-limit 5", "--group-by"),
        ("--interval hour", "all, day, week, month, quarter, year"),
        ("--confidence 80", "90, 95, 99"),
        ("--group-by number.seats", "string.number.seats"),
        ("--group-by boolean.", "the name must name a trait"),
        ("--interval day --json --csv", "cannot be used with"),
    ] {
        let error = failed(
            &operator.request(&format!("stats --project acme {options}")),
            2,
        );
        assert!(error.contains(reason), "{options}: {error}");
    }
}

#[test]
fn errors_of_the_service_are_passed_on_in_words() {
    let operator = Operator::new();
    for (options, reason) in [
        (
            "--interval month --week-start sunday",
            "invalid_parameter: weekStart is only for the interval week",
        ),
        (
            "--interval day --start 2000-01-01",
            "invalid_parameter: interval must divide the period into at most 1000 intervals",
        ),
        (
            "--group-by plan --group-limit 101",
            "invalid_parameter: groupLimit must be a number from 1 to 100",
        ),
        (
            "--timezone Mars/Base",
            "invalid_parameter: timezone must be the name of a time zone",
        ),
    ] {
        let error = error_line(&operator.request(&format!("stats --project acme {options}")));
        assert!(error.contains(reason), "{options}: {error}");
    }
}

#[test]
fn variables_save_the_address_and_the_project_and_options_come_before_them() {
    let operator = Operator::new();
    let api = operator.api();
    let ask = |line: &str, project: &str| {
        let mut command = operator.command(line);
        command.env("FEEDBACK_URL", &api);
        output(command.env("FEEDBACK_PROJECT", project))
    };
    let typed = succeeded(&operator.request("stats --project acme --json"));
    assert_eq!(succeeded(&ask("stats --json", "acme")), typed);
    assert_eq!(
        succeeded(&ask("stats --json --project acme", "other")),
        typed
    );
    let users = succeeded(&ask("users --json", "acme"));
    assert_eq!(users, "{\"users\":[]}\n");
    let error = error_line(&ask("stats --url http://127.0.0.1:1", "acme"));
    assert!(error.contains("cannot reach http://127.0.0.1:1"), "{error}");
}
