//! Where commands write, which they say before they do.

use std::process::Output;

use crate::operator::Operator;
use crate::process::{Served, feedback, only_line, output, run, succeeded};

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
fn without_a_region_and_an_address_nothing_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record.ndjson");
    std::fs::write(&file, RECORD).unwrap();
    let import = [
        "import",
        "responses",
        file.to_str().unwrap(),
        "--project",
        "acme",
    ];
    let export = ["export", "users", "--project", "acme"];
    for command in [
        &["tables", "create"][..],
        &["credentials", "list"],
        &export,
        &import,
    ] {
        let expected =
            "feedback: Where? Add --data ./data for a folder, or set AWS_REGION for an account\n";
        assert_eq!(only_line(&run(command)), expected);
    }
    assert!(
        run(&[&import[..], &["--dry-run"]].concat())
            .status
            .success()
    );
}

#[test]
fn a_folder_that_is_served_is_worked_on_through_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let file = folder.path().join("record.ndjson");
    std::fs::write(&file, RECORD).unwrap();
    let names = [("RESPONSES_TABLE", "answers"), ("USERS_TABLE", "people")];
    let served = Served::start_with_env(&["--data", &data], &names);
    let through = format!(
        "{data}, which is being served: through http://{}, which is slower\n",
        served.dynamodb()
    );
    let on_data =
        |line: &str| run(&[&line.split(' ').collect::<Vec<_>>()[..], &["--data", &data]].concat());
    let said = |output: &Output| String::from_utf8(output.stderr.clone()).unwrap();

    let import = format!("import responses {} --project acme", file.to_str().unwrap());
    let imported = on_data(&import);
    assert!(
        said(&imported).starts_with(&format!("writing to the data folder {through}")),
        "{imported:?}"
    );
    let summary = succeeded(&imported);
    assert!(summary.starts_with("responses: 1 written, 0 unchanged"));
    let key = succeeded(&on_data("credentials create-read-key --project acme"));
    let (_, next) = summary.rsplit_once(" feedback ").unwrap();
    let next: Vec<_> = next.trim_end().split(' ').collect();
    let drawn = succeeded(&output(
        feedback(&next).env("FEEDBACK_READ_KEY", key.trim()),
    ));
    assert!(
        drawn.starts_with("acme, 1 Jan 0001 – 31 Dec 9999 23:59 (UTC)\n\nNPS 100.0 "),
        "{drawn}"
    );

    let exported = on_data("export responses --project acme");
    assert!(
        said(&exported).starts_with(&format!("reading the data folder {through}")),
        "{exported:?}"
    );
    assert_eq!(succeeded(&on_data("credentials list")).lines().count(), 1);
    succeeded(&on_data("tables create"));
    for erase in [
        "erase --project acme --all --yes",
        "erase --project acme --user-id a --yes",
    ] {
        assert!(
            only_line(&on_data(erase)).ends_with("; stop `feedback serve`, and run this again\n")
        );
    }

    // The address of the same port may be another folder's.
    let lock = format!("{data}/lock");
    let other = Served::without_records();
    let noted = std::fs::read_to_string(&lock).unwrap();
    std::fs::write(&lock, noted.replace(served.dynamodb(), other.dynamodb())).unwrap();
    assert!(only_line(&on_data("credentials list")).ends_with(" is in use by another feedback\n"));
    drop(served);
    let output = feedback(
        &[
            &import.split(' ').collect::<Vec<_>>()[..],
            &["--data", &data],
        ]
        .concat(),
    )
    .envs(names)
    .output();
    assert!(
        succeeded(&output.unwrap()).contains("1 unchanged"),
        "it reached this folder"
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
