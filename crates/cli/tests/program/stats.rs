//! What `feedback stats` prints.

use std::fmt::Write as _;

use model::Timestamp;

use crate::operator::Operator;
use crate::outcome::{error_line, succeeded};
use crate::process::output;

pub(crate) const MARCH: &str = "stats --project acme --start 2020-03-01 --end 2020-04-01";

/// What a drawing begins with.
const SUMMARY: &str = "\
acme, 1 Mar – 31 Mar 2020 (UTC)

NPS 42.0     95% interval 22 to 59
▲ 67.0 vs 1 Feb – 29 Feb 2020 (−25.0)     clear change (+32.7 to +94.4)
no data before 10 Feb 2020

84 surveys shown    69 answered (82%)    3 dismissed

Promoters      43   62%  ████████████████████████▉
Passives       12   17%  ██████▉
Detractors     14   20%  ████████
";

const RATINGS: &str = "
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

const GROUPS: &str = "
PLAN                     RESPONSES    NPS   95% INTERVAL   −100      0      +100
free                            32    0.0   −28 to 28             ───●───
pro                             35   82.9   60 to 93                 │     ──●─
evil�[31m�日本語プラン           2    0.0   −73 to 73         ───────○───────
\"no value\"                       0      –                            │
no value                         0      –                            │
Grey, ○: fewer than 30 responses
";

const TREND: &str = "\
MONTH      RESPONSES     NPS   99% INTERVAL   −100      0      +100
Jan 2020           –       –                            │
Feb 2020          40   −25.0   −56 to 9           ────●─┼─
Mar 2020          69    42.0   16 to 65                 │ ──●──
";

/// The outcomes of displays, and how many of each a day has. The names of the plans are difficult.
const OUTCOMES: [&str; 5] = [
    r#""rating":10"#,
    r#""rating":7"#,
    r#""rating":3"#,
    r#""dismissed":true"#,
    r#""pending":true"#,
];
const DISPLAYS: [(&str, &str, [usize; 5]); 6] = [
    ("02-10", r#""plan":"free","beta":true"#, [10, 10, 20, 5, 5]),
    (
        "03-10",
        r#""plan":"free","beta":false,"seats":4"#,
        [12, 8, 12, 2, 6],
    ),
    ("03-11", r#""plan":"pro","beta":true"#, [30, 4, 1, 0, 5]),
    (
        "03-12",
        r#""plan":"evil\u001b[31m\n日本語プラン""#,
        [1, 0, 1, 0, 0],
    ),
    ("03-13", r#""plan":"no value""#, [0, 0, 0, 1, 0]),
    ("03-14", r#""plan":7"#, [0, 0, 0, 0, 1]),
];

/// Returns a project with these displays.
pub(crate) fn operator() -> Operator {
    let mut records = String::new();
    let mut id = 0;
    for (day, traits, counts) in DISPLAYS {
        for (outcome, count) in OUTCOMES.iter().zip(counts) {
            for _ in 0..count {
                id += 1;
                let user = format!(r#"{{"traits":{{{traits}}}}}"#);
                writeln!(
                    records,
                    r#"{{"id":"r{id}","created":"2020-{day}",{outcome},"user":{user}}}"#
                )
                .unwrap();
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
fn a_period_is_drawn_with_its_change_since_the_month_before() {
    let expected = format!("{SUMMARY}{RATINGS}");
    assert_eq!(march(&operator(), ""), expected);
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
    let compared = march.contains(" vs 1 Feb – 29 Feb 2020") && !march.contains("no data");
    assert!(compared, "{march}");
    let february = drawn("2020-02");
    assert!(
        february.contains("\nno data before 31 Jan 2020\n"),
        "{february}"
    );
}

#[test]
fn groups_are_in_the_order_of_the_api_whatever_their_names_are() {
    let operator = operator();
    let expected = format!("{SUMMARY}{GROUPS}");
    assert_eq!(march(&operator, " --group-by plan"), expected);
    let line = format!("{MARCH} --group-by plan --url {}", operator.api());
    let colored = succeeded(&output(operator.command(&line).env("CLICOLOR_FORCE", "1")));
    for color in ["\u{1b}[32m", "\u{1b}[33m", "\u{1b}[31m", "\u{1b}[38;5;8m"] {
        assert!(colored.contains(color), "{color:?}: {colored}");
    }
    assert_eq!(console::strip_ansi_codes(&colored), expected);
    let limited = march(&operator, " --group-by plan --group-limit 1");
    let names = limited.lines().skip_while(|line| !line.starts_with("PLAN"));
    let names = names.map(|line| line.split("  ").next().unwrap());
    assert!(
        names.take(3).eq(["PLAN", "free", "all others"]),
        "{limited}"
    );
}

#[test]
fn a_trend_has_a_row_for_each_interval_and_group() {
    let operator = operator();
    let line = "stats --project acme --start 2020-01-01 --end 2020-04-01 --timezone Europe/Prague";
    let monthly = format!("{line} --interval month --confidence 99");
    let trend = drawn(&operator, &monthly);
    assert_eq!(trend[trend.find("MONTH").unwrap()..], *TREND);
    let quarterly = format!("{line} --interval quarter --group-by beta");
    let quarter = drawn(&operator, &quarterly);
    let (_, table) = quarter.split_once("QUARTER").unwrap();
    for (row, expected) in table.lines().skip(1).zip([
        "Q1 2020   true              75 ",
        "          false             32 ",
    ]) {
        assert!(row.starts_with(expected), "{quarter}");
    }
}

#[test]
fn an_interval_that_is_not_over_is_marked() {
    let now = Timestamp::now();
    let operator = Operator::with_responses(format!(r#"{{"created":"{now}","rating":9}}"#));
    for interval in ["day", "week", "month", "quarter", "year"] {
        let line = format!("stats --project acme --interval {interval}");
        let drawn = drawn(&operator, &line);
        let row = drawn.lines().rev().nth(2).unwrap();
        let is_explained = drawn.ends_with("\n*: not over yet\n");
        assert!(row.contains("*  ") && is_explained, "{drawn}");
        assert_eq!(drawn.matches('*').count(), 2, "{drawn}");
    }
    let past = "stats --project acme --start 2020-01-15 --end 2020-02-15 --interval month";
    let past = drawn(&operator, past);
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
    let empty = "stats --project acme --start 2019-01-01 --end 2019-01-02 --group-by pla";
    let expected = "acme, 1 Jan 2019 (UTC)\n\n\
                    No surveys were shown in this period. Widen it, such as by --start 2018-01-01.\n\
                    A new project gets its records from `feedback import responses`.\n";
    assert_eq!(drawn(&operator, empty), expected);
    for more in ["", " --group-by beta", " --traits"] {
        let filtered = march(&operator, &format!(" --filter plan=eq:other{more}"));
        let expected = "Nothing matches these filters in this period.\n";
        assert!(filtered.ends_with(expected), "{filtered}");
    }
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

#[test]
fn the_newest_rating_of_each_person_counts_and_the_others_answered_too() {
    let records = [(5, 2), (6, 9), (7, 10)].map(|(day, rating)| {
        format!(r#"{{"rating":{rating},"created":"2020-03-0{day}","user":{{"userId":"jane"}}}}"#)
    });
    let operator = Operator::with_responses(records.join("\n"));
    let latest = march(&operator, " --respondents latest");
    for line in [
        "  the newest rating of each person",
        "NPS 100.0     95% interval −48 to 98     fewer than 30 responses",
        "3 surveys answered, no others are recorded    2 superseded by newer ones",
    ] {
        let is_drawn = latest.lines().any(|drawn| drawn == line);
        assert!(is_drawn, "{line}: {latest}");
    }
    succeeded(&operator.run("erase --project acme --user-id jane --yes"));
    assert_eq!(operator.figures(" --respondents latest")["responses"], 3);
}

#[test]
fn the_traits_are_listed_with_their_types_and_what_is_private() {
    let user = r#"{"traits":{"plan":"pro","email":"jane@example.com"}}"#;
    let record = format!(r#"{{"rating":9,"created":"2020-03-05","user":{user}}}"#);
    let operator = Operator::with_responses(record);
    let expected = "   DISPLAYS  TYPE     NAME\n          \
                    1  string   email  (private: filter only)\n          1  string   plan\n";
    assert_eq!(march(&operator, " --traits"), expected);
    let json = march(&operator, " --traits --json");
    let plan = r#"{"name":"plan","type":"string","displays":1,"private":false}"#;
    assert!(json.contains(plan), "{json}");
}

/// What filters accept and refuse is that of the API's parameter `filter`.
#[test]
fn filters_reach_the_api_as_they_are_written_and_are_drawn_with_quotes_around_strings_alone() {
    let records = [
        r#"{"plan":"pro","legroom":3,"recommended":true,"a.b":"x:y+z &"}"#,
        r#"{"plan":"4","legroom":4.50,"recommended":false}"#,
        r#"{"legroom":1e1,"recommended":"true"}"#,
    ];
    let records = records.map(|traits| {
        format!(r#"{{"created":"2020-03-01","rating":9,"user":{{"traits":{traits}}}}}"#)
    });
    let operator = Operator::with_responses(records.join("\n"));
    let all = "--filter legroom=number.gte:4 --filter recommended=boolean.eq:false --filter recommended=ne:true";
    for (filters, expected) in [
        ("--filter plan=ncontains:p", 2),
        ("--filter a.b=contains:x:y+z", 1),
        ("--filter legroom=number.gt:+4.50", 1),
        (all, 1),
    ] {
        let figures = operator.figures(&format!(" {filters}"));
        assert_eq!(figures["displays"], expected, "{filters}");
    }
    let drawn = march(
        &operator,
        " --filter plan=ne:4 --filter legroom=number.gte:03.0 --filter recommended=boolean.ne:false",
    );
    let lines = drawn.lines().filter(|line| line.starts_with("  where "));
    let expected = [
        r#"  where plan ne "4""#,
        "  where legroom gte 3",
        "  where recommended ne false",
    ];
    assert_eq!(lines.collect::<Vec<_>>(), expected);
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
