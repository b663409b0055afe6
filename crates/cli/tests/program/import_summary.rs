//! `feedback import`: what a dry run counts, and the figures with which an import ends.

use crate::operator::Operator;
use crate::outcome::{failed, imported, succeeded};

const LINES: &str = r#"{"id":"a","created":"2020-03-01","rating":10,"campaign":"c"}
{"id":"b","created":"2020-01-01","rating":6,"campaign":"c"}
{"id":"c","created":"2020-02-01","rating":8,"campaign":"c"}
{"id":"d","created":"2020-02-01","dismissed":true,"campaign":"c"}
{"id":"e","created":"2020-04-01","campaign":"c"}
"#;

/// Returns what follows the line with the counts of an import of these lines.
#[track_caller]
fn rest(operator: &Operator, lines: &str, arguments: &str) -> String {
    operator.file("all", lines);
    let output = operator.run(&format!("import responses all --project acme{arguments}"));
    let told = succeeded(&output);
    told.split_once('\n').expect(&told).1.to_owned()
}

#[test]
fn a_dry_run_says_what_it_saw() {
    let operator = Operator::new();
    let dry_run = |lines: &str| rest(&operator, lines, " --dry-run");
    let seen = "first       2020-01-01T00:00:00.000Z\nlast        2020-04-01T00:00:00.000Z\n\
        surveys     \"c\" (5)\n";
    assert_eq!(dry_run(LINES), seen);
    assert_eq!(dry_run("[]"), "", "there is nothing to show");
    let none = rest(&operator, LINES, " --where campaign=other --dry-run");
    assert_eq!(none, "", "nor of records that are skipped");
    let recreated = LINES.replace("03-01", "03-02").replace('b', "a");
    let told = dry_run(&[LINES, &recreated].concat());
    let repeated = "2 records have the id of an earlier one and another created: an import keeps both\n\
        3 records have the id and created of an earlier one: an import merges them\n";
    assert!(
        told.contains("\"c\" (7)\n") && told.ends_with(repeated),
        "{told}"
    );
    let told = dry_run(&LINES.replace(
        "\"b\",\"created\":\"2020-01-01\"",
        "\"a\",\"created\":\"2020-03-01\"",
    ));
    let repeated = "1 record has the id and created of an earlier one: an import merges them\n";
    assert!(told.ends_with(repeated), "{told}");
}

#[test]
fn an_import_into_a_folder_ends_with_the_figures_of_everything_that_is_stored() {
    let operator = Operator::new();
    let of_project = "\nproject acme, all that is stored\n";
    let ends = |lines: &str, figures: [&str; 7]| {
        let told = rest(&operator, lines, " --data folder");
        let names = "records rated dismissed pending promoters detractors score".split(' ');
        let table = names.zip(figures);
        let table = table.map(|(name, figure)| format!("{name:<11} {figure}\n"));
        assert_eq!(told, format!("{of_project}{}", table.collect::<String>()));
    };
    ends(LINES, ["5", "3", "1", "1", "1", "1", "0.0"]);
    // It completes a pending display, and adds the first and the last that a period can hold.
    let line = |id: &str, created: &str| {
        format!("{{\"id\":\"{id}\",\"created\":\"{created}\",\"rating\":9}}\n")
    };
    let lines = [
        line("e", "2020-04-01"),
        line("f", "0001-01-01"),
        line("g", "9999-12-31T23:59:59.998Z"),
    ];
    ends(&lines.concat(), ["7", "6", "1", "0", "4", "1", "50.0"]);
    ends("[]", ["7", "6", "1", "0", "4", "1", "50.0"]);
    let command = "the project's figures: feedback stats --project acme --start 0001-01-01 \
                   --end 9999-12-31T23:59:59.999Z\n";
    assert_eq!(rest(&operator, LINES, ""), command);
    operator.file("users", r#"{"userId":"007"}"#);
    for option in ["", " --dry-run", " --data folder"] {
        let output = operator.run(&format!("import users users --project acme{option}"));
        assert_eq!(
            imported(&output),
            succeeded(&output),
            "users have no figures"
        );
    }
}

#[test]
fn what_was_written_is_said_although_the_figures_cannot_be_read() {
    let operator = Operator::new();
    rest(&operator, LINES, " --data folder");
    let database = operator.path("folder").join("tables.sqlite");
    let database = rusqlite::Connection::open(database).unwrap();
    let damage =
        "UPDATE responses SET item_json = json_set(item_json, '$.rating', 5) WHERE rowid = 1";
    assert_eq!(database.execute(damage, []).unwrap(), 1);
    drop(database);
    operator.file("one", r#"{"id":"f","created":"2021-01-01","rating":9}"#);
    let output = operator.run("import responses one --project acme --data folder");
    let error = failed(&output, 1);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(told, "responses: 1 written, 0 unchanged, 0 rejected\n");
    let reason = "feedback: the project's figures cannot be read: unavailable: ";
    assert!(error.lines().last().unwrap().starts_with(reason), "{error}");
}
