//! What `feedback stats` prints.

use std::fmt::Write as _;

use serde_json::Value;

use crate::operator::Operator;
use crate::outcome::{error_line, succeeded};
use crate::process::output;

pub(crate) const MARCH: &str = "stats --project acme --start 2020-03-01 --end 2020-04-01";

/// Commands, each behind `$ `, and what they print.
const DRAWINGS: &str = include_str!("drawings.txt");

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

/// Draws the statistics of March 2020.
fn march(operator: &Operator, options: &str) -> String {
    drawn(operator, &format!("{MARCH}{options}"))
}

#[test]
fn every_command_draws_what_is_kept() {
    let operator = operator();
    for drawing in DRAWINGS.split("$ ").skip(1) {
        let (line, expected) = drawing.split_once('\n').unwrap();
        assert_eq!(drawn(&operator, line), expected, "{line}");
    }
    let grouped = format!("{MARCH} --group-by plan");
    let (_, expected) = DRAWINGS.split_once(&format!("$ {grouped}\n")).unwrap();
    let expected = expected.split("$ ").next().unwrap();
    let line = format!("{grouped} --url {}", operator.api());
    let colored = succeeded(&output(operator.command(&line).env("CLICOLOR_FORCE", "1")));
    for color in ["\u{1b}[32m", "\u{1b}[33m", "\u{1b}[31m", "\u{1b}[2m"] {
        assert!(colored.contains(color), "{color:?}: {colored}");
    }
    assert_eq!(console::strip_ansi_codes(&colored), expected);
    let json = drawn(
        &operator,
        "stats --project acme --period 2021-03 --traits --json",
    );
    let plan = r#"{"name":"plan","type":"string","displays":1,"private":false}"#;
    assert!(json.contains(plan), "{json}");
}

#[test]
fn a_quiet_beginning_of_the_period_before_is_not_where_the_data_begin() {
    let days = ["2020-01-31", "2020-02-10", "2020-03-10"];
    let table = days.map(|day| format!("{day},9\n")).concat();
    let operator = Operator::with_responses(format!("created,rating\n{table}"));
    let drawn = |period: &str| {
        drawn(
            &operator,
            &format!("stats --project acme --period {period}"),
        )
    };
    let march = drawn("2020-03");
    let few = "\n100.0, unchanged from February: too few responses to tell.\n";
    assert!(march.contains(few), "{march}");
    let february = drawn("2020-02");
    let partial = "\n100.0, unchanged from January: nothing to tell, because records begin only on 31\nJan 2020.\n";
    assert!(february.contains(partial), "{february}");
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
fn an_interval_that_the_period_cuts_is_marked() {
    let operator = operator();
    let of = |period: &str| drawn(&operator, &format!("stats --project acme {period}"));
    let cut = of("--start 2020-02-01 --end 2020-03-12 --interval month");
    assert!(
        cut.contains("\nMar 2020‡ ") && cut.contains("\nFeb 2020 "),
        "{cut}"
    );
    assert!(cut.ends_with("\n‡: a part, cut by the period\n"), "{cut}");
    let weeks = of("--start 2020-03-03 --end 2020-03-16 --interval week");
    assert_eq!(weeks.matches('‡').count(), 2, "{weeks}");
    // The clocks of Beirut are set forward at midnight, so 29 March 2020 begins at one.
    let beirut = of("--start 2020-03-28 --end 2020-03-31 --interval day --timezone Asia/Beirut");
    assert!(!beirut.contains('‡') && !beirut.contains('*'), "{beirut}");
}

#[test]
fn few_responses_are_marked_where_there_are_no_styles() {
    let drawn = march(&operator(), " --group-by plan");
    assert!(
        drawn.contains("\n†, ○: fewer than 30 responses\n"),
        "{drawn}"
    );
    assert!(drawn.contains("† ") && !drawn.contains("Grey"), "{drawn}");
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

#[test]
fn a_trait_is_grouped_by_as_the_type_that_it_has() {
    let operator = operator();
    let plain = march(&operator, " --group-by beta --csv");
    assert_eq!(plain, march(&operator, " --group-by boolean.beta --csv"));
    for row in ["\nfalse,false,32,40,2,", "\ntrue,false,35,40,0,"] {
        assert!(plain.contains(row), "{plain}");
    }
    let json = march(&operator, " --filter beta=eq:true --json");
    assert!(json.contains(r#""displays":0"#), "{json}");
}

#[test]
fn a_trait_that_is_a_number_and_a_boolean_is_grouped_by_as_the_boolean() {
    let records = ["1", "2", "true"].map(|beta| {
        format!(r#"{{"rating":9,"created":"2020-03-05","user":{{"traits":{{"beta":{beta}}}}}}}"#)
    });
    let operator = Operator::with_responses(records.join("\n"));
    let csv = march(&operator, " --group-by beta --csv");
    assert!(csv.contains("\ntrue,false,1,1,0,"), "{csv}");
}

/// What filters accept and refuse is that of the API's parameter `filter`.
#[test]
fn filters_and_respondents_reach_the_api_as_they_are_written() {
    let operator = operator();
    let figure = |name: &str, period: &str, options: &str| {
        let line = format!("stats --project acme --period {period} --json {options}");
        let document: Value = serde_json::from_str(&drawn(&operator, &line)).unwrap();
        document["data"][0]["attributes"][name].clone()
    };
    let all = "--filter legroom=number.gte:4 --filter recommended=boolean.eq:false --filter recommended=ne:true";
    for (filters, expected) in [
        ("--filter plan=ncontains:p", 2),
        ("--filter a.b=contains:x:y+z", 1),
        ("--filter legroom=number.gt:+4.50", 1),
        (all, 1),
    ] {
        assert_eq!(
            figure("displays", "2021-01", filters),
            expected,
            "{filters}"
        );
    }
    let latest = "--respondents latest";
    assert_eq!(figure("responses", "2021-02", latest), 1);
    succeeded(&operator.run("erase --project acme --user-id jane --yes"));
    assert_eq!(figure("responses", "2021-02", latest), 3);
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
    let error = error_line(&ask("stats --url http://127.0.0.1:1", "acme"));
    assert!(error.contains("cannot reach http://127.0.0.1:1"), "{error}");
}
