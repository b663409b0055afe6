//! Where commands write, which they say before they do.

use std::process::Output;

use crate::http::status;
use crate::operator::Operator;
use crate::outcome::{stderr, succeeded};
use crate::place::Place;
use crate::process::{SERVE, Served, at_store, feedback, output};

const STATISTICS: &str = "/api/v2/response-statistics?project=acme";
const RECORD: &str = r#"{"id":"r","created":"2020-01-01","rating":9}"#;

#[test]
fn commands_that_write_say_where_and_others_do_not() {
    let operator = Operator::new();
    operator.file("record.ndjson", RECORD);
    let store = format!("writing to {}\n", operator.dynamodb());
    let folder = "writing to the data folder folder\n".to_owned();
    for (command, writes) in [
        ("import responses record.ndjson --project acme", true),
        ("erase --project acme --user-id a --yes", true),
        ("erase --project acme --all --yes", true),
        ("credentials create --project acme --may statistics", true),
        ("credentials revoke zzzzzzzz --yes", true),
        ("tables create", true),
        (
            "import responses record.ndjson --project acme --dry-run",
            false,
        ),
        ("credentials list", false),
        ("export users --project acme", false),
    ] {
        for (option, expected) in [("", &store), (" --data folder", &folder)] {
            let output = operator.run(&format!("{command}{option}"));
            let said = String::from_utf8(output.stderr).unwrap();
            // The first command says that there is no such folder yet.
            let said = said.trim_start_matches("creating the data folder folder\n");
            assert_eq!(
                said.starts_with(expected),
                writes,
                "{command}{option}: {said}"
            );
            assert_eq!(
                said.contains("writing"),
                writes,
                "{command}{option}: {said}"
            );
        }
    }
}

#[test]
fn an_account_is_named_by_its_region_and_tables() {
    let mut create = feedback("tables create");
    // Nothing is reached.
    create.env("HTTPS_PROXY", "http://127.0.0.1:9");
    at_store(&mut create, "").env_remove("AWS_ENDPOINT_URL_DYNAMODB");
    let output = output(create.env("USERS_TABLE", "acme-\u{1b}users"));
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    let account = "writing to an AWS account, region us-east-1, tables acme-\u{FFFD}users, responses, credentials\n";
    assert!(said.starts_with(account), "{said}");
}

#[test]
fn a_folder_that_is_served_is_worked_on_through_its_socket() {
    let place = Place::new();
    place.file("record.ndjson", RECORD);
    let mut serve = place.command(&format!("{SERVE} --data data"));
    let served = Served::ready(serve.spawn().unwrap());
    let on_data = |line: &str| place.run(&format!("{line} --data data"));
    let said = |output: &Output| String::from_utf8(output.stderr.clone()).unwrap();

    let import = "import responses record.ndjson --project acme";
    let imported = on_data(import);
    let writing = "writing to the data folder data, which is being served\n";
    assert!(said(&imported).starts_with(writing), "{imported:?}");
    let summary = succeeded(&imported);
    assert!(summary.starts_with("responses: 1 written, 0 unchanged"));
    let key = succeeded(&on_data(
        "credentials create --project acme --may statistics",
    ));
    assert!(summary.contains("\nrated       1\n"), "{summary}");
    let (target, header) = (STATISTICS, format!("AuthKey: {}", key.trim()));
    assert_eq!(status(&served.api, target, &header), 200);

    let exported = on_data("export responses --project acme");
    assert_eq!(succeeded(&exported).lines().count(), 1);
    assert_eq!(said(&exported), "1 exported, 0 damaged\n");
    assert_eq!(succeeded(&on_data("credentials list")).lines().count(), 1);
    succeeded(&on_data("tables create"));
    let checked = succeeded(&on_data("check"));
    assert!(checked.contains("responses: 1 checked\n"), "{checked}");
    let project = succeeded(&on_data("check --project acme"));
    assert!(project.contains("responses: 1 checked\n"), "{project}");
    drop(served);
    assert!(
        succeeded(&on_data(import)).contains("1 unchanged"),
        "it reached this folder"
    );
}

#[test]
fn the_names_of_tables_in_an_account_mean_nothing_to_a_folder() {
    let place = Place::new();
    place.file("record.ndjson", RECORD);
    let in_a_shell_for_aws = |line: &str| {
        let mut command = place.command(&format!("{line} --data data"));
        let names = [("RESPONSES_TABLE", "answers"), ("USERS_TABLE", "people")];
        let output = output(command.envs(names));
        succeeded(&output) + &stderr(&output)
    };
    let import = "import responses record.ndjson --project acme --data data";
    succeeded(&place.run(import));
    let export = in_a_shell_for_aws("export responses --project acme");
    assert!(export.ends_with("\n1 exported, 0 damaged\n"), "{export}");
    let backup = in_a_shell_for_aws("backup copy.sqlite");
    assert!(backup.contains("1 response"), "{backup}");
    in_a_shell_for_aws("erase --project acme --all --yes");
    let left = succeeded(&place.run("export responses --project acme --data data"));
    assert_eq!(left, "");
}
