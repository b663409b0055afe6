//! `feedback export credentials` and `feedback import credentials`.

use std::fs::read_to_string;
use std::os::unix::fs::MetadataExt as _;

use serde_json::Value;

use crate::http::{put_item, status};
use crate::operator::{Operator, PASSWORD, READ_KEY};
use crate::outcome::{printed, stderr, succeeded};
use crate::place::Place;

const EXPORT: &str = "export credentials --output credentials.ndjson";

fn line(digit: &str, rest: &str) -> String {
    format!(
        r#"{{"digest":"{}","projects":["acme"]{rest}}}"#,
        digit.repeat(64)
    ) + "\n"
}

#[test]
fn credentials_move_to_a_folder_and_back_without_their_secrets() {
    let operator = Operator::new();
    let create =
        "credentials create --project zoo --project acme --may users,statistics --label Zoë";
    let both = succeeded(&operator.run(create));
    let exported = operator.run(EXPORT);
    assert!(stderr(&exported).contains("3 exported, 0 damaged"));
    let path = operator.path("credentials.ndjson");
    let file = read_to_string(&path).unwrap();
    assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
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
    assert_eq!(
        read_to_string(place.path("credentials.ndjson")).unwrap(),
        file
    );
    let listed = |output| succeeded(&output);
    assert_eq!(
        listed(place.run("credentials list --data data")),
        listed(operator.run("credentials list"))
    );
    let served = place.serve();
    for (header, path, project, expected) in [
        (
            format!("AuthKey: {READ_KEY}"),
            "v2/response-statistics",
            "acme",
            200,
        ),
        (
            format!("Authorization: Bearer {}", both.trim()),
            "users",
            "zoo",
            200,
        ),
        (
            format!("Authorization: Bearer {READ_KEY}"),
            "users",
            "acme",
            401,
        ),
    ] {
        let target = format!("/api/{path}?project={project}");
        assert_eq!(status(&served.api, &target, &header), expected, "{header}");
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
    assert!(
        said.contains("credentials: 2 written, 0 unchanged, 1 rejected\n"),
        "{said}"
    );
    let narrower = "which may read users and statistics of zoo already; to change it, revoke it";
    assert!(said.contains(narrower), "{said}");
}

#[test]
fn damaged_credentials_are_left_out_of_an_export_and_replaced_by_no_import() {
    let operator = Operator::new();
    let damaged = format!(r#"{{"digest":{{"S":"{}"}}}}"#, "a".repeat(64));
    put_item(operator.served().dynamodb(), "credentials", &damaged);
    let exported = operator.run(EXPORT);
    assert_eq!(exported.status.code(), Some(2));
    let said = stderr(&exported);
    assert!(
        said.contains("left out aaaaaaaa, which is damaged"),
        "{said}"
    );
    assert!(said.contains("2 exported, 1 damaged"), "{said}");
    let imported =
        operator.run_with_input("import credentials -", line("a", r#","may":["users"]"#));
    assert_eq!(imported.status.code(), Some(2));
    let said = printed(&imported);
    assert!(
        said.contains("rejected aaaaaaaa, which is stored, but damaged"),
        "{said}"
    );
}
