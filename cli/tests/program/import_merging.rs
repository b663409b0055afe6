//! `feedback import`: an import adds and changes, but never takes away.

use serde_json::json;

use crate::operator::Operator;
use crate::process::{counts, failed, imported};

fn import(operator: &Operator, file: &str, content: &str) -> String {
    operator.file(file, content);
    imported(&operator.run(&format!("import responses {file} --project acme")))
}

const WHOLE: &str = r#"{"id":"r1","created":"2020-01-01","rating":9,"user":{"userId":"007","email":"a@b","traits":{"plan":"pro","seats":7}}}"#;

#[test]
fn what_a_later_import_lacks_is_kept() {
    let operator = Operator::new();
    import(&operator, "whole.ndjson", WHOLE);
    let (responses, users) = (operator.export("responses"), operator.export("users"));
    for (file, content) in [
        ("without-user.csv", "id,created,rating\nr1,2020-01-01,9\n"),
        (
            "without-rating.csv",
            "id,created,rating,userId\nr1,2020-01-01,,007\n",
        ),
        (
            "nulls.ndjson",
            r#"{"id":"r1","created":"2020-01-01","rating":null,"dismissed":null,"user":{"userId":"007","email":null,"traits":{"plan":null}}}"#,
        ),
        (
            "dismissed.ndjson",
            r#"{"id":"r1","created":"2020-01-01","dismissed":true}"#,
        ),
        (
            "fewer-traits.csv",
            "id,created,rating,userId,traits.seats\nr1,2020-01-01,9,007,7\n",
        ),
    ] {
        assert_eq!(
            import(&operator, file, content),
            "responses: 0 written, 1 unchanged, 0 rejected\n",
            "{file}"
        );
        assert_eq!(operator.export("responses"), responses, "{file}");
        assert_eq!(operator.export("users"), users, "{file}");
    }
}

#[test]
fn what_a_later_import_adds_or_corrects_is_written() {
    let operator = Operator::new();
    import(
        &operator,
        "first.ndjson",
        r#"{"id":"r1","created":"2020-01-01","dismissed":true,"user":{"traits":{"plan":"pro"}}}"#,
    );
    import(&operator, "whole.ndjson", WHOLE);
    let exported: serde_json::Value =
        serde_json::from_str(&operator.export("responses")[0]).unwrap();
    assert_eq!(exported["rating"], 9);
    let user = json!({"userId": "007", "traits": {"plan": "pro", "seats": 7}});
    assert_eq!(exported["user"], user);
    import(
        &operator,
        "correction.csv",
        "id,created,rating,traits.plan\nr1,2020-01-01,8,free\n",
    );
    let exported: serde_json::Value =
        serde_json::from_str(&operator.export("responses")[0]).unwrap();
    assert_eq!(exported["rating"], 8);
    assert_eq!(
        exported["user"]["traits"],
        json!({"plan": "free", "seats": 7})
    );
}

#[test]
fn an_older_record_of_a_display_adds_what_is_unknown_and_changes_nothing_else() {
    let operator = Operator::new();
    import(&operator, "whole.ndjson", WHOLE);
    import(
        &operator,
        "pending.ndjson",
        r#"{"id":"r1","created":"2020-01-01","user":{"userId":"008","traits":{"plan":"free","country":"FI"}}}"#,
    );
    let exported: serde_json::Value =
        serde_json::from_str(&operator.export("responses")[0]).unwrap();
    assert_eq!(exported["rating"], 9);
    assert_eq!(exported["user"]["userId"], "007");
    let traits = json!({"plan": "pro", "seats": 7, "country": "FI"});
    assert_eq!(exported["user"]["traits"], traits);
}

/// Three records of a user, of which the second and the third lack facts of earlier ones.
fn days_of(user: &str) -> [String; 3] {
    let said = [
        r#""email":"a@x","name":"Ann","traits":{"plan":"free","seats":1}"#,
        r#""email":"b@x","traits":{"plan":"pro"}"#,
        r#""traits":{"seats":null,"email":"c@x"}"#,
    ];
    [1, 2, 3].map(|day| {
        let said = said[day - 1];
        format!(
            r#"{{"id":"{user}-{day}","created":"2020-01-0{day}","rating":9,"user":{{"userId":"{user}",{said}}}}}"#
        )
    })
}

#[test]
fn each_fact_of_a_user_is_that_of_the_newest_record_that_has_it_in_any_order_of_records_and_imports()
 {
    const ORDERS: [[usize; 3]; 6] = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let operator = Operator::new();
    let nth = |user: &str, nth: usize| {
        let users = ORDERS.iter().zip(0..);
        let records = users.map(|(order, n)| days_of(&format!("{user}{n}"))[order[nth]].clone());
        records.collect::<Vec<_>>().join("\n")
    };
    let at_once = [0, 1, 2].map(|n| nth("once", n)).join("\n");
    import(&operator, "at-once.ndjson", &at_once);
    for n in 0..3 {
        import(&operator, &format!("import-{n}.ndjson"), &nth("by-one", n));
    }
    for user in operator.users() {
        let facts = [&user["email"], &user["name"], &user["traits"]].map(ToString::to_string);
        let traits = r#"{"email":"c@x","plan":"pro","seats":1}"#;
        assert_eq!(facts, [r#""b@x""#, r#""Ann""#, traits], "{user}");
    }
    assert_eq!(
        import(&operator, "again.ndjson", &at_once),
        "responses: 0 written, 18 unchanged, 0 rejected\n"
    );
}

/// A record whose user's traits fit into an item once, but not twice.
fn large(id: &str, trait_name: &str) -> String {
    let text = "x".repeat(250_000);
    format!(
        r#"{{"id":"{id}","created":"2020-01-0{}","rating":9,"user":{{"userId":"007","traits":{{"{trait_name}":"{text}"}}}}}}"#,
        id.len()
    )
}

#[test]
fn facts_that_fit_one_by_one_but_not_together_are_rejected_and_the_import_goes_on() {
    let operator = Operator::new();
    let (first, second) = (large("a", "one"), large("bb", "two"));
    let last = r#"{"id":"ccc","created":"2020-01-03","rating":1,"user":{"userId":"007","traits":{"plan":"pro"}}}"#;
    operator.file("large.ndjson", [&first, &second, last].join("\n"));
    let output =
        operator.run("import responses large.ndjson --project acme --rejects rejects.ndjson");
    let errors = failed(&output, 2);
    assert!(
        errors.contains("large.ndjson:2: the user must not be larger than DynamoDB's 400 KB"),
        "{errors}"
    );
    assert_eq!(
        counts(&output),
        "responses: 3 written, 0 unchanged, 1 rejected\n"
    );
    let rejects = std::fs::read_to_string(operator.path("rejects.ndjson")).unwrap();
    assert!(rejects == format!("{second}\n"), "the record as it was");
    assert_eq!(operator.figures("")["responses"], 3);
    let users = operator.users();
    let traits = users[0]["traits"].as_object().unwrap();
    assert!(traits.keys().eq(["one", "plan"]), "{:?}", traits.keys());
    // The same with what an earlier import stored.
    operator.file("second.ndjson", &second);
    let errors = failed(
        &operator.run("import responses second.ndjson --project acme"),
        2,
    );
    assert!(errors.contains("second.ndjson:1: the user"), "{errors}");
    let text = "x".repeat(250_000);
    let user = format!(r#"{{"userId":"007","created":"2020-01-01","traits":{{"two":"{text}"}}}}"#);
    operator.file("user.ndjson", user);
    let output = operator.run("import users user.ndjson --project acme");
    failed(&output, 2);
    assert_eq!(
        counts(&output),
        "users: 0 written, 0 unchanged, 1 rejected\n"
    );
}

#[test]
fn a_record_whose_user_would_be_too_large_is_rejected_as_a_whole_before_it_is_written() {
    let operator = Operator::new();
    // DynamoDB counts three bytes for each of these elements, which take two in the file.
    let (ones, email) = (vec!["1"; 136_400].join(","), "x".repeat(500));
    let record = format!(
        r#"{{"id":"a","created":"2020-01-01","rating":9,"user":{{"userId":"007","email":"{email}","traits":{{"a":[{ones}]}}}}}}"#
    );
    operator.file("large.ndjson", record);
    let output = operator.run("import responses large.ndjson --project acme --dry-run");
    let errors = failed(&output, 2);
    let reason = "large.ndjson:1: the user must not be larger than DynamoDB's 400 KB";
    assert!(errors.contains(reason), "{errors}");
    assert_eq!(
        counts(&output),
        "responses: 0 could be imported, 1 rejected; nothing was written\n"
    );
}

#[test]
fn a_record_that_grows_too_large_is_rejected_and_keeps_what_is_stored() {
    let operator = Operator::new();
    let record = |name: &str| large("a", name).replace(r#""userId":"007","#, "");
    import(&operator, "first.ndjson", &record("one"));
    let before = operator.export("responses");
    operator.file("second.ndjson", record("two"));
    let errors = failed(
        &operator.run("import responses second.ndjson --project acme"),
        2,
    );
    assert!(
        errors.contains("second.ndjson:1: the record must not be larger than DynamoDB's 400 KB"),
        "{errors}"
    );
    assert!(operator.export("responses") == before);
}

#[test]
fn a_column_that_is_mapped_to_two_fields_is_refused() {
    let operator = Operator::new();
    operator.file("survey.csv", "created,rating,Mail\n2020-07-01,5,j@x\n");
    let errors = failed(
        &operator
            .run("import responses survey.csv --project acme --map userId=Mail --map email=Mail"),
        1,
    );
    assert!(errors.contains("the column \"Mail\" twice"), "{errors}");
}

#[test]
fn a_set_that_another_program_stored_keeps_its_type_when_its_values_are_imported() {
    let operator = Operator::new();
    let item = json!({
        "shard": {"S": "acme#2"}, "at": {"S": "2020-01-01T00:00:00.000Z#a"}, "rating": {"N": "9"},
        "traits": {"M": {"tags": {"SS": ["a", "b"]}}},
    });
    let address = operator.dynamodb();
    let address = address.trim_start_matches("http://");
    crate::http::put_item(address, "responses", &item.to_string());
    operator.file("exported.ndjson", operator.export("responses").join("\n"));
    assert_eq!(
        imported(&operator.run("import responses exported.ndjson --project acme")),
        "responses: 0 written, 1 unchanged, 0 rejected\n"
    );
}
