//! `feedback credentials` over an AWS profile, in a terminal, and without an output.

use test_support::stub::Recorder;

use crate::operator::Operator;
use crate::outcome::{failed, succeeded};
use crate::place::Place;
use crate::process::{feedback, output};

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
