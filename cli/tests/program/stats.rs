//! What `feedback stats` prints, and what it refuses.

use std::fmt::Write as _;

use serde_json::{Value, json};
use shared::model::Timestamp;

use crate::operator::Operator;
use crate::process::{error_line, failed, output, succeeded};

const MARCH: &str = "stats --project acme --start 2020-03-01 --end 2020-04-01";

const PERIOD: &str = "\
acme, 1 Mar – 31 Mar 2020 (UTC)

NPS 42.0     95% interval 21.7 to 58.9
▲ 67.0 vs 1 Feb – 29 Feb (−25.0)     clear change (+32.7 to +94.4)

84 surveys shown    69 answered (82%)    3 dismissed

Promoters      43   62%  ████████████████████████▉
Passives       12   17%  ██████▉
Detractors     14   20%  ████████

   0  0
   1  0
   2  0
   3  ███████████████████▌ 14
   4  0
   5  0
   6  0
   7  ████████████████▋ 12
   8  0
   9  0
  10  ████████████████████████████████████████████████████████████ 43
";

const GROUPS: &str = "\
acme, 1 Mar – 31 Mar 2020 (UTC)

NPS 42.0     95% interval 21.7 to 58.9
▲ 67.0 vs 1 Feb – 29 Feb (−25.0)     clear change (+32.7 to +94.4)

84 surveys shown    69 answered (82%)    3 dismissed

Promoters      43   62%  ████████████████████████▉
Passives       12   17%  ██████▉
Detractors     14   20%  ████████

PLAN                    RESPONSES    NPS   95% INTERVAL    −100      0      +100
pro                            35   82.9   59.7 to 92.9              │     ──●─
free                           32    0.0   −28.3 to 28.3          ───●───
evil�[31m�日本語プラ…           2    0.0   −73.3 to 73.3      ───────○───────
\"no value\"                      0      –                             │
no value                        0      –                             │
Grey, ○: fewer than 30 responses
";

const TREND: &str = "\
MONTH      RESPONSES     NPS   99% INTERVAL   −100      0      +100
Jan 2020           –       –                            │
Feb 2020          40   −25.0   −55.6 to 9.1       ────●─┼─
Mar 2020          69    42.0   15.8 to 64.8             │ ──●──
";

/// Returns a project with displays in February and March 2020, by plans whose names are difficult.
fn operator() -> Operator {
    let displays = [
        (
            "2020-02-10",
            json!({"plan": "free", "beta": true}),
            [10, 10, 20, 5, 5],
        ),
        (
            "2020-03-10",
            json!({"plan": "free", "beta": false, "seats": 4}),
            [12, 8, 12, 2, 6],
        ),
        (
            "2020-03-11",
            json!({"plan": "pro", "beta": true}),
            [30, 4, 1, 0, 5],
        ),
        (
            "2020-03-12",
            json!({"plan": "evil\u{1b}[31m\n日本語プラン"}),
            [1, 0, 1, 0, 0],
        ),
        ("2020-03-13", json!({"plan": "no value"}), [0, 0, 0, 1, 0]),
        ("2020-03-14", json!({"plan": 7}), [0, 0, 0, 0, 1]),
    ];
    let outcomes = [
        json!({"rating": 10}),
        json!({"rating": 7}),
        json!({"rating": 3}),
        json!({"dismissed": true}),
        json!({"pending": true}),
    ];
    let mut records = String::new();
    for (day, traits, counts) in displays {
        for (outcome, count) in outcomes.iter().zip(counts) {
            for at in 0..count {
                let mut record = outcome.clone();
                record["id"] = format!("{day}-{outcome}-{at}").into();
                record["created"] = day.into();
                record["user"] = json!({"traits": traits});
                writeln!(records, "{record}").unwrap();
            }
        }
    }
    imported(&records)
}

fn imported(records: &str) -> Operator {
    let operator = Operator::new();
    succeeded(&operator.run_with_input("import responses - --project acme", records));
    operator
}

fn drawn(operator: &Operator, line: &str) -> String {
    succeeded(&operator.request(line))
}

#[test]
fn a_period_is_drawn_with_its_change_since_the_month_before() {
    assert_eq!(drawn(&operator(), MARCH), PERIOD);
}

#[test]
fn groups_descend_by_responses_whatever_their_names_are() {
    let operator = operator();
    let line = format!("{MARCH} --group-by plan");
    assert_eq!(drawn(&operator, &line), GROUPS);
    let mut command = operator.command(&format!("{line} --url {}", operator.api()));
    let colored = succeeded(&output(command.env("CLICOLOR_FORCE", "1")));
    for color in ["\u{1b}[32m", "\u{1b}[33m", "\u{1b}[31m", "\u{1b}[38;5;8m"] {
        assert!(colored.contains(color), "{color:?}: {colored}");
    }
    assert_eq!(console::strip_ansi_codes(&colored), GROUPS);
    let limited = drawn(&operator, &format!("{line} --group-limit 1"));
    let names = limited.lines().skip_while(|line| !line.starts_with("PLAN"));
    let names: Vec<_> = names
        .skip(1)
        .take(2)
        .map(|line| line.split("  ").next().unwrap())
        .collect();
    assert_eq!(names, ["free", "all others"]);
}

#[test]
fn a_trend_has_a_row_for_each_interval_and_group() {
    let operator = operator();
    let line = "stats --project acme --start 2020-01-01 --end 2020-04-01 --timezone Europe/Prague";
    let trend = drawn(
        &operator,
        &format!("{line} --interval month --confidence 99"),
    );
    assert_eq!(trend[trend.find("MONTH").unwrap()..], *TREND);
    let quarter = drawn(
        &operator,
        &format!("{line} --interval quarter --group-by beta"),
    );
    let rows = quarter
        .lines()
        .skip_while(|line| !line.starts_with("QUARTER"))
        .skip(1);
    let rows: Vec<_> = rows
        .map(|row| row.get(..30).unwrap_or(row).trim_end())
        .collect();
    assert_eq!(
        rows[..2],
        [
            "Q1 2020   true              75",
            "          false             32"
        ],
        "{quarter}"
    );
}

#[test]
fn an_interval_that_is_not_over_is_marked() {
    let now = Timestamp::now().to_string();
    let record = json!({"created": now, "rating": 9});
    let operator = imported(&record.to_string());
    for interval in ["day", "week", "month", "quarter", "year"] {
        let drawn = drawn(
            &operator,
            &format!("stats --project acme --interval {interval}"),
        );
        let row = drawn.lines().rev().nth(2).unwrap();
        assert!(
            row.contains("*  ") && drawn.ends_with("\n*: not over yet\n"),
            "{drawn}"
        );
        assert_eq!(drawn.matches('*').count(), 2, "{drawn}");
    }
    let past = drawn(
        &operator,
        "stats --project acme --start 2020-01-15 --end 2020-02-15 --interval month",
    );
    assert!(!past.contains('*'), "{past}");
}

#[test]
fn the_default_period_is_the_last_thirty_days_with_today() {
    let operator = Operator::new();
    let midnight = |days: i64| {
        let at = Timestamp::now().plus_millis(days * 86_400_000).unwrap();
        format!("\"{}T00:00:00.000Z\"", &at.to_string()[..10])
    };
    let csv = drawn(&operator, "stats --project acme --interval all --csv");
    let expected = format!("{},{},0,", midnight(-29), midnight(1));
    assert!(csv.lines().nth(1).unwrap().starts_with(&expected), "{csv}");
}

#[test]
fn a_period_that_shows_nothing_says_what_to_do() {
    let operator = operator();
    let empty = drawn(
        &operator,
        "stats --project acme --start 2019-01-01 --end 2019-01-02 --group-by pla",
    );
    let expected = "acme, 1 Jan 2019 (UTC)\n\nNo surveys were shown in this period. Widen it, such as by --start 2018-01-01.\n\
                    A new project gets its records from `feedback import responses`.\n";
    assert_eq!(empty, expected);
    for more in ["", " --group-by beta", " --traits"] {
        let filtered = drawn(&operator, &format!("{MARCH} --filter plan=eq:other{more}"));
        assert!(
            filtered.ends_with("Nothing matches these filters in this period.\n"),
            "{filtered}"
        );
    }
}

#[test]
fn a_trait_is_grouped_by_as_the_type_that_it_has() {
    let operator = operator();
    let plain = drawn(&operator, &format!("{MARCH} --group-by beta --csv"));
    assert_eq!(
        plain,
        drawn(&operator, &format!("{MARCH} --group-by boolean.beta --csv"))
    );
    assert!(
        plain.contains("\nfalse,false,32,40,2,") && plain.contains("\ntrue,false,35,40,0,"),
        "{plain}"
    );
    for (options, expected) in [
        (
            "--group-by seats",
            "`seats` is a number, and numbers cannot be grouped; filter by it, such as seats=number.gte:10 (--",
        ),
        (
            "--group-by string.beta",
            "`beta` is of the type boolean, not string (--",
        ),
        (
            "--filter beta=eq:true",
            "`beta` is a boolean; write beta=boolean.eq:true (--",
        ),
        (
            "--filter seats=eq:4",
            "`seats` is a number; write seats=number.eq:4 (--",
        ),
        (
            "--filter seats=contains:many",
            "`seats` is a number; write seats=number.eq:10 (--",
        ),
        (
            "--filter beta=eq:false",
            "`beta` is a boolean; write beta=boolean.eq:false (--",
        ),
        (
            "--group-by Plna",
            "no record of this period has the string `Plna`; did you mean plan?\n",
        ),
        (
            "--filter plan=ne:x --filter plam=eq:x --traits",
            "no record of this period has the string `plam`; did you mean plan?\n",
        ),
        (
            "--group-by q\u{1b}[2J",
            "no record of this period has the string `q\u{fffd}[2J` (--traits lists what there is)\n",
        ),
    ] {
        let output = operator.request(&format!("{MARCH} {options}"));
        let error = failed(&output, 2);
        assert!(
            error.starts_with(&format!("feedback: {expected}")),
            "{options}: {error}"
        );
        assert!(output.stdout.is_empty(), "{options}");
    }
    let json = drawn(&operator, &format!("{MARCH} --filter beta=eq:true --json"));
    assert!(json.contains(r#""displays":0"#), "{json}");
    // It is not why nothing is found.
    succeeded(&operator.request(&format!("{MARCH} --filter plam=ne:A --filter plan=eq:B")));
}

#[test]
fn a_trait_that_is_a_number_and_a_boolean_is_grouped_by_as_the_boolean() {
    let record = |beta: Value| {
        let user = json!({"traits": {"beta": beta}});
        json!({"rating": 9, "created": "2020-03-05", "user": user}).to_string()
    };
    let records = [record(json!(1)), record(json!(2)), record(json!(true))];
    let operator = imported(&records.join("\n"));
    let csv = drawn(&operator, &format!("{MARCH} --group-by beta --csv"));
    assert!(csv.contains("\ntrue,false,1,1,0,"), "{csv}");
}

#[test]
fn the_newest_rating_of_each_person_counts_and_the_others_answered_too() {
    let record = |day, rating| {
        json!({"rating": rating, "created": day, "user": {"userId": "jane"}}).to_string()
    };
    let records = [
        record("2020-03-05", 2),
        record("2020-03-06", 9),
        record("2020-03-07", 10),
    ];
    let operator = imported(&records.join("\n"));
    let latest = drawn(&operator, &format!("{MARCH} --respondents latest"));
    for line in [
        "  the newest rating of each person",
        "NPS 100.0     95% interval −48.5 to 98.5",
        "3 surveys answered, no others are recorded    2 superseded by newer ones",
    ] {
        assert!(
            latest.lines().any(|drawn| drawn == line),
            "{line}: {latest}"
        );
    }
    succeeded(&operator.run("erase --project acme --user-id jane --yes"));
    assert_eq!(operator.figures(" --respondents latest")["responses"], 3);
}

#[test]
fn the_traits_are_listed_with_their_types_and_what_is_private() {
    let traits = json!({"plan": "pro", "email": "jane@example.com"});
    let record: Value = json!({"rating": 9, "created": "2020-03-05", "user": {"traits": traits}});
    let operator = imported(&record.to_string());
    let expected = "   DISPLAYS  TYPE     NAME\n          1  string   email  (private: filter only)\n          1  string   plan\n";
    assert_eq!(drawn(&operator, &format!("{MARCH} --traits")), expected);
    let json = drawn(&operator, &format!("{MARCH} --traits --json"));
    assert!(
        json.contains(r#"{"name":"plan","type":"string","displays":1,"private":false}"#),
        "{json}"
    );
}

#[test]
fn options_that_are_wrong_say_what_is_meant() {
    let operator = Operator::new();
    for (options, reason) in [
        ("--week-start sunday", "--interval"),
        ("--group-limit 5", "--group-by"),
        ("--interval hour", "all, day, week, month, quarter, year"),
        ("--confidence 80", "90, 95, 99"),
        ("--group-by number.seats", "string.number.seats"),
        ("--group-by boolean.", "the name must name a trait"),
        ("--interval day --json --csv", "cannot be used with"),
        ("--traits --group-by plan", "cannot be used with"),
        ("--timezone Mars/Base", "must be the name of a time zone"),
        ("--filter plan=Growth", "did you mean plan=eq:Growth?"),
        ("--filter beta=true", "did you mean beta=boolean.eq:true?"),
        ("--filter seats=4", "did you mean seats=number.eq:4?"),
    ] {
        let error = failed(
            &operator.request(&format!("stats --project acme {options}")),
            2,
        );
        assert!(error.contains(reason), "{options}: {error}");
    }
    for (options, reason) in [
        (
            "--interval month --week-start sunday",
            "weekStart is only for the interval week",
        ),
        (
            "--group-by plan --group-limit 101",
            "groupLimit must be a number from 1 to 100",
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
