//! Pages of a list, as APIs return them.

use std::ops::RangeInclusive;

use serde_json::Value;

use crate::import::{import, import_files};

/// Two pages of made-up records: 30 of the campaign `nps-2026`, and 10 of another.
const PAGES: [&str; 2] = [
    include_str!("../../../cli/tests/program/satismeter/page-1.json"),
    include_str!("../../../cli/tests/program/satismeter/page-2.json"),
];

/// Imports the campaign from these files.
const CAMPAIGN: &str =
    "responses --where campaign=nps-2026 --map rating=answers.5f2a9c01d4b8e70012ab34c1 --dry-run";

#[test]
fn pages_are_imported_from_files_of_their_own_one_after_another_or_in_an_array() {
    let [first, second] = PAGES.map(str::trim);
    let pretty = |page| -> String {
        let page: Value = serde_json::from_str(page).unwrap();
        serde_json::to_string_pretty(&page).unwrap()
    };
    for files in [
        &[first.to_owned(), second.to_owned()][..],
        &[second.to_owned(), first.to_owned()],
        &[format!("{first}\n{second}\n")],
        &[format!("{first}{second}")],
        &[format!("{}\n{}", pretty(first), pretty(second))],
        &[format!("[{first},\n {second}]")],
        &[format!("[{second}]"), first.to_owned()],
    ] {
        let names = ["page-1.json", "page-2.json"].into_iter().zip(files);
        let files: Vec<_> = names.map(|(name, file)| (name, file.as_bytes())).collect();
        let imported = import_files(CAMPAIGN, &files).whole();
        let rated = |ratings: RangeInclusive<u64>| {
            let rating = |text: &String| {
                let record: Value = serde_json::from_str(text).unwrap();
                record["rating"].as_u64()
            };
            let given = imported.responses.iter().filter_map(rating);
            given.filter(|rating| ratings.contains(rating)).count()
        };
        let dismissed = imported
            .responses
            .iter()
            .filter(|it| it.contains(r#""dismissed":true"#));
        let outcomes = [
            rated(0..=10),
            dismissed.count(),
            rated(9..=10),
            rated(0..=6),
        ];
        let report = imported.report;
        assert_eq!(
            (report.records, report.skipped, outcomes),
            (30, 10, [25, 5, 6, 11])
        );
        assert!(report.is_complete);
    }
}

#[test]
fn kept_members_are_traits_of_the_response_and_never_of_its_user() {
    let keep = format!("{CAMPAIGN} --keep campaign,method,location.country");
    let imported = import(&keep, PAGES.concat()).whole();
    let with = |part: &str| {
        imported
            .responses
            .iter()
            .filter(|text| text.contains(part))
            .count()
    };
    assert_eq!(with(r#""survey.campaign":"nps-2026""#), 30);
    let countries =
        ["CZ", "DE", "US"].map(|at| with(&format!(r#""survey.location.country":"{at}""#)));
    assert_eq!(countries.iter().sum::<usize>(), 30);
    assert!(!imported.users.concat().contains("survey.") && !imported.users.is_empty());
}
