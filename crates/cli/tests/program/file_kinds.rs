//! Files as people have them: what `stats` makes of each, and what an import of it wants to know.

use std::path::Path;

use crate::place::Place;
use crate::process::{output, rows, script};

/// `stats` looks at a file, and `import` stores its responses; what they have to print is separated by `|`.
const KINDS: &str = r#"
stats 01-windows-1252-comments.csv => read: windows-1252, ";" | NPS 20.0 | 5 surveys answered
import 01-windows-1252-comments.csv => it is not UTF-8, but seems to be windows-1252 | --encoding windows-1252
import 01-windows-1252-comments.csv --encoding windows-1252 => rated 5 | score 20.0
stats 03-proposal-nps-with-na.csv => rating from "NPS" (not "CSAT") | NPS 0.0 | 3 surveys shown 2 answered
import 03-proposal-nps-with-na.csv => --map rating=NPS --null=NA
stats 05-proposal-flag-column.csv => rating from "score", created from "surveyed_at" (not "created_at") | 1 Feb 2026
stats 06-null-markers.csv => 12 surveys shown 3 answered | NPS 33.3
stats 06-null-markers.csv --respondents latest => 12 surveys shown 3 answered | NPS 33.3
stats 06-null-markers.csv --group-by plan => no value 1 100.0 | free 1 | pro 1
import 06-null-markers.csv => among numbers or dates may mean nothing | --null='\N'
stats 09-semicolons-header-with-commas.csv => NPS 0.0 | 2 surveys answered
import 09-semicolons-header-with-commas.csv => rated 2 | score 0.0
stats 10-two-and-four-digit-years.csv => created from "survey_date" as %d/%m/%Y and %d/%m/%y | NPS 40.0 | 14 Mar – 25 Dec 2021
stats 11-excel-short-date.csv => --date-format '%m/%d/%y %H:%M' | --date-format '%d/%m/%y %H:%M'
stats 11-excel-short-date.csv --date-format '%m/%d/%y %H:%M' => 1 Mar – 2 Mar 2026 | 2 surveys answered
stats 13-google-forms-gmt-offset.csv => %Y/%m/%d %I:%M:%S %p %z | NPS −33.3 | 28 Mar – 30 Mar 2026
stats 15-excel-serial-dates.csv => dates as excel | 1 Mar – 2 Mar 2026 | 2 surveys answered
import 15-excel-serial-dates.csv => --date-format excel
stats 21-labelled-scores-two-headers.csv => --date-format '%m/%d/%Y %I:%M:%S %p' | --date-format '%d/%m/%Y %I:%M:%S %p'
stats 21-labelled-scores-two-headers.csv --date-format '%m/%d/%Y %I:%M:%S %p' => created from "End Date" (not "Start Date") | ratings with labels | NPS 0.0 | 2 surveys answered
stats 23-rows-of-commas.csv => NPS 100.0 | 1 survey answered
stats 25-sep-line.csv => NPS 100.0 | 1 survey answered
import 25-sep-line.csv => rated 1
stats 27-comma-space-header.csv => NPS 0.0 | 2 surveys answered
import 27-comma-space-header.csv => rated 2
stats 28-capitalised-header.csv => NPS 0.0 | 2 surveys answered
import 28-capitalised-header.csv => rated 2
stats 29-five-point-scale.csv => No rating is above 5: if the scale ends there, it has no NPS.
import 29-five-point-scale.csv => No rating is above 5: if the scale ends there, it has no NPS.
stats 30-uppercase-booleans.csv --filter beta=boolean.eq:true => 3 surveys answered
stats 31-email-case.csv --map userId=email --respondents latest => userId from "email" in lower case | NPS 100.0 | 1 superseded
stats 34-date-and-time-apart.csv => created from "Date+Time" as %Y-%m-%d %I:%M %p | 1 Nov 2026 | 2 surveys answered
import 34-date-and-time-apart.csv => --map 'created=Date+Time' --date-format '%Y-%m-%d %I:%M %p'
stats blanks.ndjson --group-by plan => pro 1 | "pro " 1
stats 36-login-page.csv => it is HTML
stats 08-data-array-without-page.json => NPS 0.0 | 2 surveys answered
import 08-data-array-without-page.json => rated 2
stats 17-list-under-another-name.json => rating from "likelihood_to_recommend", created from "timestamp", the list "survey_responses" | 1 survey answered
stats 19-concatenated-arrays.json => NPS 0.0 | 2 surveys answered
stats 37-mongo-extended-json.ndjson => NPS 0.0 | 2 surveys answered
import 37-mongo-extended-json.ndjson => rated 2 | score 0.0
stats 40-spreadsheet.xlsx => the header from line 3 | rating from "Score", created from "Submitted at" | 1 Mar – 3 Mar 2026 | 3 surveys shown 2 answered | NPS 0.0
stats 40-spreadsheet.xlsx --map traits.zip=Zip --traits => string zip
stats 40-spreadsheet.xlsx --sheet Notes => there is no column rating
stats 41-two-sheets.xlsx => several of its sheets may be the table: "2025", "2026"; name one with --sheet
stats 41-two-sheets.xlsx --sheet 2026 => 1 survey answered
stats - < 42-one-table.zip => NPS 0.0 | 2 surveys answered
import 42-one-table.zip => rated 2
stats 43-two-tables.zip => it is a zip archive of 2 files ("a.csv", "b.csv")
stats 44-several-surveys.csv => several surveys are mixed | "nps" (2), "csat" (1); --where 'Survey Type=…' reads one
stats 44-several-surveys.csv --where 'Survey Type=nps' => 2 surveys answered | NPS 100.0
stats delighted.csv --where 'Survey type=nps' => rating from "Score", created from "Created at" | NPS 25.0
stats hubspot.csv => ratings with labels | created from "Response Date" | NPS 33.3
stats qualtrics.csv => rating from "Q1" | its header goes on to line 3 | NPS 0.0 | 3 surveys answered
stats typeform.csv => created from "Submit Date (UTC)" (not "Start Date (UTC)") | 4 surveys shown 3 answered
stats wootric.csv => rating from "score", created from "created_at" | NPS 33.3
"#;

/// Returns a place with all files, those of the documents included.
fn place() -> Place {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["tests/program/files", "../../tests/data"].map(|path| root.join(path));
    for file in folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
    {
        let file = file.unwrap();
        let content = std::fs::read(file.path()).unwrap();
        place.file(file.file_name().to_str().unwrap(), content);
    }
    place
}

/// Runs a line of a shell, and returns what it prints on both outputs, with single blanks.
fn printed(place: &Place, line: &str) -> String {
    let mut shell = script(line);
    let output = output(shell.current_dir(place.path("")));
    let texts = [output.stderr, output.stdout].concat();
    let text = String::from_utf8(texts).unwrap();
    text.lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect()
}

/// Returns the command, of which an import goes into a new folder.
fn command(line: &str, folder: usize) -> String {
    match line.strip_prefix("import ") {
        Some(rest) => format!("feedback import responses {rest} --project p --data d{folder}"),
        None => format!("feedback {line}"),
    }
}

#[test]
fn files_as_people_have_them_are_read_or_refused_with_what_reads_them() {
    let place = place();
    for (number, (line, expected)) in rows(KINDS).enumerate() {
        let printed = printed(&place, &command(line, number));
        for part in expected.split(" | ") {
            assert!(
                printed.contains(part),
                "{line}: {part} is not in\n{printed}"
            );
        }
    }
}

#[test]
fn of_several_files_the_command_names_the_one_that_is_open() {
    let place = place();
    let line = "import 34-date-and-time-apart.csv 28-capitalised-header.csv";
    let refused = printed(&place, &command(line, 0));
    let proposed = refused.lines().last().unwrap();
    assert!(
        proposed.starts_with("feedback import responses 34-date-and-time-apart.csv --project"),
        "{refused}"
    );
    let unread = printed(
        &place,
        "cat 11-excel-short-date.csv | feedback import responses - --project p --data d1",
    );
    assert!(unread.contains("--date-format"), "{unread}");
    assert!(!place.path("d1").exists());
}

#[test]
fn the_command_that_an_import_proposes_stores_what_stats_shows() {
    let place = place();
    for (number, file) in [
        "01-windows-1252-comments.csv",
        "03-proposal-nps-with-na.csv",
        "05-proposal-flag-column.csv",
        "06-null-markers.csv",
        "10-two-and-four-digit-years.csv",
        "13-google-forms-gmt-offset.csv",
        "15-excel-serial-dates.csv",
        "34-date-and-time-apart.csv",
    ]
    .into_iter()
    .enumerate()
    {
        let shown = printed(&place, &format!("feedback stats {file}"));
        let refused = printed(&place, &command(&format!("import {file}"), number));
        assert!(
            !place.path(&format!("d{number}")).exists(),
            "{file}: a folder is left"
        );
        let stored = printed(&place, refused.lines().last().unwrap());
        let score = |text: &str, name: &str| -> String {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .expect(text);
            line.split_whitespace().next().unwrap().replace('−', "-")
        };
        assert_eq!(score(&stored, "score "), score(&shown, "NPS "), "{file}");
    }
}
