//! `feedback erase --all`.

use std::fmt::Write as _;

use crate::faulty_store::Faulty;
use crate::operator::Operator;
use crate::outcome::{failed, stderr, succeeded};

/// Returns records of one user each.
fn records(count: usize, padding: usize) -> String {
    let mut records = String::new();
    for n in 0..count {
        let padding = "x".repeat(padding);
        let _ = writeln!(
            records,
            r#"{{"id":"r{n}","created":"2020-01-01","rating":9,"user":{{"userId":"u{n}","traits":{{"padding":"{padding}"}}}}}}"#
        );
    }
    records
}

fn messages(output: &std::process::Output) -> String {
    succeeded(output);
    stderr(output)
}

#[test]
fn a_project_is_deleted_once_its_deletion_is_confirmed_and_no_other() {
    // Several pages of each shard.
    let operator = Operator::with_responses(records(100, 60_000));
    let other = operator.run_with_input("import responses - --project other", records(3, 1));
    succeeded(&other);
    let refused = failed(&operator.run("erase --project acme --all"), 1);
    let plan = "project acme: 100 response records and 100 users to delete, 2 credentials to keep";
    assert!(refused.contains(plan), "{refused}");
    assert!(refused.contains("pass --yes"), "{refused}");
    assert_eq!(operator.users().len(), 100, "not confirmed");
    let done = messages(&operator.run("erase --project acme --all --yes"));
    assert!(done.contains("200 records deleted"), "{done}");
    let displays = &operator.figures("")["displays"];
    assert_eq!(*displays, 0, "the credentials are kept");
    assert!(operator.users().is_empty());
    for kind in ["responses", "users"] {
        let left = succeeded(&operator.run(&format!("export {kind} --project other")));
        assert_eq!(left.lines().count(), 3);
    }
    let again = messages(&operator.run("erase --project acme --all"));
    assert!(again.contains("0 records deleted"), "no --yes: {again}");
}

#[test]
fn everything_is_deleted_by_a_store_that_throttles_and_does_half_of_each_batch() {
    let operator = Operator::with_responses(records(60, 1));
    let (faulty, url) = Faulty::before(&operator);
    let done = messages(&operator.run_through(&url, "erase --project acme --all --yes"));
    assert!(done.contains("120 records deleted"), "{done}");
    assert!(faulty.has_caused("incomplete write"));
    assert_eq!(operator.figures("")["displays"], 0);
    assert!(operator.users().is_empty());
}
