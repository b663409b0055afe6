//! Comparisons of two periods (contract, section 4): which periods are compared, and what is refused. The figures are
//! compared with a naive model in `model`.

use serde_json::{Value, json};

use crate::support::{Operation, app_of, ask, check_instants, check_statistics, empty_app};

/// Checks a table of the start and the end of the second period.
async fn check(table: &str) {
    let before = |of: &[Value]| {
        let instants = ["start", "end"].map(|name| of[0]["before"][name].clone());
        instants.to_vec()
    };
    check_instants(&empty_app(), "compare", before, table).await;
}

#[tokio::test]
async fn the_previous_period_has_as_many_months_or_as_much_of_its_unit_or_as_much_time() {
    // Whole months; then a month, a quarter and a year that run, of which February ends; then any other period.
    let table = "
        previous UTC 2026-11-01 2026-12-01
        2026-10-01T00:00Z 2026-11-01T00:00Z
        previous UTC 2026-01-01 2026-04-01
        2025-10-01T00:00Z 2026-01-01T00:00Z
        previous UTC 2026-02-15T10:30 2026-03-15T10:30
        2026-01-15T10:30Z 2026-02-15T10:30Z
        previous UTC 2026-01-01 2026-09-01
        2025-05-01T00:00Z 2026-01-01T00:00Z
        previous UTC 2026-11-01 2026-11-27
        2026-10-01T00:00Z 2026-10-27T00:00Z
        previous UTC 2026-11-01 2026-11-26T10:30
        2026-10-01T00:00Z 2026-10-26T10:30Z
        previous UTC 2026-03-01 2026-03-31
        2026-02-01T00:00Z 2026-03-01T00:00Z
        previous UTC 2026-10-01 2026-11-15
        2026-07-01T00:00Z 2026-08-15T00:00Z
        previous UTC 2024-01-01 2024-05-15
        2023-01-01T00:00Z 2023-05-16T00:00Z
        previous UTC 2026-02-01 2026-03-15
        2025-12-21T00:00Z 2026-02-01T00:00Z
        previous UTC 2026-11-02 2026-11-27
        2026-10-08T00:00Z 2026-11-02T00:00Z
        previous UTC 2026-11-01T00:00:00.001 2026-11-10
        2026-10-23T00:00:00.002Z 2026-11-01T00:00:00.001Z
    ";
    check(table).await;
}

#[tokio::test]
async fn periods_are_those_of_the_clocks_of_the_zone() {
    // Days that begin with summer time, and in a gap at midnight.
    let table = "
        previous Europe/Prague 2026-04-01 2026-04-16
        2026-03-01T00:00+01:00 2026-03-16T00:00+01:00
        previous Europe/Prague 2026-03-29 2026-04-05
        2026-03-22T00:00+01:00 2026-03-29T00:00+01:00
        previous Europe/Prague 2026-04-29T02:30 2026-05-29T02:30
        2026-03-29T03:00+02:00 2026-04-29T02:30+02:00
        previous America/Asuncion 2017-10-01 2017-10-11
        2017-09-01T00:00-04:00 2017-09-11T00:00-04:00
        year America/Asuncion 2017-10-01 2017-10-11
        2016-10-01T00:00-04:00 2016-10-11T00:00-03:00
        2026-01-01/2026-02-01 Europe/Prague 2026-02-01 2026-03-01
        2026-01-01T00:00+01:00 2026-02-01T00:00+01:00
    ";
    check(table).await;
}

#[tokio::test]
async fn a_year_earlier_has_the_same_dates() {
    let table = "
        year UTC 2026-11-01 2026-11-26T10:30
        2025-11-01T00:00Z 2025-11-26T10:30Z
        year UTC 2024-02-29 2024-03-01
        2023-02-28T00:00Z 2023-03-01T00:00Z
        year UTC 2024-02-01 2024-02-29
        2023-02-01T00:00Z 2023-03-01T00:00Z
        year UTC 2024-02-29T08:00 2024-02-29T10:00
        2023-02-28T08:00Z 2023-03-01T10:00Z
        year UTC 2025-01-01 2026-01-01
        2024-01-01T00:00Z 2025-01-01T00:00Z
        2026-06-01/2026-07-01T12:00+02:00 UTC 2026-01-01 2026-02-01
        2026-06-01T00:00Z 2026-07-01T10:00Z
    ";
    check(table).await;
}

#[tokio::test]
async fn other_comparisons_are_refused() {
    let app = empty_app();
    let table = r#"
        compare=before | invalid compare | compare must be previous, year, a period such as 2026-Q3, or START/END such as 2026-07-01/2026-10-01, got "before"
        compare=2026-01-01 | invalid compare | compare must be previous, year, a period such as 2026-Q3, or START/END such as 2026-07-01/2026-10-01, got "2026-01-01"
        compare=2026-01-01/x | invalid compare | compare must be previous, year, a period such as 2026-Q3, or START/END such as 2026-07-01/2026-10-01, got "2026-01-01/x"
        compare=year&startDate=2025-01-01&endDate=2026-01-02 | invalid compare | compare must be a period that does not overlap the requested one
        compare=2026-01-01/2026-02-02&startDate=2026-02-01&endDate=2026-03-01 | invalid compare | compare must be a period that does not overlap the requested one
        compare=2026-01-01/2026-01-01 | invalid compare | compare must not be an empty period
        compare=2026-02-01/2026-01-01 | invalid compare | compare must not be an empty period
        compare=previous&startDate=2026-01-01&endDate=2026-01-01 | invalid compare | compare cannot be combined with an empty period
        compare=previous&startDate=0001-01-05&endDate=0001-01-20 | invalid compare | compare must be a period of the years 0001 to 9999
        compare=previous&interval=all | invalid compare | compare cannot be combined with interval: ask for the whole periods, without it
        compare=year&interval=month | invalid compare | compare cannot be combined with interval: ask for the whole periods, without it
        compare=year&describe=traits | invalid describe | describe cannot be combined with compare
        compare=year&startDate=x | invalid startDate | startDate must be an ISO 8601 timestamp, such as 2026-09-01 or 2026-09-01T08:30:00Z, got "x"
    "#;
    check_statistics(&app, table).await;
}

fn rated(rating: u8) -> Value {
    json!({"rating": {"N": rating.to_string()}})
}

/// Returns the figures of February, compared with those of January, in which 40 promoters rated, the first of them at
/// `first`. In February there are 28, and two detractors: the fewest responses that are judged.
async fn compared(first: &str) -> Value {
    let of = |at, rating, count| vec![(at, rated(rating)); count];
    let (january, february) = ("2026-01-31T12:00:00.000Z", "2026-02-01T12:00:00.000Z");
    let [before, after] = [of(january, 10, 39), of(february, 10, 28)];
    let app = app_of(&[of(first, 10, 1), before, after, of(february, 0, 2)].concat());
    let query = "startDate=2026-02-01&endDate=2026-03-01&compare=previous";
    ask(&app, Operation::Statistics, query).await.figures()
}

#[tokio::test]
async fn a_period_before_the_first_record_is_partial_from_a_tenth_on() {
    // January has 44,640 minutes.
    let (tenth, later) = ("2026-01-04T02:24:00.000Z", "2026-01-04T02:24:00.001Z");
    for (first, verdict, since) in [
        ("2025-12-31T12:00:00.000Z", "chance", Value::Null),
        (tenth, "chance", json!(tenth)),
        (later, "partial", json!(later)),
    ] {
        let figures = compared(first).await;
        let found = (&figures["change"]["verdict"], &figures["before"]["since"]);
        assert_eq!(found, (&json!(verdict), &since), "{first}");
    }
}

#[tokio::test]
async fn what_a_share_adds_that_stayed_is_zero_without_a_sign() {
    let of_plan = |rating: u8, plan: &str| json!({"rating": {"N": rating.to_string()}, "traits": {"M": {"plan": {"S": plan}}}});
    let records = ["2026-01-31T12:00:00.000Z", "2026-02-01T12:00:00.000Z"]
        .into_iter()
        .flat_map(|at| [(at, of_plan(10, "pro")), (at, of_plan(0, "free"))]);
    let app = app_of(&records.collect::<Vec<_>>());
    let query = "startDate=2026-02-01&endDate=2026-03-01&compare=previous&groupBy=plan";
    let reply = ask(&app, Operation::Statistics, query).await;
    assert_eq!(reply.text().matches(r#""fromShare":0.0"#).count(), 3);
}

#[tokio::test]
async fn every_member_is_there_after_all_others() {
    let app = app_of(&[
        ("2026-01-31T12:00:00.000Z", rated(10)),
        ("2026-02-01T12:00:00.000Z", rated(10)),
    ]);
    let query = "startDate=2026-02-01&endDate=2026-03-01&compare=previous&respondents=latest";
    let reply = ask(&app, Operation::Statistics, query).await;
    let end = r#""superseded":0,"before":{"start":"2026-01-01T00:00:00.000Z","end":"2026-02-01T00:00:00.000Z","since":"2026-01-31T12:00:00.000Z","responses":1,"displays":1,"dismissed":0,"promoters":1,"passives":0,"detractors":0,"nps":100.0,"frequency":[0,0,0,0,0,0,0,0,0,0,1],"superseded":0},"change":{"points":0.0,"low":-103.94278682622581,"high":103.94278682622581"#;
    assert!(reply.text().contains(end), "{}", reply.text());
    let last = r#","verdict":"partial","contribution":null,"fromScore":null,"fromShare":null}},"relationships""#;
    assert!(reply.text().contains(last), "{}", reply.text());
    let meta = r#"}}}],"meta":{"summary":"Selected responses only. NPS 100.0. Records begin on 31 Jan 2026, so January 2026 cannot be compared."}}"#;
    assert!(reply.text().ends_with(meta), "{}", reply.text());
}
