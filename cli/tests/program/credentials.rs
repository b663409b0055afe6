//! `feedback credentials` over a data folder, a served store and an AWS profile.

use std::process::Output;
use test_support::stub::Recorder;

use crate::http::{put_item, status};
use crate::operator::run_with_input;
use crate::process::{Served, feedback, only_line, stderr, succeeded};

/// Runs `feedback credentials …` with this standard input.
fn credentials(arguments: &[&str], variables: &[(&str, &str)], input: &str) -> Output {
    let mut command = feedback(&[&["credentials"], arguments].concat());
    run_with_input(command.envs(variables.iter().copied()), input)
}

/// Returns the environment that selects the store at this endpoint.
fn environment(endpoint: &str) -> [(&'static str, &str); 4] {
    [
        ("AWS_ENDPOINT_URL_DYNAMODB", endpoint),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "local"),
        ("AWS_SECRET_ACCESS_KEY", "local"),
    ]
}

/// Requests the statistics of the project with this Read Key.
fn statistics(served: &Served, project: &str, key: &str) -> u16 {
    let target = format!("/api/v2/response-statistics?project={project}");
    status(&served.api, &target, &format!("AuthKey: {key}"))
}

#[test]
fn a_read_key_created_in_a_folder_authorizes_its_project_until_it_is_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let run = |arguments: &[&str]| credentials(&[arguments, &data].concat(), &[], "");
    let labeled = ["create-read-key", "--project", "acme", "--label", "website"];
    let created = run(&labeled);
    let (stdout, description) = (succeeded(&created), stderr(&created));
    let key = stdout.strip_suffix('\n').unwrap();
    assert_eq!(key.len(), 43, "256 bits: {key}");
    assert!(!description.contains(key), "{description}");
    let other = succeeded(&run(&["create-read-key", "--project", "acme"]));
    let other = other.trim();
    assert_ne!(other, key);

    let served = Served::start(&data);
    assert_eq!(statistics(&served, "acme", key), 200);
    assert_eq!(statistics(&served, "globex", key), 403);
    assert_eq!(statistics(&served, "acme", "wrong"), 401);
    drop(served);

    let listed = succeeded(&run(&["list"]));
    let mut lines = listed.lines();
    let line = lines.find(|line| line.ends_with("\twebsite")).unwrap();
    assert!(line.contains("\tread-key\tacme\t20"), "{listed}");
    assert_eq!(listed.lines().count(), 2, "{listed}");
    assert!(!listed.contains(key) && !listed.contains(other), "{listed}");
    let short_id = line.split('\t').next().unwrap();
    assert!(description.starts_with(short_id), "{description}");
    let unconfirmed = only_line(&run(&["revoke", short_id]));
    assert!(unconfirmed.contains("pass --yes to confirm"));
    assert_eq!(succeeded(&run(&["list"])), listed);
    succeeded(&run(&["revoke", short_id, "--yes"]));
    let served = Served::start(&data);
    assert_eq!(statistics(&served, "acme", key), 401);
    assert_eq!(statistics(&served, "acme", other), 200);
}

#[test]
fn an_account_created_in_a_served_store_authorizes_the_users_of_its_projects() {
    let served = Served::without_records();
    let endpoint = format!("http://{}", served.dynamodb());
    let run = |arguments: &[&str]| credentials(arguments, &environment(&endpoint), "");
    let account = ["create-account", "--username", "reports"];
    let projects = ["acme", "globex", "acme"].map(|project| ["--project", project]);
    let projects = projects.concat();
    let password = succeeded(&run(&[&account[..], &projects].concat()));
    for (project, expected) in [("acme", 200), ("globex", 200), ("demo", 403)] {
        let target = format!("/api/users?project={project}");
        let header = format!("Authorization: Bearer {}", password.trim());
        assert_eq!(status(&served.api, &target, &header), expected, "{project}");
    }
    let listed = succeeded(&run(&["list", "--project", "globex"]));
    assert!(
        listed.contains("\taccount\treports (acme, globex)\t"),
        "{listed}"
    );
    assert_eq!(listed.lines().count(), 1, "only globex: {listed}");
    let all = succeeded(&run(&["list"]));
    assert_eq!(all.lines().count(), 3, "{all}");
}

#[test]
fn a_legacy_key_is_imported_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let import = |input: &str| {
        let arguments = ["create-read-key", "--project", "acme", "--secret-stdin"];
        credentials(&[&arguments, &data[..]].concat(), &[], input)
    };
    let imported = import("legacy-key-of-16+\n");
    assert_eq!(succeeded(&imported), "", "the secret is known already");
    assert!(!stderr(&imported).contains("legacy"));
    let longest = "x".repeat(4096);
    succeeded(&import("sixteen-letters-"));
    succeeded(&import(&format!("{longest}\r\n")));
    let marked = "y".repeat(4096);
    succeeded(&import(&format!("\u{feff}{marked}\r\n")));
    let served = Served::start(&data);
    for key in ["legacy-key-of-16+", "sixteen-letters-", &longest, &marked] {
        assert_eq!(statistics(&served, "acme", key), 200, "{key}");
    }
}

#[test]
fn an_unusable_secret_is_refused_without_repeating_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let arguments = ["create-read-key", "--project", "acme", "--secret-stdin"];
    let import = |input: &str| credentials(&[&arguments, &data[..]].concat(), &[], input);
    succeeded(&import("legacy-key-of-16+\n"));
    let too_long = "x".repeat(4097);
    for (secret, reason) in [
        ("legacy-key-of-16+", "already exists"),
        ("legacy-key-of-16+\r\n", "already exists"),
        ("\u{feff}legacy-key-of-16+\n", "already exists"),
        ("fifteen-letters\n", "fewer than 16"),
        ("\u{feff}fifteen-letters", "fewer than 16"),
        ("", "fewer than 16"),
        (" a leading space\n", "spaces at its ends"),
        ("a trailing space \n", "spaces at its ends"),
        ("the first line\nand the second", "control characters"),
        (too_long.as_str(), "longer than 4096"),
    ] {
        let line = only_line(&import(secret));
        assert!(line.contains(reason), "{secret:?}: {line}");
        for part in secret.lines().map(str::trim) {
            assert!(!line.contains(part), "{secret:?}: {line}");
        }
    }
    let listed = succeeded(&credentials(&[&["list"], &data[..]].concat(), &[], ""));
    assert_eq!(listed.lines().count(), 1, "{listed}");
}

#[test]
fn a_short_password_is_refused_with_what_to_do_instead() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    for (kind, name) in [
        (&["create-account", "--username", "reports"][..], "password"),
        (&["create-read-key"], "Read Key"),
    ] {
        let create = [kind, &["--project", "acme"], &data].concat();
        let refused = credentials(
            &[&create[..], &["--secret-stdin"]].concat(),
            &[],
            "hunter2\n",
        );
        let line = only_line(&refused);
        let reason =
            format!("the {name} has fewer than 16 characters: secrets are stored as plain digests");
        assert!(line.contains(&reason), "{line}");
        assert!(
            line.contains("omit --secret-stdin to generate one"),
            "{line}"
        );
        assert_eq!(succeeded(&credentials(&create, &[], "")).trim().len(), 43);
    }
}

#[test]
fn a_short_id_that_matches_no_or_several_credentials_revokes_none() {
    let served = Served::without_records();
    let endpoint = format!("http://{}", served.dynamodb());
    let run = |arguments: &[&str]| credentials(arguments, &environment(&endpoint), "");
    let digests = ["00", "01"].map(|end| format!("1a2b3c4d{}{end}", "5".repeat(54)));
    for digest in &digests {
        let item = format!(
            r#"{{"digest":{{"S":"{digest}"}},"kind":{{"S":"read-key"}},"project":{{"S":"acme"}}}}"#
        );
        put_item(served.dynamodb(), "credentials", &item);
    }
    let before = succeeded(&run(&["list"]));
    for (short_id, reason) in [
        ("", "at least the 8 hexadecimal digits"),
        ("1a2b3c4", "at least the 8 hexadecimal digits"),
        ("zzzzzzzz", "there is no credential zzzzzzzz"),
        ("1a2b3c4d", "several credentials match 1a2b3c4d"),
    ] {
        let line = only_line(&run(&["revoke", short_id, "--yes"]));
        assert!(line.contains(reason), "{line}");
    }
    assert_eq!(succeeded(&run(&["list"])), before);
    succeeded(&run(&["revoke", &digests[0], "--yes"]));
    let listed = succeeded(&run(&["list", "--project", "acme"]));
    assert_eq!(listed.lines().count(), 1, "{listed}");
}

#[test]
fn what_is_stored_under_a_key_that_is_no_digest_is_reported_and_can_be_removed() {
    let served = Served::without_records();
    let endpoint = format!("http://{}", served.dynamodb());
    let run = |arguments: &[&str]| credentials(arguments, &environment(&endpoint), "");
    let item = r#"{"digest":{"S":"NO-DIGEST"},"kind":{"S":"read-key"},"project":{"S":"acme"}}"#;
    put_item(served.dynamodb(), "credentials", item);
    let report = "left out \"NO-DIGEST\", which is no SHA-256 of a secret and authorizes nothing";
    assert!(stderr(&run(&["list"])).contains(report));
    assert!(!stderr(&run(&["list", "--project", "acme"])).contains("NO-DIGEST"));
    succeeded(&run(&["revoke", "NO-DIGEST", "--yes"]));
    assert!(!stderr(&run(&["list"])).contains("NO-DIGEST"));
}

#[test]
fn an_invalid_project_or_username_is_a_usage_error() {
    for (arguments, reason) in [
        (
            &["create-read-key", "--project", "a.b"][..],
            "'a.b' for '--project",
        ),
        (
            &["create-account", "--username", "a:b", "--project", "acme"],
            "'a:b' for '--username",
        ),
        (
            &["create-account", "--username", "", "--project", "acme"],
            "must not be empty",
        ),
        (
            &["create-account", "--username", "ab"],
            "--project <PROJECT>",
        ),
    ] {
        let output = credentials(arguments, &[], "");
        let message = crate::process::failed(&output, 2);
        assert!(message.contains(reason), "{arguments:?}: {message}");
    }
}

#[test]
fn an_aws_profile_supplies_the_endpoint_the_region_and_the_credentials() {
    let store = Recorder::answering(r#"{"Items":[]}"#);
    let folder = tempfile::tempdir().unwrap();
    let (config, secrets) = (folder.path().join("config"), folder.path().join("secrets"));
    let profile = format!(
        "[profile staging]\nregion = eu-central-1\nendpoint_url = {}\n",
        store.url()
    );
    std::fs::write(&config, profile).unwrap();
    let keys = "[staging]\naws_access_key_id = staging-id\naws_secret_access_key = b\n";
    std::fs::write(&secrets, keys).unwrap();
    let variables = [
        ("AWS_PROFILE", "staging"),
        ("AWS_CONFIG_FILE", config.to_str().unwrap()),
        ("AWS_SHARED_CREDENTIALS_FILE", secrets.to_str().unwrap()),
    ];
    assert_eq!(succeeded(&credentials(&["list"], &variables, "")), "");
    let [request] = &store.received()[..] else {
        panic!("one Scan")
    };
    let signature = request.header("authorization");
    assert!(signature.contains("Credential=staging-id/"), "{signature}");
    assert!(signature.contains("/eu-central-1/dynamodb/"), "{signature}");
}

#[cfg(unix)]
#[test]
fn in_a_terminal_the_list_has_columns_and_a_header() {
    let operator = crate::operator::Operator::new();
    succeeded(&operator.run(
        "credentials create-account --username a-rather-long-name --project acme --label Zoë",
    ));
    let piped = succeeded(&operator.run("credentials list"));
    let shown = crate::pty::in_terminal(&mut operator.command("credentials list"), 80);
    let (header, rows) = shown.split_once('\n').unwrap();
    let starts = ["ID", "KIND", "PROJECT OR ACCOUNT", "CREATED", "LABEL"];
    let starts = starts.map(|name| header.find(name).expect(header));
    assert_eq!(rows.lines().count(), 3, "{shown}");
    for (row, line) in rows.lines().zip(piped.lines()) {
        let fields = line.split('\t').zip(starts);
        for (field, start) in fields {
            assert!(row[start..].starts_with(field), "{field}: {shown}");
        }
    }
}
