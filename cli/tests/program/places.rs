//! Where commands write, which they say before they do.

use crate::operator::Operator;
use crate::process::{Served, feedback, only_line, output, run};

const RECORD: &str = r#"{"id":"r","created":"2020-01-01","rating":9}"#;

#[test]
fn commands_that_write_say_where() {
    let operator = Operator::new();
    operator.file("record.ndjson", RECORD);
    for command in [
        "import responses record.ndjson --project acme",
        "erase --project acme --user-id a --yes",
        "erase --project acme --all --yes",
        "credentials create-read-key --project acme",
        "credentials revoke zzzzzzzz --yes",
        "tables create",
    ] {
        let places = [
            ("", format!("writing to {}\n", operator.dynamodb())),
            (
                " --data folder",
                "writing to the data folder folder\n".to_owned(),
            ),
        ];
        for (option, expected) in places {
            let output = operator.run(&format!("{command}{option}"));
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.starts_with(&expected), "{command}{option}: {said}");
        }
    }
}

#[test]
fn an_account_is_named_by_its_region_and_tables() {
    let output = feedback(&["tables", "create"])
        .env_remove("AWS_ENDPOINT_URL_DYNAMODB")
        .env("AWS_REGION", "eu-central-1")
        .env("AWS_ACCESS_KEY_ID", "a")
        .env("AWS_SECRET_ACCESS_KEY", "b")
        .env("USERS_TABLE", "acme-\u{1b}users")
        // Nothing is reached.
        .env("HTTPS_PROXY", "http://127.0.0.1:9")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("writing to an AWS account, region eu-central-1, tables acme-\u{FFFD}users, responses, credentials\n"),
        "{said}"
    );
}

#[test]
fn an_address_that_is_set_to_nothing_is_refused_before_anything_is_reached() {
    for variable in ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"] {
        for command in [
            &["tables", "create"][..],
            &["credentials", "list", "--project", "acme"],
        ] {
            let mut command = feedback(command);
            command
                .env_remove("AWS_ENDPOINT_URL_DYNAMODB")
                .env(variable, "")
                .env("AWS_REGION", "eu-central-1")
                .env("AWS_ACCESS_KEY_ID", "a")
                .env("AWS_SECRET_ACCESS_KEY", "b");
            assert_eq!(
                only_line(&output(&mut command)),
                "feedback: the address of DynamoDB is empty: unset AWS_ENDPOINT_URL_DYNAMODB (or AWS_ENDPOINT_URL) to use \
                 an AWS account\n"
            );
        }
    }
}

#[test]
fn commands_that_only_read_do_not_say_where() {
    let operator = Operator::new();
    operator.file("record.ndjson", RECORD);
    for command in [
        "import responses record.ndjson --project acme --dry-run",
        "credentials list",
        "export users --project acme",
    ] {
        let output = operator.run(command);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("writing"), "{command}: {said}");
    }
}

#[test]
fn the_refusal_of_a_served_folder_names_the_way_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = folder.path().join("record.ndjson");
    std::fs::write(&file, RECORD).unwrap();
    let data = data.to_str().unwrap();
    let import = [
        "import",
        "responses",
        file.to_str().unwrap(),
        "--project",
        "acme",
    ];
    let served = Served::start(&["--data", data]);
    let line = only_line(&run(&[&import[..], &["--data", data]].concat()));
    let variables: Vec<_> = line
        .split_whitespace()
        .filter_map(|word| word.split_once('='))
        .collect();
    assert!(
        variables.contains(&(
            "AWS_ENDPOINT_URL_DYNAMODB",
            &format!("http://{}", served.dynamodb())
        )),
        "{line}"
    );
    let output = feedback(&import).envs(variables).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    drop(served);
    let output = run(&[&import[..], &["--data", data]].concat());
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("1 unchanged"),
        "the other way reached this folder"
    );
}

#[test]
fn an_endpoint_of_a_profile_is_named_as_one() {
    let operator = Operator::new();
    let endpoint = operator.dynamodb();
    for profile in [
        format!("[profile p]\nendpoint_url = {endpoint}\n"),
        format!(
            "[profile p]\nservices = s\n[services s]\ndynamodb =\n  endpoint_url = {endpoint}\n"
        ),
    ] {
        operator.file("config", profile);
        let output = operator
            .command("tables create")
            .env_remove("AWS_ENDPOINT_URL_DYNAMODB")
            .env("AWS_PROFILE", "p")
            .env("AWS_CONFIG_FILE", operator.path("config"))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said, format!("writing to {endpoint}\nthe tables exist\n"));
    }
}
