//! What `feedback stats` and `feedback users` print, in a terminal of 80 columns.

use serde_json::json;

use crate::http::operate;
use crate::operator::Operator;
use crate::process::{output, succeeded};

const STATS: &str = "\
acme, from 2020-01-01 until 2020-02-01
  where plan eq \"pro\"

NPS  +25.0
-100 ├─────────────────────────────┼───────●─────────────────────┤ +100

Promoters              2    50.0%  ████████████████████
Passives               1    25.0%  ██████████
Detractors             1    25.0%  ██████████

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

4 of 6 displays answered (66.7%), 1 dismissed
";

const USERS: &str = "\
USER ID                  NAME               EMAIL                    LAST SEEN
007                      James Bond         james@example.org        2020-01-05
a-very-long-identifier-… 日本語日本語日本…  -                        2020-01-06
evil�[31m                -                  -                        never

3 users
";

const JANUARY: &str = "stats --project acme --start 2020-01-01 --end 2020-02-01";

/// Returns a project with six displays and three users.
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
    succeeded(&operator.run_with_input("import responses - --project acme", records));
    let users = [
        json!({"userId": "007", "name": "James Bond", "email": "james@example.org", "lastSeen": "2020-01-05"}),
        json!({"userId": "a-very-long-identifier-of-somebody", "name": "日本語日本語日本語日本語", "lastSeen": "2020-01-06"}),
        json!({"userId": "evil\u{1b}[31m"}),
    ];
    let users = users.map(|user| user.to_string()).join("\n");
    succeeded(&operator.run_with_input("import users - --project acme", users));
    operator
}

#[track_caller]
fn assert_fits(text: &str) {
    for line in text.lines() {
        assert!(console::measure_text_width(line) <= 80, "{line}");
    }
}

#[test]
fn statistics_and_users_fit_eighty_columns_without_control_characters() {
    let operator = operator();
    let stats = succeeded(&operator.request(&format!("{JANUARY} --filter plan=eq:pro")));
    let users = succeeded(&operator.request("users --project acme"));
    assert_eq!((stats.as_str(), users.as_str()), (STATS, USERS));
    let long = "日本語".repeat(40);
    let stats = succeeded(&operator.request(&format!("{JANUARY} --filter plan=ne:{long}")));
    assert!(stats.contains("\n  where plan ne \"日本語"), "{stats}");
    for text in [stats, users] {
        assert_fits(&text);
    }
}

#[test]
fn colors_are_printed_on_request_and_change_nothing_else() {
    let operator = operator();
    for (line, colors, plain) in [
        (
            JANUARY,
            &["\u{1b}[32m", "\u{1b}[33m", "\u{1b}[31m"][..],
            STATS,
        ),
        ("users --project acme", &["\u{1b}[1m"], USERS),
    ] {
        let filter = if line == JANUARY {
            " --filter plan=eq:pro"
        } else {
            ""
        };
        let line = format!("{line}{filter} --url {}", operator.api());
        let mut command = operator.command(&line);
        let colored = succeeded(&output(command.env("CLICOLOR_FORCE", "1")));
        for color in colors {
            assert!(colored.contains(color), "{color:?}: {colored}");
        }
        assert_eq!(console::strip_ansi_codes(&colored), plain);
    }
}

#[test]
fn the_table_of_users_continues_across_the_pages_of_the_api() {
    let operator = Operator::new();
    let user = |n| json!({"Put": {"TableName": "users", "Item": {"project": {"S": "acme"}, "userId": {"S": format!("user-{n:04}")}}}});
    let users: Vec<_> = (0..2001).map(user).collect();
    // Each write of its own would wait for the disk.
    for users in users.chunks(100) {
        let write = json!({"TransactItems": users}).to_string();
        operate(operator.served().dynamodb(), "TransactWriteItems", &write);
    }
    let table = succeeded(&operator.request("users --project acme"));
    let ids = table.lines().filter(|line| line.starts_with("user-"));
    let ids = ids.filter_map(|line| line.split(' ').next());
    assert!(ids.eq((0..2001).map(|n| format!("user-{n:04}"))), "{table}");
    assert!(table.ends_with("\n\n2,001 users\n"), "{table}");
    let requests = operator.served().log(3);
    assert_eq!(requests.lines().count(), 3, "{requests}");
    let one = succeeded(&operator.request("users --project acme --user-id user-1500"));
    assert!(
        one.contains("\nuser-1500 ") && one.ends_with("\n\n1 user\n"),
        "{one}"
    );
}
