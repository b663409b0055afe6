//! Stars beside the ratings of the question for NPS: an import asks which are meant, if there are enough to tell.

use crate::import::import;

/// Returns a table of so many rows, with a rating of at most 5, and another column that goes up to `greatest`.
fn table(rows: u32, name: &str, greatest: u32) -> String {
    let rows = (0..rows).map(|n| format!("2026-03-01,{},{}\n", n % 6, n % (greatest + 1)));
    format!("created,rating,{name}\n{}", rows.collect::<String>())
}

#[test]
fn what_a_name_says_to_be_nps_is_asked_for_beside_stars() {
    for name in ["nps_score", "NPS", "How likely are you to recommend us?"] {
        let table = table(22, name, 10);
        let asked = import("responses", &table);
        let reason = format!("file: \"rating\" never exceeds 5, but {name:?} does; try ");
        assert!(asked.error.unwrap().starts_with(&reason));
        assert_eq!(asked.proposals[1..], ["--map rating=rating"]);
        let looked_at = import("responses --guess", &table).whole();
        assert_eq!(looked_at.told[1], "read: not \"rating\"");
        assert!(looked_at.responses[10].contains(r#""rating":10"#));
        let settled = import("responses --map rating=rating", &table).whole();
        assert!(settled.responses[10].contains(r#""rating":4"#));
    }
}

#[test]
fn what_a_name_says_to_be_nps_is_named_where_some_ratings_exceed_stars_or_it_is_often_empty() {
    let table = table(22, "nps_score", 10);
    let is_last_empty = |line: &str| line.ends_with(|digit| ('1'..='5').contains(&digit));
    let often_empty = table.lines().map(|line| match line.rsplit_once(',') {
        Some((before, _)) if is_last_empty(line) => format!("{before},\n"),
        _ => format!("{line}\n"),
    });
    for table in [table.replace(",0,0\n", ",6,0\n"), often_empty.collect()] {
        let imported = import("responses", table).whole();
        let named = "read: rating, not \"nps_score\"".to_owned();
        assert!(imported.told.contains(&named), "{:?}", imported.told);
    }
}

#[test]
fn stars_are_ratings_where_nothing_beside_them_is_nps() {
    let json = r#"{"created":"2026-03-01","rating":5,"user":{"nps":10},"traits":{"nps":10}}"#;
    for text in [
        table(22, "score", 10),
        table(22, "health_score", 10),
        table(22, "nps_comment", 10),
        table(22, "nps_score", 5),
        table(22, "traits.nps", 10),
        vec![json; 22].join("\n"),
    ] {
        let imported = import("responses", text).whole();
        assert!(!imported.told.iter().any(|line| line.starts_with("read:")));
    }
}
