//! `feedback credentials` and `feedback tables` as an operator uses them, over a data folder and
//! over a served store.

use std::io::Write;
use std::process::{Output, Stdio};

use crate::http::get;
use crate::process::{Served, feedback, only_line};

/// Runs `feedback credentials …` with this standard input.
fn credentials(arguments: &[&str], variables: &[(&str, &str)], input: &str) -> Output {
    let mut command = feedback(&[&["credentials"], arguments].concat());
    let mut process = command
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    process
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    process.wait_with_output().unwrap()
}

#[track_caller]
fn succeeded(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert!(output.status.success(), "{output:?}");
    (text(&output.stdout), text(&output.stderr))
}

fn status(served: &Served, key: &str) -> String {
    let target = "/api/v2/response-statistics?project=acme";
    get(&served.api, target, &format!("AuthKey: {key}"))[9..12].to_owned()
}

#[test]
fn a_key_made_in_a_folder_opens_its_project_until_it_is_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let run = |arguments: &[&str]| credentials(&[arguments, &data].concat(), &[], "");
    let (shown, told) = succeeded(&run(&[
        "create-read-key",
        "--project",
        "acme",
        "--label",
        "website",
    ]));
    let key = shown.strip_suffix('\n').unwrap();
    assert_eq!(key.len(), 43, "256 bits: {key}");
    assert!(!told.contains(key), "{told}");
    let (other, _) = succeeded(&run(&["create-read-key", "--project", "acme"]));
    assert_ne!(other.trim(), key);

    let served = Served::start(&data);
    assert_eq!(
        (
            status(&served, key).as_str(),
            status(&served, "wrong").as_str()
        ),
        ("200", "401")
    );
    let refused = only_line(&run(&["list"]));
    assert!(
        refused.ends_with("is in use by another feedback\n"),
        "{refused}"
    );
    drop(served);

    let (listed, _) = succeeded(&run(&["list"]));
    let line = listed
        .lines()
        .find(|line| line.ends_with("\twebsite"))
        .unwrap();
    assert!(
        line.contains("\tread-key\tacme\t20") && !listed.contains(key),
        "{listed}"
    );
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let short_id = line.split('\t').next().unwrap();
    assert!(told.starts_with(short_id), "{told}");
    let asked = only_line(&run(&["revoke", short_id]));
    assert!(asked.contains("--yes"), "{asked}");
    succeeded(&run(&["revoke", short_id, "--yes"]));
    let served = Served::start(&data);
    assert_eq!(
        (
            status(&served, key).as_str(),
            status(&served, other.trim()).as_str()
        ),
        ("401", "200")
    );
}

#[test]
fn an_account_opens_the_users_of_its_projects_in_a_served_store() {
    let served = Served::start(&[]);
    let endpoint = format!("http://{}", served.dynamodb());
    let variables = [
        ("AWS_ENDPOINT_URL_DYNAMODB", endpoint.as_str()),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "local"),
        ("AWS_SECRET_ACCESS_KEY", "local"),
    ];
    let arguments = [
        "create-account",
        "--username",
        "reports",
        "--project",
        "acme",
        "--project",
        "globex",
    ];
    let (password, _) = succeeded(&credentials(&arguments, &variables, ""));
    for (project, expected) in [("acme", "200"), ("globex", "200"), ("demo", "403")] {
        let header = format!("Authorization: Bearer {}", password.trim());
        let answer = get(
            &served.api,
            &format!("/api/users?project={project}"),
            &header,
        );
        assert_eq!(&answer[9..12], expected, "{project}");
    }
    let (listed, _) = succeeded(&credentials(
        &["list", "--project", "globex"],
        &variables,
        "",
    ));
    assert!(
        listed.contains("\taccount\treports (acme, globex)\t"),
        "{listed}"
    );
    assert_eq!(
        listed.lines().count(),
        1,
        "only what opens the project: {listed}"
    );
    let (everything, _) = succeeded(&credentials(&["list"], &variables, ""));
    assert_eq!(everything.lines().count(), 3, "{everything}");
    let tables = feedback(&["tables", "create"])
        .envs(variables)
        .output()
        .unwrap();
    succeeded(&tables);
}

#[test]
fn a_legacy_key_is_imported_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let import = |input: &str| {
        let arguments = ["create-read-key", "--project", "acme", "--secret-stdin"];
        credentials(&[&arguments, &data[..]].concat(), &[], input)
    };
    let (shown, told) = succeeded(&import("legacy-key-of-16+\n"));
    assert!(
        shown.is_empty() && !told.contains("legacy"),
        "{shown}{told}"
    );
    let too_long = "x".repeat(4097);
    for (refused, why) in [
        ("legacy-key-of-16+", "already"),
        ("fifteen-letters\n", "fewer than 16"),
        ("", "fewer than 16"),
        (" a space before it all", "spaces"),
        ("two lines of text\nin one secret", "control"),
        (too_long.as_str(), "longer than 4096"),
    ] {
        let line = only_line(&import(refused));
        assert!(line.contains(why), "{refused:?}: {line}");
        assert!(
            refused.trim().is_empty() || !line.contains(refused.trim()),
            "{line}"
        );
    }
    assert_eq!(status(&Served::start(&data), "legacy-key-of-16+"), "200");
}

#[test]
fn what_does_not_name_one_credential_revokes_none() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let run = |arguments: &[&str]| credentials(&[arguments, &data].concat(), &[], "");
    succeeded(&run(&["create-read-key", "--project", "acme"]));
    for (short_id, why) in [
        ("", "8 digits"),
        ("1a2b", "8 digits"),
        ("zzzzzzzz", "no credential"),
    ] {
        let line = only_line(&run(&["revoke", short_id, "--yes"]));
        assert!(line.contains(why), "{line}");
    }
    assert_eq!(succeeded(&run(&["list"])).0.lines().count(), 1);
    for arguments in [
        &["create-read-key", "--project", "a.b"][..],
        &["create-account", "--username", "a:b", "--project", "acme"],
        &["create-account", "--username", "ab"],
    ] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_profile_of_the_aws_tools_says_where_and_as_whom() {
    let served = Served::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let (config, secrets) = (folder.path().join("config"), folder.path().join("secrets"));
    let profile = format!(
        "[profile staging]\nregion = eu-central-1\nendpoint_url = http://{}\n",
        served.dynamodb()
    );
    std::fs::write(&config, profile).unwrap();
    let keys = "[staging]\naws_access_key_id = a\naws_secret_access_key = b\n";
    std::fs::write(&secrets, keys).unwrap();
    let variables = [
        ("AWS_PROFILE", "staging"),
        ("AWS_CONFIG_FILE", config.to_str().unwrap()),
        ("AWS_SHARED_CREDENTIALS_FILE", secrets.to_str().unwrap()),
    ];
    let (listed, _) = succeeded(&credentials(&["list"], &variables, ""));
    assert!(listed.contains("demo"), "{listed}");
}
