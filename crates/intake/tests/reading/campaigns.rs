//! Surveys are told apart, and what is known of them becomes traits.

use crate::import::{import, import_files, record};

/// Returns a rated record with these members.
fn line(id: &str, members: &str) -> String {
    format!("{{\"id\":\"{id}\",\"created\":\"2020-01-01\",\"rating\":9{members}}}\n")
}

#[test]
fn the_records_of_other_campaigns_are_skipped() {
    let other = r#"{"id":"x","campaign":"other","rating":99}"#;
    let lines = [
        line("a", r#","campaign":"one""#),
        line("b", r#","campaign":"two""#),
        line("c", r#","campaign":null"#),
        line("d", r#","campaign":1"#),
        format!("{other}\n"),
    ];
    for (campaign, [records, skipped], notes) in [
        ("one", [1, 4], &[][..]),
        ("1", [1, 4], &[]),
        ("three", [0, 5], &["no record is what --where selects"]),
    ] {
        let imported = import(
            &format!("responses --where campaign={campaign}"),
            lines.concat(),
        )
        .whole();
        let report = imported.report;
        assert_eq!(
            [report.summary.records, report.skipped],
            [records, skipped],
            "{campaign}"
        );
        assert_eq!(
            (report.notes, report.is_complete),
            (notes.iter().map(|&note| note.to_owned()).collect(), true)
        );
    }
}

#[test]
fn several_campaigns_are_imported_with_a_warning() {
    let of = |id: &str, campaign: &str| line(id, &format!(r#","campaign":"{campaign}""#));
    let one = [of("a", "one"), of("a", "one")].concat();
    let none = [line("b", ""), line("e", "")].concat();
    let two = [of("c", "two"), of("d", "two"), of("d", "two")].concat();
    let [one, none, two] =
        [("one", &one), ("none", &none), ("two", &two)].map(|(name, text)| (name, text.as_bytes()));
    for (options, files, mixed) in [
        ("responses", &[one][..], None),
        ("responses", &[none], None),
        ("responses", &[one, none], Some("\"one\" (2), none (2)")),
        (
            "responses --dry-run",
            &[one, none, two],
            Some("\"two\" (2), \"one\" (1), none (2)"),
        ),
    ] {
        let report = import_files(options, files).whole().report;
        let warning = mixed.map(|mixed| {
            format!("several surveys are mixed, and a score of them means nothing: {mixed};")
        });
        let expected = Vec::from_iter(warning);
        assert_eq!(report.notes.len(), expected.len(), "{:?}", report.notes);
        for (note, warning) in report.notes.iter().zip(expected) {
            assert!(note.starts_with(&warning), "{note}");
        }
    }
}

#[test]
fn a_kept_member_must_be_a_scalar_and_replace_no_other_trait() {
    let with_trait = |value: &str, campaign: &str| {
        let traits = format!(r#""user":{{"traits":{{"survey.campaign":{value}}}}}"#);
        line("r", &format!(r#","campaign":{campaign},{traits}"#))
    };
    let other = "its trait \"survey.campaign\" is another value than its \"campaign\" (--keep)";
    let none = "\"campaign\" must be a string, number or boolean";
    for (text, kept) in [
        (with_trait(r#""x""#, r#""x""#), Ok(r#""x""#)),
        (with_trait("1.0", "1"), Ok("1")),
        (with_trait("null", r#""x""#), Ok(r#""x""#)),
        (with_trait(r#""x""#, "null"), Ok(r#""x""#)),
        (
            with_trait(r#""y""#, r#""x""#),
            Err(format!("{other}, \"x\"")),
        ),
        (with_trait(r#""1""#, "1"), Err(format!("{other}, \"1\""))),
        (line("r", r#","campaign":["x"]"#), Err(none.to_owned())),
        (line("r", r#","campaign":{"id":"x"}"#), Err(none.to_owned())),
    ] {
        let expected = kept.map(|value| {
            format!(r#"{{"at":"2020-01-01T00:00:00.000Z#r","rating":9,"traits":{{"survey.campaign":{value}}}}}"#)
        });
        let found = record("responses --keep campaign", &text);
        assert_eq!(found, expected, "{text}");
    }
    let imported = import("responses --keep campain", line("a", "")).whole();
    let notes = ["no record has \"campain\" (--keep)"];
    assert_eq!(imported.report.notes, notes);
    assert!(!imported.report.is_complete && imported.responses.len() == 1);
}
