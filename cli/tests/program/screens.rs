//! `feedback stats` and `feedback users`: what is seen in a terminal of 80 columns.

use serde_json::json;

use crate::operator::{Operator, failed, succeeded};

const STATS: &str = "\
acme, from 2020-01-01 until 2020-02-01
  where plan eq \"pro\"

NPS  +25.0
-100 ├─────────────────────────────┼───────●─────────────────────┤ +100

Promoters              2   50.0 %  ████████████████████
Passives               1   25.0 %  ██████████
Detractors             1   25.0 %  ██████████

   0  0
   1  0
   2  0
   3  ██████████████████████████████ 1
   4  0
   5  0
   6  0
   7  ██████████████████████████████ 1
   8  0
   9  0
  10  ████████████████████████████████████████████████████████████ 2

4 of 6 displays answered (66.7 %), 1 dismissed
";

const USERS: &str = "\
USER ID                  NAME               EMAIL                    LAST SEEN
007                      James Bond         james@example.org        2020-01-05
a-very-long-identifier-… 日本語日本語日本…  -                        2020-01-06
evil�[31m                -                  -                        never

3 users
";

fn operator() -> Operator {
    let operator = Operator::new();
    let outcomes = [
        r#""rating":10"#,
        r#""rating":10"#,
        r#""rating":7"#,
        r#""rating":3"#,
        r#""dismissed":true"#,
        r#""pending":true"#,
    ];
    let record = |(day, outcome)| {
        format!(
            r#"{{{outcome},"created":"2020-01-0{}","user":{{"traits":{{"plan":"pro"}}}}}}"#,
            day + 1
        )
    };
    let records: Vec<_> = outcomes.into_iter().enumerate().map(record).collect();
    let records = records.join("\n");
    succeeded(&operator.run_with_input("import responses - --project acme", records.as_bytes()));
    let users = [
        json!({"userId": "007", "name": "James Bond", "email": "james@example.org", "lastSeen": "2020-01-05"}),
        json!({"userId": "a-very-long-identifier-of-somebody", "name": "日本語日本語日本語日本語", "lastSeen": "2020-01-06"}),
        json!({"userId": "evil\u{1b}[31m"}),
    ];
    let users = users.map(|user| user.to_string()).join("\n");
    succeeded(&operator.run_with_input("import users - --project acme", users.as_bytes()));
    operator
}

#[test]
fn statistics_and_users_fit_eighty_columns() {
    let operator = operator();
    let asked = "stats --project acme --start 2020-01-01 --end 2020-02-01 --filter plan=eq:pro";
    assert_eq!(succeeded(&operator.ask(asked)), STATS);
    assert_eq!(succeeded(&operator.ask("users --project acme")), USERS);
    for line in STATS.lines().chain(USERS.lines()) {
        assert!(console::measure_text_width(line) <= 80, "{line}");
    }
}

#[test]
fn colours_are_added_where_they_are_wanted_and_change_nothing_else() {
    let operator = operator();
    let url = operator.api();
    let asked = format!(
        "stats --project acme --start 2020-01-01 --end 2020-02-01 --filter plan=eq:pro --url {url}"
    );
    let forced = operator
        .command(&asked)
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    let coloured = succeeded(&forced);
    assert!(
        coloured.contains("\u{1b}[32m") && coloured.contains("\u{1b}[31m"),
        "{coloured}"
    );
    assert_eq!(console::strip_ansi_codes(&coloured), STATS);
}

#[test]
fn what_goes_wrong_is_said_in_a_line_without_the_secret() {
    let operator = operator();
    let url = operator.api();
    for (arguments, variables, why) in [
        (
            format!("stats --project acme --url {url}"),
            [("FEEDBACK_READ_KEY", "")],
            "set FEEDBACK_READ_KEY",
        ),
        (
            format!("stats --project acme --url {url}"),
            [("FEEDBACK_READ_KEY", "not-the-key-of-acme")],
            "unauthenticated",
        ),
        (
            format!("stats --project acme --url {url}"),
            [("FEEDBACK_READ_KEY", "not-the-key\nof-acme")],
            "cannot carry",
        ),
        (
            format!("stats --project other --url {url}"),
            [("A", "")],
            "forbidden",
        ),
        (
            format!("stats --project acme --start soon --url {url}"),
            [("A", "")],
            "startDate must be an ISO 8601",
        ),
        (
            "stats --project acme --url http://127.0.0.1:1".to_owned(),
            [("A", "")],
            "cannot reach http://127.0.0.1:1/: Connection refused",
        ),
        (
            format!("stats --project acme --url {}", operator.dynamodb()),
            [("A", "")],
            "not as this API does",
        ),
        (
            format!("users --project acme --url {url}"),
            [("FEEDBACK_PASSWORD", "not-the-key-of-acme")],
            "unauthenticated",
        ),
    ] {
        let output = operator
            .command(&arguments)
            .envs(variables)
            .output()
            .unwrap();
        let line = failed(&output, 1);
        assert!(
            line.contains(why) && line.lines().count() == 1,
            "{arguments}: {line}"
        );
        assert!(!line.contains("of-acme"), "{line}");
    }
}

#[test]
fn no_secret_is_printed_by_any_command() {
    let operator = operator();
    let mut printed = String::new();
    for line in [
        "import users missing --project acme",
        "import responses - --project acme",
        "export users --project acme",
        "export responses --project acme",
        "erase --project acme --user-id 007 --yes",
        "credentials list",
        "tables create",
        "stats --project acme",
        "users --project acme",
    ] {
        for output in [operator.run(line), operator.ask(line)] {
            printed += &String::from_utf8(output.stdout).unwrap();
            printed += &String::from_utf8(output.stderr).unwrap();
        }
    }
    assert!(printed.contains("acme"), "{printed}");
    for secret in operator.secrets() {
        assert!(secret.len() >= 40 && !printed.contains(secret), "{printed}");
    }
}
