//! The access key of a data folder, which its DynamoDB address requires.

use std::fs;
use std::os::unix::fs::symlink;

use crate::http::{operate, send};
use crate::outcome::{only_line, succeeded};
use crate::place::{Place, contains, mode, users};
use crate::process::{SERVE, access_key, feedback, output};

/// Returns the response to a request of the store at this address with this `Authorization`, whose body never
/// comes.
pub(crate) fn refused(address: &str, authorization: &str) -> String {
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n{authorization}\
         Content-Length: 1000000\r\nConnection: close\r\n\r\n"
    );
    send(address, &request).unwrap()
}

/// Returns the header of a request that is signed with this access key.
pub(crate) fn authorization(key: &str) -> String {
    format!("Authorization: AWS4-HMAC-SHA256 Credential={key}/x, Signature=0\r\n")
}

#[test]
fn the_store_of_a_folder_refuses_requests_without_its_key_before_it_reads_their_bodies() {
    let place = Place::new();
    let served = place.serve();
    let (address, key) = (served.dynamodb(), access_key(served.dynamodb()));
    assert_eq!(key.len(), 40);
    let other = "0".repeat(40);
    let missing = refused(address, "");
    assert!(missing.contains("MissingAuthenticationTokenException"));
    let others = [
        authorization("local"),
        authorization(&other),
        authorization(""),
        authorization(&key[..39]),
        authorization(&format!("{key}0")),
        authorization(&key.to_uppercase().replace('0', "o")),
        format!("Authorization: Basic {key}\r\n"),
    ];
    // At the same time, because a connection whose body never comes is not closed at once.
    std::thread::scope(|scope| {
        for authorization in &others {
            scope.spawn(move || {
                let response = refused(address, authorization);
                let is_refused = response.starts_with("HTTP/1.1 400 ");
                let is_unknown = response.contains("UnrecognizedClientException");
                assert!(is_refused && is_unknown, "{authorization}: {response}");
            });
        }
    });
    assert!(operate(address, "ListTables", "{}").contains("responses"));
}

#[test]
fn other_programs_read_the_key_from_the_file_in_the_folder() {
    let place = Place::new();
    place.import(users(2));
    let served = place.serve();
    let file = place.path("data/aws-credentials");
    let mut export = feedback("export users --project demo");
    export
        .env(
            "AWS_ENDPOINT_URL_DYNAMODB",
            format!("http://{}", served.dynamodb()),
        )
        .env("AWS_REGION", "us-east-1");
    let exported = succeeded(&output(export.env("AWS_SHARED_CREDENTIALS_FILE", &file)));
    assert_eq!(exported.lines().count(), 2);
    export
        .env("AWS_ACCESS_KEY_ID", "local")
        .env("AWS_SECRET_ACCESS_KEY", "local");
    let refused = only_line(&output(&mut export));
    assert!(refused.contains("UnrecognizedClientException"), "{refused}");
}

#[test]
fn a_folder_keeps_its_key_and_a_restored_one_gets_another() {
    let place = Place::new();
    place.import(users(2));
    let read = |folder: &str| place.read(&format!("{folder}/aws-credentials"));
    let key = read("data");
    let id = key.strip_prefix("[default]\naws_access_key_id = ").unwrap();
    let id = id
        .strip_suffix("\naws_secret_access_key = unused\n")
        .unwrap();
    assert!(id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(mode(&place.path("data/aws-credentials")), 0o600);
    place.serve().end();
    succeeded(&place.run("credentials list --data data"));
    assert_eq!(read("data"), key);
    succeeded(&place.run("backup --data data backup.sqlite"));
    assert!(!contains(&place.path("backup.sqlite"), id));
    place.restore("backup.sqlite", "restored");
    assert_eq!(place.export("users", "restored").len(), 2);
    assert_ne!(read("restored"), key);
}

#[test]
fn a_key_of_another_form_is_refused_by_name() {
    let place = Place::new();
    place.import(users(2));
    let file = place.path("data/aws-credentials");
    let key = place.read("data/aws-credentials");
    let refused = |reason: &str| {
        for command in [SERVE, "credentials list"] {
            let line = only_line(&place.run(&format!("{command} --data data")));
            let named = line.contains("data/aws-credentials");
            assert!(named && line.contains(reason), "{line}");
        }
    };
    for text in [
        String::new(),
        key.replace("default", "profile"),
        key.replace(" = unused", " = used"),
        key.to_uppercase(),
        format!("{key}\n"),
        key.replacen("_id = ", "_id = 0", 1),
        "x".repeat(10_000),
    ] {
        fs::write(&file, text).unwrap();
        refused("is not as feedback writes it");
    }
    fs::write(&file, b"\xff").unwrap();
    refused("cannot read");
    fs::remove_file(&file).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &file, 0o600.into()).unwrap();
    refused("is a link");
    fs::remove_file(&file).unwrap();
    place.file("elsewhere", key);
    for target in ["../elsewhere", "nowhere"] {
        symlink(target, &file).unwrap();
        refused("is a link");
        fs::remove_file(&file).unwrap();
    }
    place.serve().end();
}
