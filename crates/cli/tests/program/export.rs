//! `feedback export`.

use std::collections::BTreeMap;
use std::fs;

use serde_json::json;
use test_support::stub::Recorder;

use crate::http::put_item;
use crate::operator::Operator;
use crate::outcome::{failed, only_line, succeeded};
use crate::place::{Place, sorted_lines, users};
use crate::process::{at_store, output, restricted};

const RESPONSES: &str = r#"{"id":"rated","created":"2020-01-01T00:00:00.001Z","rating":10,"dismissed":false,"user":{"userId":"007","traits":{"list":[null,{"none":null}],"n":0.1234567890123456789012345678901234567,"plan":"pro","s":"\u0000\"ü"}}}
{"id":"dismissed#1","created":"2020-01-02T00:00:00.000Z","dismissed":true,"user":{"userId":"m"}}
{"id":"pending","created":"2020-01-03T00:00:00.000Z","dismissed":false,"user":{"traits":{}}}
{"id":"nobody's","created":"2020-01-04T00:00:00.000Z","rating":0,"dismissed":false}
"#;

const USERS: &str = r#"{"userId":"007","lastSeen":"2020-01-01T00:00:00.001Z","created":"2020-01-01T00:00:00.001Z","traits":{"list":[null,{"none":null}],"n":0.1234567890123456789012345678901234567,"plan":"pro","s":"\u0000\"ü"}}
{"userId":"m","lastSeen":"2020-01-02T00:00:00.000Z","created":"2020-01-02T00:00:00.000Z"}
"#;

#[test]
fn exported_records_can_be_imported_elsewhere_without_a_difference() {
    let operator = Operator::with_responses(RESPONSES);
    for (kind, expected, count) in [("users", USERS, 2), ("responses", RESPONSES, 4)] {
        let exported = operator.run(&format!("export {kind} --project acme"));
        let lines = succeeded(&exported);
        assert_eq!(sorted_lines(&lines), sorted_lines(expected));
        let summary = format!("{count} exported, 0 damaged\n");
        assert_eq!(String::from_utf8(exported.stderr).unwrap(), summary);
        let import = format!("import {kind} - --project moved --data folder");
        succeeded(&operator.run_with_input(&import, &lines));
        let moved = operator.run(&format!("export {kind} --project moved --data folder"));
        assert_eq!(sorted_lines(&succeeded(&moved)), sorted_lines(expected));
    }
}

#[test]
fn a_damaged_record_is_reported_and_left_out_of_an_export() {
    let operator = Operator::with_responses(RESPONSES);
    let item = json!({"shard": {"S": "acme#0"}, "at": {"S": "2020-01-01T00:00:00.000Z#bad"}, "rating": {"N": "11"}});
    put_item(operator.served().dynamodb(), "responses", &item.to_string());
    let output = operator.run("export responses --project acme");
    assert_eq!(
        failed(&output, 2),
        "left out \"2020-01-01T00:00:00.000Z#bad\", which cannot be decoded\n4 exported, 1 damaged\n"
    );
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(sorted_lines(&lines), sorted_lines(RESPONSES));
}

#[test]
fn exports_read_with_strong_consistency() {
    let place = Place::new();
    for (kind, queries) in [("users", 1), ("responses", 16)] {
        let store = Recorder::answering(r#"{"Items":[]}"#);
        let mut export = place.command(&format!("export {kind} --project acme"));
        succeeded(&output(at_store(&mut export, store.url())));
        let inputs = store.inputs_of("Query");
        assert_eq!(inputs.len(), queries, "{inputs:?}");
        for input in inputs {
            assert_eq!(input["ConsistentRead"], true, "{input}");
        }
    }
}

#[test]
fn an_export_into_a_data_folder_is_refused_and_leaves_the_folder_as_it_is() {
    let place = Place::new();
    place.import(users(3));
    let files = || {
        let entries = fs::read_dir(place.data()).unwrap().map(Result::unwrap);
        let files = entries.map(|entry| (entry.path(), fs::read(entry.path()).unwrap()));
        files.collect::<BTreeMap<_, _>>()
    };
    std::os::unix::fs::symlink("data", place.path("link")).unwrap();
    let before = files();
    for output in [
        "data/new",
        "data/tables.sqlite",
        "link/tables.sqlite",
        "data/../data/aws-credentials",
    ] {
        let export = format!("export users --project demo --output {output} --overwrite --data");
        for data in ["data", "link"] {
            let line = only_line(&place.run(&format!("{export} {data}")));
            let reason = "it is inside the data folder";
            assert!(line.contains(reason), "{output}: {line}");
            assert_eq!(files(), before, "{output}");
        }
    }
    fs::create_dir(place.path("restored")).unwrap();
    succeeded(&place.run("backup --data data restored/tables.sqlite"));
    let served = Operator::with_responses(RESPONSES);
    let export = "export users --project acme --overwrite --output";
    for refused in [
        place.run(&format!("{export} restored/tables.sqlite --data data")),
        served.run(&format!("{export} data/tables.sqlite")),
    ] {
        let line = only_line(&refused);
        assert!(line.contains("it is inside the data folder"), "{line}");
    }
    assert_eq!(served.export("users").len(), 2);
}

#[test]
fn an_export_whose_standard_output_is_closed_fails() {
    let place = Place::new();
    place.import(users(1));
    let export = format!(
        "export users --project demo --data {}",
        place.data().display()
    );
    let line = only_line(&output(&mut restricted("exec >&- && exec", &export)));
    assert!(line.contains("standard output is closed"), "{line}");
    let file = format!("{export} --output {}", place.path("users").display());
    succeeded(&output(&mut restricted("exec >&- && exec", &file)));
    succeeded(&output(&mut restricted("exec >/dev/null && exec", &export)));
}
