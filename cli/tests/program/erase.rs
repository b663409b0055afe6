//! `feedback erase`.

use serde_json::json;

use crate::operator::Operator;
use crate::process::{failed, stderr, succeeded};

/// Returns a project with two records of the user `a` and one of the user `b`.
fn operator() -> Operator {
    let operator = Operator::new();
    let record = |id: &str, user: &str| {
        format!(
            r#"{{"id":"{id}","created":"2020-01-01","rating":9,"user":{{"userId":"{user}","email":"{user}@x.org","traits":{{"plan":"pro","of":"{user}"}}}}}}"#
        )
    };
    let records = [record("r1", "a"), record("r2", "b"), record("r3", "a")].join("\n");
    succeeded(&operator.run_with_input("import responses - --project acme", records));
    operator
}

/// Returns everything that is exported of the project.
fn export(operator: &Operator) -> String {
    operator.export("responses").concat() + &operator.export("users").concat()
}

#[test]
fn erasing_a_user_keeps_the_figures_and_nothing_about_the_person() {
    let operator = operator();
    let before = operator.figures("");
    succeeded(&operator.run("erase --project acme --user-id a --yes"));
    assert_eq!(operator.figures(""), before);
    assert_eq!(operator.figures(" --filter of=eq:a")["displays"], 0);
    assert_eq!(operator.figures(" --filter of=eq:b")["displays"], 1);
    let users = operator.users();
    assert_eq!((users.len(), &users[0]["userId"]), (1, &json!("b")));
    let rest = export(&operator);
    for trace in [r#""a""#, "a@x.org"] {
        assert!(!rest.contains(trace), "{rest}");
    }
    for kept in [r#""userId":"b""#, "b@x.org"] {
        assert!(rest.contains(kept), "{rest}");
    }
}

#[test]
fn an_unconfirmed_erasure_reports_what_it_would_erase_and_changes_nothing() {
    let operator = operator();
    let before = export(&operator);
    let report = failed(&operator.run("erase --project acme --user-id a"), 1);
    let plan = "project acme: 1 user to delete, 2 of 3 response records to anonymize\n";
    assert!(report.starts_with(plan), "{report}");
    assert!(report.contains("pass --yes to confirm"), "{report}");
    assert_eq!(export(&operator), before);
}

#[test]
fn erasing_an_unknown_user_reports_how_many_records_were_searched() {
    let operator = operator();
    let before = export(&operator);
    let output = operator.run("erase --project acme --user-id nobody");
    assert_eq!(succeeded(&output), "");
    let report = stderr(&output);
    let searched = "nothing is stored about this user; 3 response records were searched\n";
    assert!(report.starts_with(searched), "{report}");
    assert_eq!(export(&operator), before);
}
