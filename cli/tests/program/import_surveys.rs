//! `feedback import --campaign` and `--keep`: surveys are told apart, and what is known of them becomes
//! traits.

use crate::import_pages::{OPTIONS, PAGES};
use crate::operator::Operator;
use crate::process::{failed, imported, stderr, succeeded};

/// Returns a rated record with these members.
fn record(id: &str, members: &str) -> String {
    format!("{{\"id\":\"{id}\",\"created\":\"2020-01-01\",\"rating\":9{members}}}\n")
}

#[test]
fn the_records_of_other_campaigns_are_skipped() {
    let operator = Operator::new();
    let other = r#"{"id":"x","campaign":"other","rating":99}"#;
    let records = [
        record("a", r#","campaign":"one""#),
        record("b", r#","campaign":"two""#),
        record("c", r#","campaign":null"#),
        record("d", r#","campaign":1"#),
        format!("{other}\n"),
    ];
    operator.file("all", records.concat());
    for (campaign, counts, errors) in [
        ("one", "1 could be imported, 0 rejected, 4 skipped", ""),
        ("1", "1 could be imported, 0 rejected, 4 skipped", ""),
        (
            "three",
            "0 could be imported, 0 rejected, 5 skipped",
            "no record is of the campaign \"three\"\n",
        ),
    ] {
        let line = format!("import responses all --project acme --campaign {campaign} --dry-run");
        let output = operator.run(&line);
        assert_eq!(
            imported(&output),
            format!("responses: {counts}; nothing was written\n")
        );
        assert!(stderr(&output).ends_with(errors), "{output:?}");
    }
    operator.file("list", record("a", r#","campaign":["one"]"#));
    let output = operator.run("import responses list --project acme --campaign one --dry-run");
    assert!(failed(&output, 2).contains("list:1: campaign must be a string"));
}

#[test]
fn several_campaigns_are_imported_with_a_warning() {
    let operator = Operator::new();
    let of = |id: &str, campaign: &str| record(id, &format!(r#","campaign":"{campaign}""#));
    operator.file("one", [of("a", "one"), of("a", "one")].concat());
    operator.file("none", [record("b", ""), of("e", "")].concat());
    operator.file(
        "two",
        [of("c", "two"), of("d", "two"), of("d", "two")].concat(),
    );
    for (files, is_mixed) in [("one", false), ("none", false), ("one none", true)] {
        let told = stderr(&operator.run(&format!(
            "import responses {files} --project acme --dry-run"
        )));
        assert_eq!(
            told.contains("campaigns are mixed"),
            is_mixed,
            "{files}: {told}"
        );
    }
    let output = operator.run("import responses one none two --project acme --dry-run");
    let told = stderr(&output);
    let campaigns = "\"two\" (2), \"one\" (1), none (2)";
    let warning =
        format!("several campaigns are mixed, and a score of them means nothing: {campaigns};");
    assert!(told.contains(&warning), "{told}");
    assert!(succeeded(&output).contains(&format!("\ncampaigns   {campaigns}\n")));
    let told = stderr(&operator.run("import responses one none two --project acme"));
    assert!(told.contains("campaigns are mixed"), "{told}");
    assert_eq!(operator.figures("")["responses"], 5);
}

#[test]
fn of_many_campaigns_five_are_named() {
    let operator = Operator::new();
    let lines = (0..1100).map(|n| record(&format!("r{n}"), &format!(r#","campaign":{n}"#)));
    operator.file("all", lines.collect::<String>());
    let output = operator.run("import responses all --project acme --dry-run");
    let told = succeeded(&output);
    assert!(told.ends_with(", others (1095)\n"), "{told}");
    assert_eq!(told.matches(" (1)").count(), 5, "{told}");
}

#[test]
fn kept_members_are_traits_of_the_response_and_never_of_its_user() {
    let operator = Operator::new();
    for (n, page) in PAGES.iter().enumerate() {
        operator.file(&format!("page-{n}.json"), page);
    }
    let keep = "--keep campaign,method,location.country";
    imported(&operator.run(&format!(
        "import responses page-0.json page-1.json {OPTIONS} {keep}"
    )));
    let figures = |filters: &str| operator.figures(filters)["displays"].as_u64().unwrap();
    assert_eq!(figures(" --filter survey.campaign=eq:nps-2026"), 30);
    let countries = ["CZ", "DE", "US"];
    let of = |country| figures(&format!(" --filter survey.location.country=eq:{country}"));
    assert_eq!(countries.map(of).iter().sum::<u64>(), 30);
    let has_survey = |operator: &Operator| {
        let users: Vec<_> = operator.users().iter().map(ToString::to_string).collect();
        assert_eq!(users.len(), 15);
        users.concat().contains("survey.")
    };
    assert!(!has_survey(&operator));

    // What is imported elsewhere keeps the traits, and still does not put them into users.
    let elsewhere = Operator::new();
    elsewhere.file("export", operator.export("responses").join("\n"));
    imported(&elsewhere.run("import responses export --project acme"));
    assert_eq!(elsewhere.export("responses"), operator.export("responses"));
    assert!(!has_survey(&elsewhere));
}

#[test]
fn traits_of_a_survey_in_a_list_or_a_table_never_reach_users() {
    let operator = Operator::new();
    operator.file(
        "users",
        r#"{"userId":"a","traits":{"survey.campaign":"x","plan":"pro"}}"#,
    );
    operator.file(
        "users.csv",
        "userId,traits.survey.campaign,traits.plan\nb,x,pro\n",
    );
    operator.file(
        "responses.csv",
        "created,rating,userId,traits.survey.campaign\n2020-01-01,9,c,x\n",
    );
    let output = operator.run("import users users users.csv --project acme");
    let told = stderr(&output);
    imported(&output);
    assert_eq!(
        told.matches("not imported: \"traits.survey.campaign\" (1)")
            .count(),
        2,
        "{told}"
    );
    imported(&operator.run("import responses responses.csv --project acme"));
    let users = operator.users();
    let users: Vec<_> = users.iter().map(ToString::to_string).collect();
    assert!(
        users.len() == 3 && !users.concat().contains("survey."),
        "{users:?}"
    );
    assert_eq!(
        operator.figures(" --filter survey.campaign=eq:x")["displays"],
        1
    );
}

#[test]
fn a_record_whose_kept_member_would_replace_a_trait_or_is_no_scalar_is_rejected() {
    let operator = Operator::new();
    let with_trait = |id: &str, value: &str, campaign: &str| {
        let traits = format!(r#""user":{{"traits":{{"survey.campaign":{value}}}}}"#);
        record(id, &format!(r#","campaign":{campaign},{traits}"#))
    };
    let records = [
        with_trait("same", r#""x""#, r#""x""#),
        with_trait("number", "1.0", "1"),
        with_trait("unknown", "null", r#""x""#),
        with_trait("kept", r#""x""#, "null"),
        with_trait("other", r#""y""#, r#""x""#),
        with_trait("text", r#""1""#, "1"),
        record("list", r#","campaign":["x"]"#),
        record("object", r#","campaign":{"id":"x"}"#),
    ];
    operator.file("all", records.concat());
    let output = operator.run("import responses all --project acme --keep campaign");
    let errors = failed(&output, 2);
    for (line, reason) in [
        (
            5,
            "its trait \"survey.campaign\" is another value than its \"campaign\" (--keep), \"x\"",
        ),
        (
            6,
            "its trait \"survey.campaign\" is another value than its \"campaign\" (--keep), \"1\"",
        ),
        (7, "\"campaign\" must be a string, number or boolean"),
        (8, "\"campaign\" must be a string, number or boolean"),
    ] {
        assert!(
            errors.contains(&format!("all:{line}: {reason}\n")),
            "{errors}"
        );
    }
    assert_eq!(operator.figures("")["displays"], 4);
    assert_eq!(
        operator.figures(" --filter survey.campaign=eq:x")["displays"],
        3
    );
}

#[test]
fn a_kept_member_that_no_record_has_is_named() {
    let operator = Operator::new();
    operator.file("all", record("a", ""));
    let output = operator.run("import responses all --project acme --keep campain");
    assert!(failed(&output, 2).contains("no record has \"campain\" (--keep)\n"));
    assert_eq!(operator.figures("")["displays"], 1);
}
