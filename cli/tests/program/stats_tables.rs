//! The tables of `feedback stats`: intervals, groups, and groups in intervals.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::operator::Operator;
use crate::process::{output, succeeded};
#[cfg(unix)]
use crate::pty::in_terminal;

/// The first half of 2020, in months.
const MONTHS: &str = "stats --project acme --start 2020-01-01 --end 2020-07-01 --interval month";
const HALF: &str = "stats --project acme --start 2020-01-01 --end 2020-07-01";

const TREND: &str = "\
acme, from 2020-01-01 until 2020-07-01 (Europe/Prague)
  by month

FROM          RESPONSES                      NPS  -100          0          +100
2020-01-01           10  ███████████████   +30.0             ───┼───○─────
2020-02-01  no displays                        -
2020-03-01            4  ██████            -50.0     ────○──────┼───
2020-04-01  no displays                        -
2020-05-01  no displays                        -
2020-06-01            0                        -                │
Grey, ○: fewer than 30 responses, too few to tell.

No two complete intervals have at least 30 responses, so none are compared.

14 of 17 displays answered (82.4%), 2 dismissed
";

const GROUPS: &str = "\
acme, from 2020-01-01 until 2020-07-01
  by the value of plan, most displays first

GROUP                 RESPONSES     NPS      90% INTERVAL  -100      0      +100
pro                           5   +40.0    -21.0 to +71.0          ──┼───○───
日本語プランの長い…           5   +20.0    -30.5 to +55.5         ───┼─○────
evil�[31m�plan                2   -50.0    -69.9 to +29.9     ──○────┼───
👩‍👩‍👧 family                     2   -50.0    -69.9 to +29.9     ──○────┼───
\"no value\"                    0       -                              │
no value                      0       -                              │
Grey, ○: fewer than 30 responses, too few to tell.

Fewer than two groups have at least 30 responses, so none are compared.

14 of 17 displays answered (82.4%), 2 dismissed
";

const GROUPED_TREND: &str = "\
acme, from 2020-01-01 until 2020-07-01
  by quarter
  by the value of plan, most displays first

FROM        GROUP                            RESPONSES     NPS      95% INTERVAL
2020-01-01  pro                                      5   +40.0    -29.8 to +79.8
            日本語プランの長い名前、とて…            5   +20.0    -38.7 to +63.7
            all others                               4   -50.0    -76.5 to +19.3
2020-04-01  pro                                      0       -
            日本語プランの長い名前、とて…  no displays       -
            all others                               0       -
Grey: fewer than 30 responses, too few to tell.

14 of 17 displays answered (82.4%), 2 dismissed
";

/// Imports a display on this day with this outcome and this plan.
fn record(text: &mut String, day: &str, outcome: &Value, plan: &Value) {
    let mut record = json!({"created": day, "user": {"traits": {"plan": plan, "beta": plan == "pro", "boolean.beta": (plan == "pro").then_some("yes")}}});
    let members = record.as_object_mut().unwrap();
    members.extend(outcome.as_object().unwrap().clone());
    writeln!(text, "{record}").unwrap();
}

/// Returns a project whose displays are in January, March and June, by plans whose names are difficult.
fn operator() -> Operator {
    let operator = Operator::new();
    let mut records = String::new();
    for rating in [10, 10, 9, 8, 3] {
        record(
            &mut records,
            "2020-01-05",
            &json!({"rating": rating}),
            &json!("pro"),
        );
        record(
            &mut records,
            "2020-01-06",
            &json!({"rating": rating - 1}),
            &json!("日本語プランの長い名前、とても長い名前"),
        );
    }
    for rating in [0, 7] {
        record(
            &mut records,
            "2020-03-05",
            &json!({"rating": rating}),
            &json!("👩‍👩‍👧 family"),
        );
        record(
            &mut records,
            "2020-03-05",
            &json!({"rating": rating}),
            &json!("evil\u{1b}[31m\nplan"),
        );
    }
    record(
        &mut records,
        "2020-06-30",
        &json!({"dismissed": true}),
        &json!("no value"),
    );
    record(
        &mut records,
        "2020-06-30",
        &json!({"dismissed": true}),
        &json!(7),
    );
    record(
        &mut records,
        "2020-06-30",
        &json!({"pending": true}),
        &json!("pro"),
    );
    succeeded(&operator.run_with_input("import responses - --project acme", records));
    operator
}

#[track_caller]
fn assert_fits(text: &str, width: usize) {
    for line in text.lines() {
        assert!(console::measure_text_width(line) <= width, "{line}");
    }
}

#[test]
fn a_trend_has_a_row_for_each_interval_and_a_gap_where_nobody_saw_the_survey() {
    let line = format!("{MONTHS} --confidence 95 --timezone Europe/Prague");
    let trend = succeeded(&operator().request(&line));
    assert_eq!(trend, TREND);
}

#[test]
fn groups_have_a_row_each_whatever_their_names_are() {
    let operator = operator();
    let groups = succeeded(&operator.request(&format!("{HALF} --group-by plan --confidence 90")));
    assert_eq!(groups, GROUPS);
    let booleans = succeeded(&operator.request(&format!("{HALF} --group-by boolean.beta")));
    let rows = booleans.lines().skip(4).take(2);
    let rows: Vec<_> = rows
        .map(|row| row.split_whitespace().take(3).collect::<Vec<_>>())
        .collect();
    assert_eq!(rows, [["false", "9", "-11.1"], ["true", "5", "+40.0"]]);
    for (name, expected) in [
        ("string.plan", "by the value of plan"),
        ("string.boolean.beta", "by the value of boolean.beta"),
    ] {
        let drawn = succeeded(&operator.request(&format!("{HALF} --group-by {name}")));
        assert!(
            drawn.contains(expected) && drawn.contains("no value"),
            "{drawn}"
        );
    }
}

#[test]
fn groups_in_intervals_are_one_compact_table() {
    let operator = operator();
    let line = format!("{HALF} --interval quarter --group-by plan --group-limit 2 --confidence 95");
    assert_eq!(succeeded(&operator.request(&line)), GROUPED_TREND);
}

#[test]
fn every_table_fits_a_terminal_and_is_the_same_with_colors() {
    let operator = operator();
    for options in [
        "--interval month",
        "--group-by plan",
        "--group-by plan --interval week",
    ] {
        for confidence in ["", " --confidence 99"] {
            let line = format!("{HALF} {options}{confidence}");
            let plain = succeeded(&operator.request(&line));
            assert_fits(&plain, 80);
            let mut command = operator.command(&format!("{line} --url {}", operator.api()));
            let colored = succeeded(&output(command.env("CLICOLOR_FORCE", "1")));
            assert!(colored.contains("\u{1b}[38;5;8m"), "{colored}");
            assert_eq!(console::strip_ansi_codes(&colored), plain);
        }
    }
}

#[test]
fn a_trend_scrolls_down_however_many_intervals_it_has() {
    let operator = operator();
    let line = "stats --project acme --start 2018-01-01 --end 2020-07-01 --interval day";
    let trend = succeeded(&operator.request(line));
    let rows = trend.lines().filter(|line| line.starts_with("20"));
    assert_eq!(rows.count(), 365 + 365 + 182);
    let is_gap = |line: &&str| line.contains("  no displays  ") && line.ends_with(" -");
    let gaps = trend.lines().filter(is_gap);
    assert_eq!(gaps.count(), 365 + 365 + 182 - 4);
}

#[test]
fn the_interval_of_one_score_is_drawn_on_its_scale() {
    let drawn = succeeded(&operator().request(&format!("{HALF} --confidence 95")));
    let score: Vec<_> = drawn.lines().skip(2).take(2).collect();
    assert_eq!(
        score,
        [
            "NPS  +7.1, 95% interval -31.4 to +43.1",
            "-100 ├────────────────────═════════╪═●═══════════────────────────┤ +100",
        ]
    );
}

#[test]
fn a_period_without_displays_has_no_table() {
    let operator = Operator::new();
    for options in [
        "--interval month",
        "--group-by plan",
        "--interval month --group-by plan",
    ] {
        let drawn = succeeded(&operator.request(&format!("stats --project acme {options}")));
        assert!(drawn.contains("\nNo displays in this period."), "{drawn}");
    }
}

#[cfg(unix)]
#[test]
fn csv_is_harmless_in_a_terminal() {
    let operator = operator();
    let line = format!("{HALF} --group-by plan --csv --url {}", operator.api());
    let shown = in_terminal(&mut operator.command(&line), 80);
    assert!(
        shown.contains("\"evil\u{FFFD}[31m\u{FFFD}plan\""),
        "{shown}"
    );
}
