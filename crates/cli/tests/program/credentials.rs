//! `feedback credentials` over a data folder, a served store and an AWS profile.

use test_support::stub::Recorder;

use crate::http::status;
use crate::operator::Operator;
use crate::outcome::{failed, stderr, succeeded};
use crate::place::Place;
use crate::process::{Served, feedback, output};

/// Requests the statistics of the project with this Read Key.
fn statistics(served: &Served, project: &str, key: &str) -> u16 {
    let target = format!("/api/v2/response-statistics?project={project}");
    status(&served.api, &target, &format!("AuthKey: {key}"))
}

#[test]
fn a_read_key_created_in_a_folder_authorizes_its_project_until_it_is_revoked() {
    let place = Place::new();
    let run = |line: &str| place.run(&format!("credentials {line} --data data"));
    let created = run("create --project acme --may statistics --label website");
    let (stdout, description) = (succeeded(&created), stderr(&created));
    let key = stdout.strip_suffix('\n').unwrap();
    assert_eq!(key.len(), 43, "256 bits: {key}");
    assert!(!description.contains(key), "{description}");
    let other = succeeded(&run("create --project acme --may statistics"));
    let other = other.trim();
    assert_ne!(other, key);

    let served = place.serve();
    assert_eq!(statistics(&served, "acme", key), 200);
    assert_eq!(statistics(&served, "globex", key), 403);
    assert_eq!(statistics(&served, "acme", "wrong"), 401);
    drop(served);

    let described = description.lines().last().unwrap();
    let (short_id, rest) = described.split_once(' ').unwrap();
    assert_eq!(rest, "may read statistics of acme");
    succeeded(&run(&format!("revoke {short_id} --yes")));
    let served = place.serve();
    assert_eq!(statistics(&served, "acme", key), 401);
    assert_eq!(statistics(&served, "acme", other), 200);
}

#[test]
fn a_secret_that_cannot_be_shown_authorizes_nothing() {
    let place = Place::new();
    let mut create =
        place.command("credentials create --project acme --may statistics --data data");
    let (reader, closed) = std::io::pipe().unwrap();
    drop(reader);
    let error = failed(&create.stdout(closed).output().unwrap(), 1);
    let revoked = "feedback: cannot print the secret, and revoked the credential: Broken pipe\n";
    assert!(error.ends_with(revoked), "{error}");
    assert_eq!(succeeded(&place.run("credentials list --data data")), "");
}

#[test]
fn an_aws_profile_supplies_the_endpoint_the_region_and_the_credentials() {
    let store = Recorder::answering(r#"{"Items":[]}"#);
    let place = Place::new();
    let profile = format!(
        "[profile staging]\nregion = eu-central-1\nendpoint_url = {}\n",
        store.url()
    );
    place.file("config", profile);
    let keys = "[staging]\naws_access_key_id = staging-id\naws_secret_access_key = b\n";
    place.file("secrets", keys);
    let mut list = feedback("credentials list");
    let list = list.env("AWS_PROFILE", "staging").envs([
        ("AWS_CONFIG_FILE", place.path("config")),
        ("AWS_SHARED_CREDENTIALS_FILE", place.path("secrets")),
    ]);
    assert_eq!(succeeded(&output(list)), "");
    let [request] = &store.received()[..] else {
        panic!("one Scan")
    };
    let signature = request.header("authorization");
    assert!(signature.contains("Credential=staging-id/"), "{signature}");
    assert!(signature.contains("/eu-central-1/dynamodb/"), "{signature}");
}

#[test]
fn in_a_terminal_the_list_has_columns_and_a_header() {
    let operator = Operator::new();
    let create = "credentials create --project acme --may users --username a-rather-long-name";
    succeeded(&operator.run(&format!("{create} --label Zoë")));
    let piped = succeeded(&operator.run("credentials list"));
    let shown = crate::pty::in_terminal(&mut operator.command("credentials list"), 120);
    let (header, rows) = shown.split_once('\n').unwrap();
    let starts = ["ID", "MAY READ", "PROJECTS", "USERNAME", "CREATED", "LABEL"];
    let starts = starts.map(|name| header.find(name).expect(header));
    assert_eq!(rows.lines().count(), 3, "{shown}");
    for (row, line) in rows.lines().zip(piped.lines()) {
        let fields = line.split('\t').zip(starts);
        for (field, start) in fields {
            assert!(row[start..].starts_with(field), "{field}: {shown}");
        }
    }
}
