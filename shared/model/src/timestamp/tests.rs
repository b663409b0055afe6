//! Tests of the forms in which instants are read and written.

use super::*;

fn canonical(text: &str) -> Option<String> {
    let canonical = Timestamp::canonical(text.into()).map(Cow::into_owned);
    let parsed = text.parse::<Timestamp>().ok();
    assert_eq!(canonical, parsed.map(|timestamp| timestamp.to_string()));
    canonical
}

#[test]
fn every_form_of_the_contract_becomes_the_canonical_one() {
    for (text, expected) in [
        ("2026-01-31T08:30:00.000Z", "2026-01-31T08:30:00.000Z"),
        ("2026-01-31", "2026-01-31T00:00:00.000Z"),
        ("2026-01-31T08:30", "2026-01-31T08:30:00.000Z"),
        ("2026-01-31T08:30Z", "2026-01-31T08:30:00.000Z"),
        ("2026-01-31T08:30:05", "2026-01-31T08:30:05.000Z"),
        ("2026-01-31T08:30:05.5", "2026-01-31T08:30:05.500Z"),
        ("2026-01-31T08:30:05.12", "2026-01-31T08:30:05.120Z"),
        (
            "2026-01-31T08:30:05.123999999999Z",
            "2026-01-31T08:30:05.123Z",
        ),
        ("2026-01-31T08:30:00+02:00", "2026-01-31T06:30:00.000Z"),
        ("2026-01-31T08:30:00+0000", "2026-01-31T08:30:00.000Z"),
        ("2026-01-31T08:30:00 02:00", "2026-01-31T06:30:00.000Z"),
        ("2026-01-31T08:30-0130", "2026-01-31T10:00:00.000Z"),
        ("0000-12-31T23:30-01:00", "0001-01-01T00:30:00.000Z"),
        ("2024-02-29", "2024-02-29T00:00:00.000Z"),
    ] {
        assert_eq!(canonical(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn other_forms_are_refused() {
    let words = "
        yesterday 2026 2026-01 20260131 2026-W05-6 2026-031 2026-1-31 2026-02-29 2026-13-01 1546300800
        2026-01-31T 2026-01-31T08 2026-01-31T0830 2026-01-31t08:30 2026-01-31T08:30z
        2026-01-31T24:00 2026-01-31T08:60 2026-01-31T23:59:60Z
        2026-01-31T08:30:05. 2026-01-31T08:30.5 2026-01-31T08:30:05,5
        2026-01-31T08:30+02 2026-01-31T08:30+24:00 2026-01-31T08:30+02:60 2026-01-31T08:30:00Z+02:00
        2026-01-31Z 2026-01-31+02:00 +2026-01-31 -026-01-31 02026-01-31
        0000-01-01 0001-01-01T00:00+00:01 9999-12-31T23:59-00:01
        2026-01-3\u{0661} 2026-01-31T08:30\u{2212}02:00
    ";
    let with_spaces = [
        "",
        " 2026-01-31",
        "2026-01-31 ",
        "2026-01-31 08:30",
        "2026-01-31T08:30  02:00",
    ];
    for text in words.split_whitespace().chain(with_spaces) {
        assert_eq!(canonical(text), None, "{text}");
    }
}

#[test]
fn going_back_stops_at_year_one() {
    let early: Timestamp = "0001-01-05".parse().unwrap();
    assert_eq!(early.minus_days(30).to_string(), "0001-01-01T00:00:00.000Z");
    assert_eq!(early.minus_days(1).to_string(), "0001-01-04T00:00:00.000Z");
}
