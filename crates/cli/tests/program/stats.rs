//! What `feedback stats` prints.

use std::fmt::Write as _;

use crate::operator::Operator;
use crate::outcome::succeeded;
use crate::process::output;

/// The outcomes of displays, and how many of each a day of 2020 has. The names of the plans are difficult.
const OUTCOMES: [&str; 5] = [
    r#""rating":10"#,
    r#""rating":7"#,
    r#""rating":3"#,
    r#""dismissed":true"#,
    r#""pending":true"#,
];
const DISPLAYS: &str = r#"
02-10 10 10 20 5 5 "plan":"free","beta":true
03-10 12 8 12 2 6 "plan":"free","beta":false,"seats":4
03-11 30 4 1 0 5 "plan":"pro","beta":true
03-12 1 0 1 0 0 "plan":"evil\u001b[31m\n日本語プラン"
03-13 0 0 0 1 0 "plan":"no value"
03-14 0 0 0 0 1 "plan":7
"#;

/// The records of 2021: of January with traits of all types, of February those of one person, and of March one
/// with a private trait.
const OTHERS: &str = r#"
{"created":"2021-01-01","rating":9,"user":{"traits":{"plan":"pro","legroom":3,"recommended":true,"a.b":"x:y+z &"}}}
{"created":"2021-01-01","rating":9,"user":{"traits":{"plan":"4","legroom":4.50,"recommended":false}}}
{"created":"2021-01-01","rating":9,"user":{"traits":{"legroom":1e1,"recommended":"true"}}}
{"created":"2021-02-05","rating":2,"user":{"userId":"jane"}}
{"created":"2021-02-06","rating":9,"user":{"userId":"jane"}}
{"created":"2021-02-07","rating":10,"user":{"userId":"jane"}}
{"created":"2021-03-05","rating":9,"user":{"traits":{"plan":"pro","email":"jane@example.com"}}}
"#;

/// Returns a project with these records.
pub(crate) fn operator() -> Operator {
    let mut records = OTHERS.trim_start().to_owned();
    for line in DISPLAYS.trim().lines() {
        let words: Vec<_> = line.splitn(7, ' ').collect();
        for (outcome, count) in OUTCOMES.iter().zip(&words[1..]) {
            let (day, traits) = (words[0], words[6]);
            let record =
                format!(r#"{{"created":"2020-{day}",{outcome},"user":{{"traits":{{{traits}}}}}}}"#);
            for _ in 0..count.parse().unwrap() {
                writeln!(records, "{record}").unwrap();
            }
        }
    }
    Operator::with_responses(records)
}

fn drawn(operator: &Operator, line: &str) -> String {
    succeeded(&operator.request(line))
}

#[test]
fn colors_change_no_word() {
    let operator = operator();
    let grouped = "stats --project acme --period 2020-03 --group-by plan";
    let line = format!("{grouped} --url {}", operator.api());
    let colored = succeeded(&output(operator.command(&line).env("CLICOLOR_FORCE", "1")));
    for color in ["\u{1b}[32m", "\u{1b}[33m", "\u{1b}[31m", "\u{1b}[2m"] {
        assert!(colored.contains(color), "{color:?}: {colored}");
    }
    let plain = drawn(&operator, grouped);
    assert_eq!(console::strip_ansi_codes(&colored), plain);
}

#[test]
fn an_interval_that_is_not_over_is_marked() {
    let now = service::now();
    let operator = Operator::with_responses(format!(r#"{{"created":"{now}","rating":9}}"#));
    for interval in ["day", "week", "month", "quarter", "year"] {
        let line = format!("stats --project acme --interval {interval}");
        let drawn = drawn(&operator, &line);
        let marked: Vec<_> = drawn.lines().filter(|line| line.contains('*')).collect();
        let [row, "*: not over yet"] = marked[..] else {
            panic!("{drawn}");
        };
        assert!(row.contains("*  "), "{drawn}");
    }
}

#[test]
fn the_default_period_is_the_last_thirty_days_with_today() {
    let operator = Operator::new();
    let midnight = |days: i64| {
        let at = service::now().plus_millis(days * 86_400_000).unwrap();
        format!("\"{}T00:00:00.000Z\"", &at.to_string()[..10])
    };
    let expected = || format!("{},{},0,", midnight(-29), midnight(1));
    // A day may end meanwhile.
    let before = expected();
    let csv = drawn(&operator, "stats --project acme --interval all --csv");
    let row = csv.lines().nth(1).unwrap();
    let is_expected = [before, expected()].iter().any(|it| row.starts_with(it));
    assert!(is_expected, "{csv}");
}
