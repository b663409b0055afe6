//! What `feedback users` prints, in a terminal of 80 columns.

use serde_json::json;

use crate::http::put_items;
use crate::operator::Operator;
use crate::outcome::succeeded;
use crate::process::output;

const USERS: &str = "\
USER ID                  NAME               EMAIL                    LAST SEEN
007                      James Bond         james@example.org        2020-01-05
a-very-long-identifier-… 日本語日本語日本…  -                        2020-01-06
evil�[31m                -                  -                        never

3 users
";

/// Returns a project with three users.
fn operator() -> Operator {
    let operator = Operator::new();
    let users = [
        json!({"userId": "007", "name": "James Bond", "email": "james@example.org", "lastSeen": "2020-01-05"}),
        json!({"userId": "a-very-long-identifier-of-somebody", "name": "日本語日本語日本語日本語", "lastSeen": "2020-01-06"}),
        json!({"userId": "evil\u{1b}[31m"}),
    ];
    let users = users.map(|user| user.to_string()).join("\n");
    succeeded(&operator.run_with_input("import users - --project acme", users));
    operator
}

#[test]
fn users_fit_eighty_columns_without_control_characters_with_and_without_colors() {
    let operator = operator();
    let users = succeeded(&operator.request("users --project acme"));
    assert_eq!(users, USERS);
    let mut lines = users.lines();
    assert!(lines.all(|line| console::measure_text_width(line) <= 80));
    let mut command = operator.command(&format!("users --project acme --url {}", operator.api()));
    let colored = succeeded(&output(command.env("CLICOLOR_FORCE", "1")));
    assert!(colored.contains("\u{1b}[1m"), "{colored}");
    assert_eq!(console::strip_ansi_codes(&colored), USERS);
}

#[test]
fn the_table_of_users_continues_across_the_pages_of_the_api() {
    let operator = Operator::new();
    let user = |n| json!({"project": {"S": "acme"}, "userId": {"S": format!("user-{n:04}")}});
    let users: Vec<_> = (0..201).map(user).collect();
    put_items(operator.served().dynamodb(), "users", &users);
    let table = succeeded(&operator.request("users --project acme"));
    let ids = table.lines().filter(|line| line.starts_with("user-"));
    let ids = ids.filter_map(|line| line.split(' ').next());
    assert!(ids.eq((0..201).map(|n| format!("user-{n:04}"))), "{table}");
    assert!(table.ends_with("\n\n201 users\n"), "{table}");
    let requests = operator.served().log(3);
    assert_eq!(requests.lines().count(), 3, "{requests}");
    let one = succeeded(&operator.request("users --project acme --user-id user-0150"));
    let is_one = one.contains("\nuser-0150 ") && one.ends_with("\n\n1 user\n");
    assert!(is_one, "{one}");
}
