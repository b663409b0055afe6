//! `feedback import --map` of JSON: fields at paths.

use std::fmt::Write as _;

use crate::import_ratings::{answered, record};
use crate::operator::Operator;
use crate::process::{failed, imported, stderr};

#[test]
fn a_field_that_the_path_lacks_keeps_its_own_value() {
    let operator = Operator::new();
    let user = |id: &str, contact: &str| {
        let user = format!(r#"{{"userId":"{id}","email":"own@x","contact":{contact}}}"#);
        record(id, &format!(r#""rating":9,"user":{user}"#))
    };
    let lines = [
        user("a", r#"{"mail":"mapped@x"}"#),
        user("b", "{}"),
        user("c", r#"{"mail":null}"#),
    ];
    operator.file("all", lines.concat());
    imported(&operator.run("import responses all --project acme --map email=user.contact.mail"));
    let emails: Vec<_> = operator
        .users()
        .iter()
        .map(|user| user["email"].clone())
        .collect();
    assert_eq!(emails, ["mapped@x", "own@x", "own@x"]);
}

#[test]
fn fields_are_read_from_paths_and_a_whole_name_precedes_a_path() {
    let operator = Operator::new();
    operator.file(
        "all",
        r#"{"key":{"id":7},"at":"2020-01-01","a.b":1,"a":{"b":2,"b.c":3},"x":{"y.z":{"w":4}},
            "person":{"mail":"j@x"},"rating":9,"user":{"userId":"007","email":"old@x"}}"#
            .replace('\n', ""),
    );
    let map = "--map id=key.id --map created=at --map traits.whole=a.b --map traits.dots=a.b.c \
               --map traits.longest=x.y.z.w --map email=person.mail";
    let output = operator.run(&format!("import responses all --project acme {map}"));
    let told = stderr(&output);
    imported(&output);
    let ignored = r#""a" in part (1), "key" in part (1), "person" in part (1), "user.email" (1), "x" in part (1)"#;
    assert!(told.contains(ignored), "{told}");
    let export = operator.export("responses").concat();
    assert!(
        export.contains(r#""id":"7","created":"2020-01-01T00:00:00.000Z""#)
            && export.contains(r#""traits":{"dots":3,"longest":4,"whole":1}"#),
        "{export}"
    );
    assert_eq!(operator.users()[0]["email"], "j@x");
}

#[test]
fn flat_records_are_records_if_their_rating_is_mapped() {
    let operator = Operator::new();
    let line = |more: &str| format!(r#"{{"userId":"u","created":"2020-01-01","score":9{more}}}"#);
    operator.file("flat", line(""));
    operator.file(
        "members",
        line(r#","data":[]"#).replace(r#""userId":"u","created""#, r#""visitor":"v","at""#),
    );
    let map = "--map rating=score --project acme";
    imported(&operator.run(&format!("import responses flat --map userId=userId {map}")));
    imported(&operator.run(&format!(
        "import responses members --map userId=visitor --map created=at {map}"
    )));
    assert_eq!(operator.users().len(), 2);
    assert_eq!(operator.figures("")["promoters"], 2);
}

#[test]
fn pages_are_pages_although_a_path_begins_like_one_of_their_members() {
    let operator = Operator::new();
    let record = record("a", r#""rating":9,"page":{"url":"/x"},"data":{"n":1}"#);
    operator.file(
        "pages",
        format!(r#"{{"data":[{record}],"page":{{"hasNextPage":false}}}}"#),
    );
    let map = "--map traits.url=page.url --map traits.n=data.n";
    imported(&operator.run(&format!("import responses pages --project acme {map}")));
    assert_eq!(operator.figures("")["promoters"], 1);
}

#[test]
fn a_path_is_mapped_to_several_fields() {
    let operator = Operator::new();
    operator.file("all", record("a", r#""rating":9,"person":"j@x","user":{}"#));
    let map = "--map userId=person --map email=person";
    imported(&operator.run(&format!("import responses all --project acme {map}")));
    let user = &operator.users()[0];
    assert_eq!([&user["userId"], &user["email"]], ["j@x", "j@x"]);
}

#[test]
fn a_path_that_is_absent_from_what_was_read_before_an_error_writes_nothing() {
    let operator = Operator::new();
    operator.file("all", format!("[{},", record("a", r#""rating":9"#)));
    failed(
        &operator.run("import responses all --project acme --map rating=score"),
        1,
    );
    assert_eq!(operator.figures("")["displays"], 0);
}

#[test]
fn users_are_read_from_paths() {
    let operator = Operator::new();
    operator.file(
        "users",
        r#"{"key":"007","profile":{"mail":"j@x","plan":"pro"},"traits":{"n":1}}"#,
    );
    let map = "--map userId=key --map email=profile.mail --map traits.plan=profile.plan";
    imported(&operator.run(&format!("import users users --project acme {map}")));
    let user = &operator.users()[0];
    assert_eq!([&user["userId"], &user["email"]], ["007", "j@x"]);
    assert_eq!(user["traits"], serde_json::json!({"n": 1, "plan": "pro"}));
}

#[test]
fn a_path_that_is_absent_from_the_first_megabyte_is_an_error_before_anything_is_written() {
    let operator = Operator::new();
    let note = "x".repeat(1000);
    let mut many = String::new();
    for n in 0..4000 {
        let late = if n > 3000 { r#","late":1"# } else { "" };
        let members = format!(r#""rating":9,"note":"{note}"{late}"#);
        many += &record(&format!("r{n}"), &members);
    }
    operator.file("many", &many);
    operator.file("few", record("a", r#""rating":9"#));
    operator.file(
        "pages",
        format!(r#"{{"data":[{}]}}"#, record("a", r#""rating":9"#)),
    );
    for (file, path) in [
        ("many", "traits.n=late"),
        ("few", "name=user.nick"),
        ("few few", "rating=score.q"),
        ("pages", "traits.n=a.b"),
    ] {
        let line = format!("import responses {file} --project acme --map {path} --rejects bad");
        let output = operator.run(&line);
        let errors = failed(&output, 1);
        let (_, path) = path.split_once('=').unwrap();
        let error = format!("no record at the beginning of the input has {path:?} (--map)\n");
        assert!(errors.ends_with(&error), "{errors}");
        assert!(!operator.path("bad").exists(), "nothing was rejected");
        let counts = "responses: 0 written, 0 unchanged, 0 rejected\n";
        assert_eq!(String::from_utf8(output.stdout).unwrap(), counts);
    }
    assert_eq!(operator.figures("")["displays"], 0);
}

#[test]
fn a_question_that_is_absent_from_the_first_megabyte_is_a_warning_and_a_failure_if_it_never_comes()
{
    let operator = Operator::new();
    let note = "x".repeat(1000);
    let mut lines = String::new();
    for n in 0..1100 {
        writeln!(
            lines,
            "{}",
            record(
                &format!("r{n}"),
                &format!(r#""answers":[],"note":"{note}""#)
            )
            .trim()
        )
        .unwrap();
    }
    operator.file("never", &lines);
    operator.file("late", lines + &answered("last", &[("q", "9")]));
    operator.file("few", answered("r", &[]));
    operator.file("none", record("r", r#""dismissed":true"#));
    let warning = "no record so far has \"answers.q\" (--map)\n";
    let failure = "no record has \"answers.q\" (--map)\n";
    for (file, code, told) in [
        ("late", 0, [true, false]),
        ("never", 2, [true, true]),
        ("few", 2, [false, true]),
        ("none", 2, [false, true]),
    ] {
        let line = format!("import responses {file} --project acme --map rating=answers.q");
        let output = operator.run(&line);
        assert_eq!(output.status.code(), Some(code), "{file}");
        let errors = stderr(&output);
        assert_eq!(
            [warning, failure].map(|line| errors.contains(line)),
            told,
            "{errors}"
        );
    }
    assert_eq!(operator.figures("")["responses"], 1);
}
