//! `feedback credentials` over a data folder, a served store and an AWS profile.

use test_support::stub::Recorder;

use crate::http::{put_item, status};
use crate::operator::Operator;
use crate::outcome::{failed, only_line, stderr, succeeded};
use crate::place::Place;
use crate::process::{Served, feedback, output, rows, run};

/// Requests the statistics of the project with this Read Key.
fn statistics(served: &Served, project: &str, key: &str) -> u16 {
    let target = format!("/api/v2/response-statistics?project={project}");
    status(&served.api, &target, &format!("AuthKey: {key}"))
}

#[test]
fn a_read_key_created_in_a_folder_authorizes_its_project_until_it_is_revoked() {
    let place = Place::new();
    let run = |line: &str| place.run(&format!("credentials {line} --data data"));
    let created = run("create-read-key --project acme --label website");
    let (stdout, description) = (succeeded(&created), stderr(&created));
    let key = stdout.strip_suffix('\n').unwrap();
    assert_eq!(key.len(), 43, "256 bits: {key}");
    assert!(!description.contains(key), "{description}");
    let other = succeeded(&run("create-read-key --project acme"));
    let other = other.trim();
    assert_ne!(other, key);

    let served = place.serve();
    assert_eq!(statistics(&served, "acme", key), 200);
    assert_eq!(statistics(&served, "globex", key), 403);
    assert_eq!(statistics(&served, "acme", "wrong"), 401);
    drop(served);

    let listed = succeeded(&run("list"));
    let mut lines = listed.lines();
    let line = lines.find(|line| line.ends_with("\twebsite")).unwrap();
    assert!(line.contains("\tread-key\tacme\t20"), "{listed}");
    assert_eq!(listed.lines().count(), 2, "{listed}");
    assert!(!listed.contains(key) && !listed.contains(other), "{listed}");
    let short_id = line.split('\t').next().unwrap();
    let described = description.lines().last().unwrap();
    assert!(described.starts_with(short_id), "{description}");
    let revoke = format!("revoke {short_id}");
    assert!(only_line(&run(&revoke)).contains("pass --yes to confirm"));
    assert_eq!(succeeded(&run("list")), listed);
    succeeded(&run(&format!("{revoke} --yes")));
    let served = place.serve();
    assert_eq!(statistics(&served, "acme", key), 401);
    assert_eq!(statistics(&served, "acme", other), 200);
}

#[test]
fn an_account_created_in_a_served_store_authorizes_the_users_of_its_projects() {
    let operator = Operator::new();
    let projects = "--project acme --project globex --project acme";
    let create = format!("credentials create-account --username both {projects}");
    let password = succeeded(&operator.run(&create));
    for (project, expected) in [("acme", 200), ("globex", 200), ("demo", 403)] {
        let target = format!("/api/users?project={project}");
        let header = format!("Authorization: Bearer {}", password.trim());
        let found = status(&operator.served().api, &target, &header);
        assert_eq!(found, expected, "{project}");
    }
    let listed = succeeded(&operator.run("credentials list --project globex"));
    assert!(
        listed.contains("\taccount\tboth (acme, globex)\t"),
        "{listed}"
    );
    assert_eq!(listed.lines().count(), 1, "only globex: {listed}");
    let all = succeeded(&operator.run("credentials list"));
    assert_eq!(all.lines().count(), 3, "{all}");
}

#[test]
fn a_secret_of_standard_input_is_kept_or_refused_without_repeating_it() {
    let place = Place::new();
    let import = |kind: &str, secret: &str| {
        let create = format!("credentials {kind} --project acme --data data --secret-stdin");
        place.run_with_input(&create, secret)
    };
    let [longest, marked, too_long] =
        [("x", 4096), ("y", 4096), ("x", 4097)].map(|(letter, length)| letter.repeat(length));
    for secret in [
        "legacy-key-of-16+\n",
        "sixteen-letters-",
        &format!("{longest}\r\n"),
        &format!("\u{feff}{marked}\r\n"),
    ] {
        let imported = import("create-read-key", secret);
        assert_eq!(succeeded(&imported), "", "the secret is known already");
        assert!(!stderr(&imported).contains(secret.trim()));
    }
    let short = "has fewer than 16 characters: secrets are stored as plain digests, from which a short one \
                 could be guessed; omit --secret-stdin to generate one";
    let password = (
        "create-account --username reports",
        "hunter2\n",
        &*format!("the password {short}"),
    );
    let read_keys = [
        ("legacy-key-of-16+", "already exists"),
        ("legacy-key-of-16+\r\n", "already exists"),
        ("\u{feff}legacy-key-of-16+\n", "already exists"),
        ("fifteen-letters\n", &format!("the Read Key {short}")),
        ("\u{feff}fifteen-letters", "fewer than 16"),
        ("", "fewer than 16"),
        (" a leading space\n", "spaces at its ends"),
        ("a trailing space \n", "spaces at its ends"),
        ("the first line\nand the second", "control characters"),
        (&too_long, "longer than 4096"),
    ];
    let read_keys = read_keys.map(|(secret, reason)| ("create-read-key", secret, reason));
    for (kind, secret, reason) in read_keys.into_iter().chain([password]) {
        let line = only_line(&import(kind, secret));
        assert!(line.contains(reason), "{secret:?}: {line}");
        for part in secret.lines().map(str::trim) {
            assert!(!line.contains(part), "{secret:?}: {line}");
        }
    }
    let listed = succeeded(&place.run("credentials list --data data"));
    assert_eq!(listed.lines().count(), 4, "{listed}");
    let served = place.serve();
    for key in ["legacy-key-of-16+", "sixteen-letters-", &longest, &marked] {
        assert_eq!(statistics(&served, "acme", key), 200, "{key}");
    }
}

#[test]
fn one_secret_for_both_operations_is_an_account_that_may_read_statistics() {
    const SECRET: &str = "the-api-key-of-the-project";
    let operator = Operator::new();
    let add = |line: &str| operator.run_with_input(&format!("credentials {line}"), SECRET);
    let place = Place::new();
    let add_in_folder =
        |line: &str| place.run_with_input(&format!("credentials {line} --data data"), SECRET);
    let key = |project: &str| format!("create-read-key --secret-stdin --project {project}");
    let account = "create-account --secret-stdin --username both --project zoo --project globex";
    for add in [&add as &dyn Fn(&str) -> _, &add_in_folder] {
        succeeded(&add(account));
        let exists = "a credential with this secret already exists";
        assert!(only_line(&add(&key("acme"))).contains(exists), "not listed");
        let marked = add(&format!("{} --label website", key("globex")));
        assert_eq!(succeeded(&marked), "", "the secret is known already");
        let said = stderr(&marked);
        for line in [
            " account both (globex, zoo), also statistics\n",
            "the account's password, which now also reads the figures of these projects\n",
            "the account keeps its label\n",
        ] {
            assert!(said.contains(line), "{said}");
        }
        assert!(only_line(&add(&key("zoo"))).contains(exists), "once");
    }
    let folder = place.serve();
    for api in [&operator.served().api, &folder.api] {
        for (project, expected) in [("zoo", 200), ("globex", 200), ("acme", 403)] {
            for path in ["users", "v2/response-statistics"] {
                let target = format!("/api/{path}?project={project}");
                let found = status(api, &target, &format!("Authorization: Bearer {SECRET}"));
                assert_eq!(found, expected, "{path} of {project}");
            }
        }
    }
    let listed = succeeded(&operator.run("credentials list --project globex"));
    assert!(listed.contains("\tboth (globex, zoo), also statistics\t"));
}

#[test]
fn a_read_key_is_revoked_before_its_secret_becomes_a_password() {
    const SECRET: &str = "the-api-key-of-the-project";
    let place = Place::new();
    let add = |kind: &str| {
        let create = format!("credentials {kind} --project acme --data data --secret-stdin");
        place.run_with_input(&create, SECRET)
    };
    let created = stderr(&add("create-read-key"));
    let id = created.lines().last().unwrap().split(' ').next().unwrap();
    let line = only_line(&add("create-account --username reports"));
    let advice =
        format!("is a Read Key; to use it for both operations, revoke {id}, create the account");
    assert!(line.contains(&advice), "{line}");
    succeeded(&place.run(&format!("credentials revoke {id} --yes --data data")));
    succeeded(&add("create-account --username reports"));
    assert!(stderr(&add("create-read-key")).contains("also statistics"));
}

#[test]
fn a_short_id_that_matches_no_or_several_credentials_revokes_none() {
    let operator = Operator::new();
    let digests = ["00", "01"].map(|end| format!("1a2b3c4d{}{end}", "5".repeat(54)));
    for digest in &digests {
        let item = format!(
            r#"{{"digest":{{"S":"{digest}"}},"kind":{{"S":"read-key"}},"project":{{"S":"zoo"}}}}"#
        );
        put_item(operator.served().dynamodb(), "credentials", &item);
    }
    let before = succeeded(&operator.run("credentials list"));
    for (short_id, reason) in [
        ("", "at least the 8 hexadecimal digits"),
        ("1a2b3c4", "at least the 8 hexadecimal digits"),
        ("zzzzzzzz", "there is no credential zzzzzzzz"),
        ("1a2b3c4d", "several credentials match 1a2b3c4d"),
    ] {
        let mut revoke = operator.command("credentials revoke --yes");
        let line = only_line(&output(revoke.arg(short_id)));
        assert!(line.contains(reason), "{line}");
    }
    assert_eq!(succeeded(&operator.run("credentials list")), before);
    succeeded(&operator.run(&format!("credentials revoke {} --yes", digests[0])));
    let listed = succeeded(&operator.run("credentials list --project zoo"));
    assert_eq!(listed.lines().count(), 1, "{listed}");
}

#[test]
fn what_is_stored_under_a_key_that_is_no_digest_is_reported_and_can_be_removed() {
    let operator = Operator::new();
    let item = r#"{"digest":{"S":"NO-DIGEST"},"kind":{"S":"read-key"},"project":{"S":"acme"}}"#;
    put_item(operator.served().dynamodb(), "credentials", item);
    let told = |line: &str| stderr(&operator.run(&format!("credentials {line}")));
    let report = "left out \"NO-DIGEST\", which is no SHA-256 of a secret and authorizes nothing";
    assert!(told("list").contains(report));
    assert!(!told("list --project acme").contains("NO-DIGEST"));
    succeeded(&operator.run("credentials revoke NO-DIGEST --yes"));
    assert!(!told("list").contains("NO-DIGEST"));
}

#[test]
fn an_invalid_project_or_username_is_a_usage_error() {
    for (arguments, reason) in rows(
        "
        create-read-key --project a.b => 'a.b' for '--project
        create-account --username a:b --project acme => 'a:b' for '--username
        create-account --username= --project acme => must not be empty
        create-account --username ab => --project <PROJECT>
        ",
    ) {
        let message = failed(&run(&format!("credentials {arguments}")), 2);
        assert!(message.contains(reason), "{arguments}: {message}");
    }
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
    let create = "credentials create-account --username a-rather-long-name --project acme";
    succeeded(&operator.run(&format!("{create} --label Zoë")));
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
