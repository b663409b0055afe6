//! Where personal data may remain, and who can read it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;

use crate::crash::is_whole;
use crate::http::{get_item, put_item, put_user};
use crate::operator::Operator;
use crate::outcome::{stderr, succeeded};
use crate::place::{Place, contains, mode};
use crate::process::{at_store, output};

/// The files below the folder that contain the text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    let holding = files.filter(|file| contains(file, text));
    holding.map(|file| file.display().to_string()).collect()
}

/// Imports the records of a day into the data folder.
fn import(place: &Place, day: usize) {
    place.file("records.ndjson", records(day));
    let import = "import responses records.ndjson --project acme --data data";
    succeeded(&place.run(import));
}

/// Records of many users, one of whom changed their facts several times.
fn records(day: usize) -> String {
    let of = |user: &str, id: String, secret: &str| {
        format!(
            r#"{{"id":"{id}","created":"2020-01-{day:02}","rating":9,"user":{{"userId":"{user}","name":"Ann {secret}{day}","traits":{{"note":"{secret}"}}}}}}"#
        )
    };
    let other = |n: usize| {
        of(
            &format!("u{n}"),
            format!("r{n}-{day}"),
            &"of another ".repeat(n),
        )
    };
    let mut lines: Vec<_> = (0..200).map(other).collect();
    lines.insert(day * 30, of("ann", format!("a{day}"), "confidential"));
    lines.join("\n")
}

const USER: &str = "erase --project acme --user-id ann --yes";

#[test]
fn no_file_of_a_folder_that_is_served_holds_what_was_erased_and_it_is_served_on() {
    let place = Place::new();
    import(&place, 1);
    let served = place.serve();
    let count = |kind: &str| {
        let export = format!("export {kind} --project acme --data data");
        succeeded(&place.run(&export)).lines().count()
    };
    let [responses, users] = ["responses", "users"].map(count);
    for _ in 0..2 {
        succeeded(&place.run(&format!("{USER} --data data")));
        assert_eq!(holding(&place.data(), "confidential"), Vec::<String>::new());
    }
    assert_eq!(["responses", "users"].map(count), [responses, users - 1]);
    put_user(served.dynamodb(), "afterwards");
    let of_demo = place.export("users", "data");
    assert_eq!(of_demo.len(), 1, "{of_demo:?}");
    import(&place, 2);
    assert_eq!(["responses", "users"].map(count), [2 * responses, users]);
    served.end();
    assert!(is_whole(&place.data()));
}

#[test]
fn the_reported_command_removes_what_an_erasure_through_the_address_leaves() {
    let place = Place::new();
    import(&place, 1);
    let served = place.serve();
    let endpoint = format!("http://{}", served.dynamodb());
    let output = output(at_store(&mut place.command(USER), &endpoint));
    succeeded(&output);
    let said = stderr(&output);
    let again = "run this command again with --data DIR";
    assert!(said.contains(again), "{said}");
    succeeded(&place.run(&format!("{USER} --data data")));
    assert_eq!(holding(&place.data(), "confidential"), Vec::<String>::new());
}

#[test]
fn only_key_rating_and_dismissal_of_a_persons_record_remain_and_an_identifying_key_is_reported() {
    let operator = Operator::new();
    let address = operator.served().dynamodb();
    let mut record = json!({
        "shard": {"S": "acme#0"}, "at": {"S": "2020-01-01T00:00:00.000Z#ann-1"}, "userId": {"S": "ann"},
        "rating": {"N": "9"}, "dismissed": {"BOOL": true}, "traits": {"M": {}}, "feedback": {"S": "call me"},
        "email": {"S": "ann@example.org"},
    });
    for n in 0..900 {
        record[format!("answer {n} {}", "x".repeat(200))] = json!({"S": "text"});
    }
    put_item(address, "responses", &record.to_string());
    let output = operator.run("erase --project acme --user-id ann --yes");
    succeeded(&output);
    let said = stderr(&output);
    let key = r#"stay, such as "2020-01-01T00:00:00.000Z#ann-1""#;
    assert!(said.contains(key), "{said}");
    let key = json!({"shard": {"S": "acme#0"}, "at": {"S": "2020-01-01T00:00:00.000Z#ann-1"}});
    let kept = get_item(address, "responses", &key.to_string());
    for name in ["userId", "traits", "feedback", "email", "answer"] {
        assert!(!kept.contains(name), "{kept}");
    }
    let stays = |name| kept.contains(name);
    assert!(stays("rating") && stays("dismissed"), "{kept}");
}

#[test]
fn the_files_of_a_folder_that_others_can_read_are_private() {
    let place = Place::new();
    let served = place.serve();
    assert_eq!(mode(&place.data()), 0o700);
    let files = || {
        let entries = fs::read_dir(place.data()).unwrap();
        entries.map(|entry| entry.unwrap().path())
    };
    // A database, its log, a key and a socket.
    assert!(files().count() >= 4);
    for file in files() {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    drop(served);
    for path in files().chain([place.data()]) {
        fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
    }
    let _served = place.serve();
    for file in files() {
        assert_eq!(mode(&file), 0o600, "tightened: {}", file.display());
    }
}
