//! Where personal data may remain, and who can read it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use serde_json::json;

use crate::http::put_item;
use crate::operator::Operator;
use crate::process::{Served, failed, feedback, only_line, run, succeeded};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The files below the folder that contain the text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let content = fs::read(&path).unwrap();
        if content
            .windows(text.len())
            .any(|part| part == text.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

fn import(data: &str, records: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records.ndjson");
    fs::write(&file, records).unwrap();
    run(&[
        "import",
        "responses",
        file.to_str().unwrap(),
        "--project",
        "acme",
        "--data",
        data,
    ])
}

/// Records of many users, one of whom changed their facts several times.
fn records(day: usize) -> String {
    let of = |user: &str, id: String, secret: &str| {
        format!(
            r#"{{"id":"{id}","created":"2020-01-{day:02}","rating":9,"user":{{"userId":"{user}","name":"Ann {secret}{day}","traits":{{"note":"{secret}"}}}}}}"#
        )
    };
    let mut lines: Vec<_> = (0..200)
        .map(|n| {
            of(
                &format!("u{n}"),
                format!("r{n}-{day}"),
                &"of another ".repeat(n),
            )
        })
        .collect();
    lines.insert(day * 30, of("ann", format!("a{day}"), "confidential"));
    lines.join("\n")
}

const USER: [&str; 7] = [
    "erase",
    "--project",
    "acme",
    "--user-id",
    "ann",
    "--yes",
    "--data",
];
const ALL: [&str; 6] = ["erase", "--project", "acme", "--all", "--yes", "--data"];

#[test]
fn no_file_of_the_folder_holds_what_was_erased() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    for day in 1..=5 {
        succeeded(&import(data, &records(day)));
    }
    assert!(!holding(folder.path(), "confidential").is_empty());
    succeeded(&run(&[&USER[..], &[data]].concat()));
    assert_eq!(holding(folder.path(), "confidential"), Vec::<String>::new());
    assert!(!holding(folder.path(), "of another").is_empty());
    succeeded(&run(&[&ALL[..], &[data]].concat()));
    assert_eq!(holding(folder.path(), "of another"), Vec::<String>::new());
}

#[test]
fn the_reported_command_removes_what_an_erasure_through_serve_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    succeeded(&import(data, &records(1)));
    let mut served = Served::start(&["--data", data]);
    let output = feedback(&USER[..6])
        .env(
            "AWS_ENDPOINT_URL_DYNAMODB",
            format!("http://{}", served.dynamodb()),
        )
        .envs([
            ("AWS_REGION", "r"),
            ("AWS_ACCESS_KEY_ID", "a"),
            ("AWS_SECRET_ACCESS_KEY", "b"),
        ])
        .output()
        .unwrap();
    succeeded(&output);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("run this command again with --data DIR"),
        "{said}"
    );
    served.signal("TERM");
    served.wait();
    succeeded(&run(&[&USER[..], &[data]].concat()));
    assert_eq!(holding(folder.path(), "confidential"), Vec::<String>::new());
}

#[test]
fn only_key_rating_and_dismissal_of_a_persons_record_remain_and_an_identifying_key_is_reported() {
    let operator = Operator::new();
    let address = operator.dynamodb();
    let address = address.trim_start_matches("http://");
    let mut record = json!({
        "shard": {"S": "acme#0"}, "at": {"S": "2020-01-01T00:00:00.000Z#ann-1"}, "userId": {"S": "ann"},
        "rating": {"N": "9"}, "dismissed": {"BOOL": true}, "traits": {"M": {}}, "feedback": {"S": "call me"},
        "email": {"S": "ann@example.org"},
    });
    for n in 0..250 {
        record[format!("answer {n} {}", "x".repeat(200))] = json!({"S": "text"});
    }
    put_item(address, "responses", &record.to_string());
    let output = operator.run("erase --project acme --user-id ann --yes");
    succeeded(&output);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains(r#"stay, such as "2020-01-01T00:00:00.000Z#ann-1""#),
        "{said}"
    );
    let kept = crate::http::get_item(
        address,
        "responses",
        &json!({
            "shard": {"S": "acme#0"}, "at": {"S": "2020-01-01T00:00:00.000Z#ann-1"},
        })
        .to_string(),
    );
    for name in ["userId", "traits", "feedback", "email", "answer"] {
        assert!(!kept.contains(name), "{kept}");
    }
    assert!(
        kept.contains("rating") && kept.contains("dismissed"),
        "{kept}"
    );
}

#[test]
fn the_files_of_a_folder_that_others_can_read_are_private() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    let served = Served::with_data(folder.path());
    let files = || {
        fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    assert!(files().count() >= 3, "a database, its log and a lock");
    for file in files() {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    drop(served);
    for file in files() {
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    }
    let _served = Served::with_data(folder.path());
    for file in files().filter(|file| !file.ends_with("lock")) {
        assert_eq!(mode(&file), 0o600, "tightened: {}", file.display());
    }
}

#[test]
fn rejected_records_are_private() {
    let operator = Operator::new();
    operator.file("bad.ndjson", r#"{"rating":11}"#);
    failed(
        &operator.run("import responses bad.ndjson --project acme --rejects rejects"),
        2,
    );
    assert_eq!(mode(&operator.path("rejects")), 0o600);
}

#[test]
fn an_export_is_a_private_file_that_is_whole_or_absent() {
    let operator = Operator::new();
    let record = br#"{"id":"r","created":"2020-01-01T00:00:00.000Z","rating":9,"dismissed":false}"#;
    succeeded(&operator.run_with_input("import responses - --project acme", record));
    let export = "export responses --project acme --output exported";
    succeeded(&operator.run(export));
    let path = operator.path("exported");
    assert_eq!(fs::read(&path).unwrap().trim_ascii(), record);
    assert_eq!(mode(&path), 0o600);
    let line = only_line(&operator.run(export));
    assert!(line.contains("cannot create exported: it exists"), "{line}");

    let mut unreachable = operator.command(&format!("{export} --overwrite"));
    let unreachable = unreachable.env("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:9");
    failed(&unreachable.output().unwrap(), 1);
    assert_eq!(fs::read(&path).unwrap().trim_ascii(), record, "as it was");
    fs::write(&path, "").unwrap();
    succeeded(&operator.run(&format!("{export} --overwrite")));
    assert_eq!(fs::read(&path).unwrap().trim_ascii(), record);
    only_line(&operator.run("export users --project acme --output /dev/null --overwrite"));
    let names = fs::read_dir(path.parent().unwrap()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "the data folder and the export: {names:?}");
}

#[test]
fn a_lock_of_another_program_keeps_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("lock");
    for foreign in [&b"pid 42 of another program\n"[..], b"\xff\xfe"] {
        fs::write(&lock, foreign).unwrap();
        let _served = Served::with_data(folder.path());
        assert_eq!(fs::read(&lock).unwrap(), foreign);
    }
    let served = Served::with_data(folder.path());
    drop(served);
    assert_eq!(fs::read(&lock).unwrap(), b"\xff\xfe");
}

#[test]
fn credentials_that_everyone_knows_are_reported_until_they_are_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let greeting = |address: &str, option: &[&str]| {
        let serve = [
            "serve",
            "--dynamodb-listen",
            "127.0.0.1:0",
            "--data",
            data,
            "--listen",
        ];
        let process = feedback(&[&serve, &[address][..], option].concat()).spawn();
        Served::ready(process.unwrap()).greeting.clone()
    };
    let (loopback, everywhere) = ("127.0.0.1:0", "0.0.0.0:0");
    assert!(!greeting(loopback, &["--demo"]).contains("Warning"));
    let warning = greeting(everywhere, &[]);
    assert!(warning.contains("Warning"), "{warning}");
    let commands: Vec<_> = warning
        .lines()
        .filter_map(|line| line.trim().strip_prefix("feedback "))
        .filter(|line| line.starts_with("credentials revoke "))
        .collect();
    assert_eq!(commands.len(), 2, "{warning}");
    assert!(greeting(everywhere, &["--demo"]).contains(commands[0]));
    for command in commands {
        let arguments: Vec<_> = command.split(' ').chain(["--yes"]).collect();
        succeeded(&run(&arguments));
    }
    assert!(!greeting(everywhere, &[]).contains("Warning"));
}
