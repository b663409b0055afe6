//! No command prints a secret that it receives.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use test_support::rows;

use crate::help::commands;
use crate::operator::{Operator, PASSWORD, READ_KEY};
use crate::outcome::printed;
use crate::process::run_with_input;

/// The commands other than those that serve, what they read from standard input, and their exit codes.
const COMMANDS: &str = r#"
    import responses - --project acme | {"created":"2020-01-01","rating":9,"user":{"userId":"007"}} | 0
    import users - --project acme | {"userId":"m"} | 0
    import users missing --project acme | | 1
    import users - --project acme | {"userId":""} | 2
    export users --project acme | | 0
    export responses --project acme | | 0
    erase --project acme --user-id 007 --yes | | 0
    stats --project acme --url API | | 0
    mcp --project acme --url API | SESSION | 0
    tables create | | 0
    check --project acme | | 0
    backup --data data backup.sqlite | | 0
    credentials create --project acme --may statistics --secret-stdin | planted-new-key-0000 | 0
    credentials create --project acme --may users --username new --secret-stdin | planted-new-password-0000 | 0
    import credentials - | planted-secret-in-a-wrong-file | 1
    export credentials --output credentials.ndjson | | 0
    import credentials credentials.ndjson | | 0
    credentials list | | 0
    credentials revoke planted-new-key-0000 --yes | | 1
    credentials revoke ID --yes | | 0
    health --url API | | 0
    completions bash | | 0
"#;

/// What an assistant's program sends to ask for the figures.
const SESSION: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"statistics"}}"#,
    "\n",
);

/// Returns all secrets that the commands receive, and the forms in which headers carry them.
fn secrets() -> Vec<String> {
    let pair = STANDARD.encode(format!("reports:{PASSWORD}"));
    let used = [READ_KEY, PASSWORD, pair.as_str()];
    let planted = ["planted-secret-access-key", "planted-session-token"];
    let inputs = rows(COMMANDS).map(|[_, input, _]| input);
    let new = inputs.filter(|input| input.starts_with("planted"));
    let all = used.into_iter().chain(planted).chain(new);
    all.map(str::to_owned).collect()
}

#[test]
fn no_command_prints_a_secret_that_it_receives() {
    let operator = Operator::new();
    let listed = printed(&operator.run("credentials list"));
    let read_key = listed.lines().find(|line| line.contains("\tstatistics\t"));
    let short_id = read_key.unwrap().split('\t').next().unwrap();
    let all = commands();
    let mut covered = BTreeSet::from(["serve".to_owned()]);
    let mut everything = String::new();
    for [line, input, code] in rows(COMMANDS) {
        let filled = line.replace("API", &operator.api()).replace("ID", short_id);
        let mut command = operator.command(&filled);
        command
            .env("AWS_SECRET_ACCESS_KEY", "planted-secret-access-key")
            .env("AWS_SESSION_TOKEN", "planted-session-token");
        let output = run_with_input(&mut command, input.replace("SESSION", SESSION));
        assert_eq!(
            output.status.code(),
            code.parse().ok(),
            "{line}: {output:?}"
        );
        everything += &printed(&output);
        let command = all
            .iter()
            .find(|command| line.starts_with(command.as_str()));
        covered.insert(command.expect(line).clone());
    }
    assert_eq!(covered, all, "every command is covered");
    assert!(everything.contains("structuredContent"), "{everything}");
    // The requests of the API are logged, and the service that logs them received the secrets.
    everything += &operator.served().log(2);
    assert!(everything.contains("response-statistics"), "{everything}");
    for secret in secrets() {
        assert!(!everything.contains(&secret), "{secret}: {everything}");
    }
}
