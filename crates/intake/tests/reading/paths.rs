//! Fields at paths of JSON.

use crate::import::{import, record};
use crate::ratings::{answered, line};

#[test]
fn fields_are_read_from_paths() {
    let response = r#"{"at":"2020-01-01T00:00:00.000Z#a","rating":9"#;
    let dots = r#"{"key":{"id":"a"},"at":"2020-01-01","a.b":1,"a":{"b":2,"b.c":3},"x":{"y.z":{"w":4}},"rating":9}"#;
    let flat = r#"{"userId":"u","created":"2020-01-01","id":"a","score":9}"#;
    let flat_with_list = r#"{"visitor":"u","at":"2020-01-01","id":"a","score":9,"data":[]}"#;
    let page = line("a", r#""rating":9,"page":{"url":"/x"},"data":{"n":1}"#);
    let page = format!(r#"{{"data":[{page}],"page":{{"hasNextPage":false}}}}"#);
    for (options, text, [rest, of_its_user]) in [
        // A whole name precedes a path.
        (
            "responses --map id=key.id --map created=at --map traits.whole=a.b --map traits.dots=a.b.c \
             --map traits.longest=x.y.z.w",
            dots.to_owned(),
            [r#","traits":{"dots":3,"longest":4,"whole":1}}"#, ""],
        ),
        (
            "responses --map rating=score --map userId=userId",
            flat.to_owned(),
            [r#","userId":"u"}"#, ""],
        ),
        (
            "responses --map rating=score --map userId=visitor --map created=at",
            flat_with_list.to_owned(),
            [r#","userId":"u"}"#, ""],
        ),
        // A path that begins like a member of a page.
        (
            "responses --map traits.url=page.url --map traits.n=data.n",
            page,
            [r#","traits":{"n":1,"url":"/x"}}"#, ""],
        ),
        // One path of two fields.
        (
            "responses --map userId=person --map email=person",
            line("a", r#""rating":9,"person":"j@x","user":{}"#),
            [r#","userId":"j@x"}"#, r#""email":"j@x""#],
        ),
    ] {
        let imported = import(options, &text).whole();
        assert_eq!(
            imported.responses,
            [format!("{response}{rest}")],
            "{options}"
        );
        assert!(
            imported.users.concat().contains(of_its_user),
            "{options}: {:?}",
            imported.users
        );
    }
    let user = r#"{"key":"007","profile":{"mail":"j@x","plan":"pro"},"traits":{"n":1}}"#;
    let map = "users --map userId=key --map email=profile.mail --map traits.plan=profile.plan";
    let expected = r#"{"email":"j@x","traits":{"n":1,"plan":"pro"},"userId":"007"}"#;
    assert_eq!(record(map, user).unwrap(), expected);
}

#[test]
fn a_field_that_the_path_lacks_keeps_its_own_value() {
    let of_user = |(id, contact): (&str, &str)| {
        let user = format!(r#"{{"userId":"{id}","email":"own@x","contact":{contact}}}"#);
        line(id, &format!(r#""rating":9,"user":{user}"#))
    };
    let lines = [
        ("a", r#"{"mail":"mapped@x"}"#),
        ("b", "{}"),
        ("c", r#"{"mail":null}"#),
    ];
    let imported = import(
        "responses --map email=user.contact.mail",
        lines.map(of_user).concat(),
    )
    .whole();
    let emails = ["mapped@x", "own@x", "own@x"].map(|email| format!(r#""email":"{email}""#));
    for (user, email) in imported.users.iter().zip(&emails) {
        assert!(user.contains(email), "{user}");
    }
    assert_eq!(imported.users.len(), 3);
}

#[test]
fn members_that_paths_read_in_part_are_named() {
    let text = r#"{"key":{"id":7},"created":"2020-01-01","a":{"b":2},"rating":9,
        "person":{"mail":"j@x"},"user":{"userId":"007","email":"old@x"}}"#;
    let map = "responses --map id=key.id --map traits.b=a.b --map email=person.mail";
    let imported = import(map, text.replace('\n', "")).whole();
    let named = r#""a" in part (1), "key" in part (1), "person" in part (1), "user.email" (1)"#;
    assert_eq!(
        imported.told,
        [format!("file: members that are not imported: {named}")]
    );
    assert!(imported.users[0].contains(r#""email":"j@x""#));
}

#[test]
fn a_path_that_is_absent_from_the_first_megabyte_is_an_error_before_anything_is_received() {
    let note = "x".repeat(1000);
    let mut many = String::new();
    for n in 0..4000 {
        let late = if n > 3000 { r#","late":1"# } else { "" };
        many += &line(
            &format!("r{n}"),
            &format!(r#""rating":9,"note":"{note}"{late}"#),
        );
    }
    let few = line("a", r#""rating":9"#);
    let page = format!(r#"{{"data":[{few}]}}"#);
    for (text, path) in [
        (&many, "traits.n=late"),
        (&few, "name=user.nick"),
        (&format!("[{few},"), "rating=score"),
        (&page, "traits.n=a.b"),
        (&[&*few, "[]\n"].concat(), "rating=score.q"),
    ] {
        let imported = import(&format!("responses --map {path}"), text);
        let (_, path) = path.split_once('=').unwrap();
        let error = imported.error.unwrap();
        if !text.starts_with('[') {
            assert!(
                error.ends_with(&format!("no record at its beginning has {path:?} (--map)")),
                "{error}"
            );
        }
        assert!(
            imported.responses.is_empty() && imported.rejects.is_empty(),
            "{path}"
        );
    }
}

#[test]
fn a_question_that_never_comes_is_a_failure_and_one_that_comes_late_is_read() {
    let note = "x".repeat(1000);
    let without = |n| {
        line(
            &format!("r{n}"),
            &format!(r#""answers":[],"note":"{note}""#),
        )
    };
    let never: String = (0..1100).map(without).collect();
    let late = format!("{never}{}", answered("last", &[("q", "9")]));
    let failure = "no record has \"answers.q\" (--map)";
    for (text, is_missing) in [
        (late, false),
        (never, true),
        (answered("r", &[]), true),
        (line("r", r#""dismissed":true"#), true),
    ] {
        let imported = import("responses --map rating=answers.q", text).whole();
        let is_told = imported.told.iter().any(|told| told == failure);
        assert_eq!([is_told, !imported.report.is_complete], [is_missing; 2]);
    }
}
