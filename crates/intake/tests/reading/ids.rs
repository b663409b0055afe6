//! Which records are the same.

use crate::import::{Imported, import};

/// Returns how many of the displays of both imports are the same.
fn common(first: &Imported, second: &Imported) -> usize {
    let at = |response: &str| response.split('"').nth(3).unwrap().to_owned();
    let known: Vec<_> = first
        .responses
        .iter()
        .map(|response| at(response))
        .collect();
    let again = second.responses.iter();
    again
        .filter(|response| known.contains(&at(response)))
        .count()
}

#[test]
fn records_without_an_id_are_the_same_if_what_they_say_is() {
    let json = r#"{"created":"2020-01-01","rating":9,"answers":[{"a":1,"b":"x"}]}
        {"created":"2020-01-01","rating":9,"answers":[{"a":10000000000000000000000001}]}
        {"created":"2020-01-01","rating":9,"answers":[{"a":10000000000000000000000002}]}"#;
    let equal = "created,rating,traits.plan\n2020-01-01,9,a\n2020-01-01,9,b\n2020-01-01,9,a\n2020-01-01,9,a\n";
    let comments = "created,rating,Comment\n2020-01-01,9,a\n2020-01-01,9,b\n2020-01-01,9,b\n";
    let scores =
        "created,Score,Wrong,Plan\n2020-01-01,9,1,pro\n2020-01-01,9,1,free\n2020-01-02,3,2,pro\n";
    let reordered = "Comment,rating,created\nb,9,2020-01-01\na,9,2020-01-01\nb,9,2020-01-01\n";
    let rewritten = "[{ \"answers\": [{\"b\":\"\\u0078\", \"a\":1}], \"rating\": 9,\n \"created\":\"2020-01-01\"}]";
    // An id of these columns is one display, whatever else its rows say.
    let visitors = "created,rating,Visitor\n2020-01-01,,v1\n2020-01-01,,v2\n2020-01-01,3,v1\n";
    let devices = "created,rating,Visitor,Device\n2020-01-01,9,v1,phone\n2020-01-01,3,v2,desk\n";
    let user = r#"{"created":"2020-02-01","rating":null,"user":{"userId":"007"}}"#;
    let rated = r#"{"created":"2020-02-01","rating":9,"user":{"userId":"007"}}"#;
    let [by_visitor, by_user] =
        ["Visitor", "user.userId"].map(|id| format!("--id-from created,{id}"));
    let other = "--map rating=Score --map traits.plan=Plan";
    for (what, first, second, [displays, same]) in [
        ("again", ["", equal], ["", equal], [4, 4]),
        (
            "the order of columns",
            ["", comments],
            ["", reordered],
            [3, 3],
        ),
        (
            "another mapping",
            ["--map rating=Wrong", scores],
            [other, scores],
            [3, 3],
        ),
        (
            "the order of members, spaces and escapes",
            ["", json],
            ["", rewritten],
            [3, 1],
        ),
        (
            "columns of --id-from",
            [&*by_visitor, visitors],
            [&*by_visitor, devices],
            [2, 2],
        ),
        (
            "members of --id-from",
            [&*by_user, user],
            [&*by_user, rated],
            [1, 1],
        ),
    ] {
        let [first, second] = [first, second]
            .map(|[options, text]| import(format!("responses {options}").trim_end(), text).whole());
        assert_eq!(first.displays(), displays, "{what}");
        assert_eq!(common(&first, &second), same, "{what}");
    }
}
