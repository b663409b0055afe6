//! `feedback export credentials` and `feedback import credentials`.

use serde_json::Value;

use crate::http::status;
use crate::operator::{Operator, PASSWORD, READ_KEY};
use crate::outcome::{printed, stderr, succeeded};
use crate::place::{Place, mode};

const EXPORT: &str = "export credentials --output credentials.ndjson";

#[test]
fn credentials_move_to_a_folder_and_back_without_their_secrets() {
    let operator = Operator::new();
    let create =
        "credentials create --project zoo --project acme --may users,statistics --label Zoë";
    let both = succeeded(&operator.run(create));
    let exported = operator.run(EXPORT);
    assert!(stderr(&exported).contains("3 exported, 0 damaged"));
    let file = operator.place().read("credentials.ndjson");
    assert_eq!(mode(&operator.path("credentials.ndjson")), 0o600);
    for secret in [READ_KEY, PASSWORD, both.trim()] {
        assert!(!file.contains(secret), "{file}");
    }

    let place = Place::new();
    place.file("credentials.ndjson", &file);
    let import = "import credentials credentials.ndjson --data data";
    let counts = |[written, unchanged]: [u8; 2]| {
        format!("credentials: {written} written, {unchanged} unchanged, 0 rejected\n")
    };
    assert_eq!(succeeded(&place.run(import)), counts([3, 0]));
    assert_eq!(succeeded(&place.run(import)), counts([0, 3]));
    succeeded(&place.run(&format!("{EXPORT} --overwrite --data data")));
    assert_eq!(place.read("credentials.ndjson"), file);
    let listed = succeeded(&place.run("credentials list --data data"));
    assert_eq!(listed, succeeded(&operator.run("credentials list")));
    let served = place.serve();
    for (target, secret, expected) in [
        ("v2/response-statistics?project=acme", READ_KEY, 200),
        ("users?project=zoo", both.trim(), 200),
        ("users?project=acme", READ_KEY, 401),
    ] {
        let header = format!("Authorization: Bearer {secret}");
        let found = status(&served.api, &format!("/api/{target}"), &header);
        assert_eq!(found, expected, "{target}");
    }

    for line in file.lines() {
        let credential: Value = serde_json::from_str(line).unwrap();
        let id = &credential["digest"].as_str().unwrap()[..8];
        succeeded(&operator.run(&format!("credentials revoke {id} --yes")));
    }
    let narrower = "credentials create --project zoo --may users,statistics --secret-stdin";
    succeeded(&operator.run_with_input(narrower, both));
    let back = operator.run_with_input("import credentials -", &file);
    let said = printed(&back);
    assert_eq!(back.status.code(), Some(2), "{said}");
    for words in [
        "credentials: 2 written, 0 unchanged, 1 rejected\n",
        "which may read users and statistics of zoo already; to change it, revoke it",
    ] {
        assert!(said.contains(words), "{said}");
    }
}
