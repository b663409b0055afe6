//! `feedback erase --all`.

use std::fmt::Write as _;

use crate::faulty_store::Faulty;
use crate::http::put_item;
use crate::operator::Operator;
use crate::process::{failed, output, succeeded};

/// Records of one user each, large enough for several pages of each shard.
fn import(operator: &Operator, project: &str, count: usize, padding: usize) {
    let mut records = String::new();
    for n in 0..count {
        let padding = "x".repeat(padding);
        let _ = writeln!(
            records,
            r#"{{"id":"r{n}","created":"2020-01-01","rating":9,"user":{{"userId":"u{n}","traits":{{"padding":"{padding}"}}}}}}"#
        );
    }
    let line = format!("import responses - --project {project}");
    succeeded(&operator.run_with_input(&line, records.as_bytes()));
}

fn messages(output: &std::process::Output) -> String {
    succeeded(output);
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_project_is_deleted_once_its_deletion_is_confirmed_and_no_other() {
    let operator = Operator::new();
    import(&operator, "acme", 100, 60_000);
    import(&operator, "other", 3, 1);
    let refused = failed(&operator.run("erase --project acme --all"), 1);
    assert!(
        refused.contains(
            "project acme: 100 response records and 100 users to delete, 2 credentials to keep"
        ) && refused.contains("pass --yes"),
        "{refused}"
    );
    assert_eq!(operator.users().len(), 100, "not confirmed");
    let done = messages(&operator.run("erase --project acme --all --yes"));
    assert!(done.contains("200 records deleted"), "{done}");
    assert_eq!(
        operator.figures("")["displays"],
        0,
        "the credentials are kept"
    );
    assert!(operator.users().is_empty());
    for kind in ["responses", "users"] {
        let left = succeeded(&operator.run(&format!("export {kind} --project other")));
        assert_eq!(left.lines().count(), 3);
    }
    let again = messages(&operator.run("erase --project acme --all"));
    assert!(
        again.contains("0 records deleted"),
        "nothing to confirm: {again}"
    );
}

#[test]
fn one_of_a_user_and_all_is_required() {
    let operator = Operator::new();
    for what in ["", " --all --user-id a", " --user-id a --credentials"] {
        let said = failed(
            &operator.run(&format!("erase --project acme --yes{what}")),
            2,
        );
        assert!(
            said.contains("--user-id") && said.contains("--all"),
            "{said}"
        );
    }
}

#[test]
fn credentials_are_revoked_on_request_and_accounts_keep_their_other_projects() {
    let operator = Operator::new();
    succeeded(
        &operator.run("credentials create-account --username both --project acme --project other"),
    );
    succeeded(&operator.run("credentials create-read-key --project other"));
    import(&operator, "acme", 2, 1);
    let done = messages(&operator.run("erase --project acme --all --credentials --yes"));
    assert!(
        done.contains("3 credentials to revoke")
            && done.matches("revoked: ").count() == 2
            && done.contains("no longer authorizes acme: "),
        "{done}"
    );
    let left = succeeded(&operator.run("credentials list"));
    assert!(
        left.lines().count() == 2 && left.contains("\taccount\tboth (other)\t"),
        "{left}"
    );
}

#[test]
fn credentials_of_an_unknown_kind_and_damaged_ones_are_printed_and_kept() {
    let operator = Operator::new();
    let [unknown, damaged] = ["a", "b"].map(|digit| digit.repeat(64));
    for (digest, attributes) in [
        (&*unknown, r#""kind":{"S":"admin"},"project":{"S":"acme"}"#),
        (
            &damaged,
            r#""kind":{"S":"account"},"username":{"S":"u"},"projects":{"SS":["acme","not a project"]}"#,
        ),
        (
            "no digest",
            r#""kind":{"S":"read-key"},"project":{"S":"acme"}"#,
        ),
    ] {
        let item = format!(r#"{{"digest":{{"S":"{digest}"}},{attributes}}}"#);
        put_item(operator.served().dynamodb(), "credentials", &item);
    }
    let done = messages(&operator.run("erase --project acme --all --credentials --yes"));
    let left = succeeded(&operator.run("credentials list"));
    for digest in ["aaaaaaaa", "bbbbbbbb"] {
        let line =
            format!("{digest}\tunknown\tdamaged or of an unknown kind, authorizes nothing\t");
        assert!(left.contains(&line), "{left}");
        assert!(done.contains(&format!("kept: {line}")), "{done}");
    }
    assert_eq!(left.lines().count(), 2, "{left}");
    assert!(
        done.contains("kept: \"no digest\", which is no SHA-256"),
        "{done}"
    );
}

#[test]
fn everything_is_deleted_by_a_store_that_throttles_and_does_half_of_each_batch() {
    let operator = Operator::new();
    import(&operator, "acme", 60, 1);
    let (faulty, url) = Faulty::before(&operator);
    let mut erase = operator.command("erase --project acme --all --yes");
    let done = messages(&output(erase.env("AWS_ENDPOINT_URL_DYNAMODB", url)));
    assert!(done.contains("120 records deleted"), "{done}");
    assert!(faulty.has_caused("incomplete write"));
    assert_eq!(operator.figures("")["displays"], 0);
    assert!(operator.users().is_empty());
}

#[test]
fn an_interrupted_erasure_is_continued_by_the_next() {
    let operator = Operator::new();
    import(&operator, "acme", 400, 1);
    let mut erase = operator
        .command("erase --project acme --all --yes")
        .spawn()
        .unwrap();
    while operator.figures("")["displays"] == 400 {
        assert!(erase.try_wait().unwrap().is_none(), "it ended too early");
    }
    erase.kill().unwrap();
    erase.wait().unwrap();
    messages(&operator.run("erase --project acme --all --yes"));
    assert_eq!(operator.figures("")["displays"], 0);
    assert!(operator.users().is_empty());
}
