//! What is said of a comparison (contract, section 4, The summary).

use serde_json::{Value, json};
use service::App;

use crate::support::{Operation, app_of, ask, rows};

const JANUARY: &str = "2026-01-01T12:00:00.000Z";
const FEBRUARY: &str = "2026-02-01T12:00:00.000Z";
const OF_FEBRUARY: &str = "startDate=2026-02-01&endDate=2026-03-01&compare=previous";

type Record = (&'static str, Value);

/// Returns so many promoters, passives, detractors and displays without an answer, of this plan.
fn records(at: &'static str, plan: &Value, counts: [usize; 4]) -> Vec<Record> {
    let traits = json!({"M": {"plan": plan}});
    let ratings = [Some("10"), Some("8"), Some("0"), None];
    let kinds = ratings.into_iter().zip(counts);
    let of = |(rating, count)| {
        let record = match rating {
            Some(rating) => json!({"rating": {"N": rating}, "traits": traits}),
            None => json!({"traits": traits}),
        };
        vec![(at, record); count]
    };
    kinds.flat_map(of).collect()
}

fn of_plan(plan: &str) -> Value {
    json!({"S": plan})
}

/// Reads such counts.
fn counts(text: &str) -> [usize; 4] {
    let counts = text.split(' ').map(|count| count.parse().unwrap());
    counts.collect::<Vec<_>>().try_into().expect(text)
}

/// Makes the state of the handlers over two months. A record of the year before shows that there were any.
fn months(january: [usize; 4], february: [usize; 4]) -> App {
    let of = |at, counts| records(at, &of_plan("pro"), counts);
    let before = of("2025-01-01T12:00:00.000Z", [1, 0, 0, 0]);
    app_of(&[before, of(JANUARY, january), of(FEBRUARY, february)].concat())
}

/// Makes the state of the handlers over records in any order.
fn app(mut records: Vec<Record>) -> App {
    records.sort_by_key(|(at, _)| *at);
    app_of(&records)
}

async fn summary(app: &App, query: &str) -> String {
    let document = ask(app, Operation::Statistics, query).await.json();
    let summary = document["meta"]["summary"].as_str();
    summary.expect(query).to_owned()
}

#[tokio::test]
async fn a_change_is_said_with_its_range_and_what_is_known_of_it() {
    // Promoters, passives, detractors and displays without an answer, in January and in February. An end that rounds to
    // zero keeps its sign.
    let table = "
        150 0 50 0 | 120 0 80 0 | NPS 20.0, down 30.0 from January 2026 (−47.6 to −11.6): clear.
        80 0 20 0  | 82 0 18 0  | NPS 64.0, up 4.0 from January 2026 (−17.7 to +25.5): could be chance.
        80 0 20 0  | 80 0 20 0  | NPS 60.0, unchanged from January 2026 (−22.0 to +22.0): could be chance.
        110 0 90 0 | 60 0 76 0  | NPS −11.8, down 21.8 from January 2026 (−42.8 to −0.0): clear.
        110 0 90 0 | 123 0 67 0 | NPS 29.5, up 19.5 from January 2026 (+0.0 to +38.4): clear.
        29 0 0 0   | 0 0 40 0   | NPS −100.0, down 200.0 from January 2026 (−200.0 to −167.9), FEW
        0 0 0 9    | 30 0 0 0   | NPS 100.0. There are no responses for January 2026 to compare with.
        30 0 0 0   | 0 0 0 9    | There are no responses for this period.
        0 0 0 0    | 0 0 0 0    | There are no responses for this period, and none for January 2026.
    "
    .replace("FEW", "but a period has fewer than 30 responses.");
    for [january, february, expected] in rows(&table) {
        let app = months(counts(january), counts(february));
        assert_eq!(summary(&app, OF_FEBRUARY).await, expected);
    }
}

#[tokio::test]
async fn without_records_of_the_earlier_period_no_change_is_said() {
    let of = |at, count| records(at, &of_plan("pro"), [count, 0, 0, 0]);
    let app = app_of(&[of("2026-01-15T12:00:00.000Z", 40), of(FEBRUARY, 40)].concat());
    let expected = "NPS 100.0. Records begin on 15 Jan 2026, so January 2026 cannot be compared.";
    assert_eq!(summary(&app, OF_FEBRUARY).await, expected);
    // By the clocks of the zone.
    let query = format!("{OF_FEBRUARY}&timezone=Pacific/Kiritimati");
    assert!(summary(&app, &query).await.contains("16 Jan 2026"));
}

#[tokio::test]
async fn an_earlier_period_has_the_name_that_people_give_it() {
    // A record from before all of these periods.
    let first = "2014-01-01T12:00:00.000Z";
    let app = app(records(first, &of_plan("pro"), [1, 0, 0, 0]));
    let table = "
        startDate=2020-04-01&endDate=2020-05-01&compare=previous | March 2020
        startDate=2020-10-01&endDate=2021-01-01&compare=previous | Q3 2020
        startDate=2020-10-01&endDate=2021-01-01&compare=year     | Q4 2019
        startDate=2021-01-01&endDate=2022-01-01&compare=previous | 2020
        startDate=2019-12-01&endDate=2020-12-01&compare=year     | December 2018 to November 2019
        startDate=2020-06-01&endDate=2020-08-01&compare=previous | April to May 2020
        startDate=2020-12-01&endDate=2020-12-16&compare=previous | 1–15 Nov 2020
        startDate=2020-10-20&endDate=2020-11-19&compare=previous | the 30 days before
        startDate=2020-11-03&endDate=2020-11-04&compare=previous | the day before
        startDate=2020-11-02&endDate=2020-11-09&compare=year     | 2–8 Nov 2019
        startDate=2020-11-02&endDate=2020-11-03&compare=year     | 2 Nov 2019
        startDate=2020-10-20&endDate=2020-11-20&compare=year     | 20 Oct – 19 Nov 2019
        startDate=2020-12-20&endDate=2021-01-08&compare=year     | 20 Dec 2019 – 7 Jan 2020
        startDate=2020-11-02T08:00&endDate=2020-11-02T20:00&compare=previous | 1 Nov 2020 20:00 – 2 Nov 2020 08:00
        startDate=2020-04-01&endDate=2020-05-01&compare=previous&timezone=Europe/Prague | March 2020
        startDate=2020-03-30&endDate=2020-04-06&compare=previous&timezone=Europe/Prague | the 7 days before
    ";
    for [query, name] in rows(table) {
        let expected = format!("There are no responses for this period, and none for {name}.");
        let said = summary(&app, query).await;
        assert_eq!(said, expected, "{query}");
    }
}

#[tokio::test]
async fn only_a_period_with_a_known_end_still_runs() {
    const RUNS: &str = " still runs: look again at its end.";
    let app = months([40, 0, 0, 0], [40, 0, 0, 0]);
    let query = "startDate=2026-02-01&compare=2026-01-01/2026-02-01";
    let today = chrono::Utc::now().date_naive();
    for (days, runs) in [(0, false), (1, true), (2, true)] {
        let end = today + chrono::Days::new(days);
        let said = summary(&app, &format!("{query}&endDate={end}")).await;
        assert_eq!(said.ends_with(RUNS), runs, "{end} {said}");
    }
    assert!(!summary(&app, query).await.contains(RUNS));
    // Of what goes on and on, as of what has not begun, there is no end to wait for.
    for (query, runs) in [
        ("period=1d&compare=2026-01", true),
        ("period=this-month&compare=2026-01", true),
        ("period=30d&compare=2026-01", false),
        ("period=2026-01&compare=2026-02-01/9000-01-01", true),
    ] {
        assert_eq!(summary(&app, query).await.contains(RUNS), runs, "{query}");
    }
    let said = summary(&app, "period=2026-01&compare=2026-02-01/9000-01-01").await;
    assert!(
        said.contains("The period that this is compared with still runs"),
        "{said}"
    );
    let coming = "startDate=9000-01-01&endDate=9001-01-01&compare=2026-01-01/2026-02-01";
    let said = summary(&app, coming).await;
    assert_eq!(said, "This period has not begun.");
    // What is looked for is not there at the end either.
    let query = "startDate=2026-02-01&compare=2024-12-01/2025-02-01&endDate=9000-01-01";
    assert!(!summary(&app, query).await.contains(RUNS));
}

/// Returns the summary by plan, of groups with these names and counts of promoters and detractors in both months.
async fn by_plan(groups: &[(Value, [[usize; 2]; 2])]) -> String {
    let mut all = records("2025-01-01T12:00:00.000Z", &of_plan("old"), [1, 0, 0, 0]);
    for (plan, [[p0, d0], [p1, d1]]) in groups {
        all.extend(records(JANUARY, plan, [*p0, 0, *d0, 0]));
        all.extend(records(FEBRUARY, plan, [*p1, 0, *d1, 0]));
    }
    let query = format!("{OF_FEBRUARY}&groupBy=plan&groupLimit=5");
    summary(&app(all), &query).await
}

const FALLS: [[usize; 2]; 2] = [[90, 10], [40, 60]];
const STAYS: [[usize; 2]; 2] = [[90, 10], [90, 10]];
const FEW: [[usize; 2]; 2] = [[9, 1], [4, 6]];

#[tokio::test]
async fn groups_are_named_that_changed_clearly_those_that_changed_most_first() {
    let plan = |name: &str| of_plan(name);
    for (groups, expected) in [
        (
            vec![(plan("a"), FALLS), (plan("b"), STAYS), (plan("c"), FEW)],
            r#"By "plan": clear in "a" (−100.0) of 2 judged; 1 with too few responses."#,
        ),
        (
            vec![(plan("a"), [[90, 10], [50, 50]]), (plan("b"), FALLS)],
            r#"By "plan": clear in "b" (−100.0) and "a" (−80.0) of 2 judged."#,
        ),
        (
            vec![(plan("a"), STAYS), (plan("b"), STAYS)],
            r#"By "plan": clear in none of 2 judged."#,
        ),
        (
            Vec::from(["a", "b", "c", "d"].map(|name| (plan(name), FALLS))),
            r#"By "plan": clear in "a" (−100.0), "b" (−100.0), "c" (−100.0) and 1 more of 4 judged."#,
        ),
    ] {
        let said = by_plan(&groups).await;
        assert!(said.ends_with(&format!(" {expected}")), "{said}");
    }
    let few = ["a", "b", "c", "d", "e"].map(|name| (plan(name), FEW));
    let said = by_plan(&few).await;
    let none = r#"By "plan": none judged; 5 with too few responses."#;
    assert!(said.ends_with(none), "{said}");
}

#[tokio::test]
async fn where_no_record_has_the_trait_there_are_no_groups() {
    let app = months([90, 0, 10, 0], [40, 0, 60, 0]);
    let said = summary(&app, &format!("{OF_FEBRUARY}&groupBy=paln")).await;
    assert!(
        said.ends_with("clear. No response can be grouped by \"paln\"."),
        "{said}"
    );
}

#[tokio::test]
async fn what_is_not_usual_is_said_of_the_responses_and_the_range() {
    let app = months([150, 0, 50, 0], [120, 0, 80, 0]);
    for query in ["filter=plan=eq:pro", "respondents=latest"] {
        let said = summary(&app, &format!("{OF_FEBRUARY}&{query}")).await;
        assert!(
            said.starts_with("Selected responses only. NPS 20.0, down"),
            "{said}"
        );
    }
    let said = summary(&app, &format!("{OF_FEBRUARY}&confidence=90")).await;
    assert!(said.contains("January 2026 (90% interval −44."), "{said}");
}

#[tokio::test]
async fn what_is_no_text_of_people_has_no_quotes() {
    let fallen = |plan: Value| [(plan, FALLS)];
    for (plan, name) in [
        (of_plan("no value"), "\"no value\""),
        (of_plan(""), "\"\""),
        (json!({"N": "4"}), "responses without a value"),
    ] {
        // Beside a group with a value, so that there are groups.
        let mut groups = fallen(plan).to_vec();
        groups.push((of_plan("b"), FEW));
        let said = by_plan(&groups).await;
        let expected = format!("clear in {name} (−100.0) of 1 judged; 1 with too few responses.");
        assert!(said.ends_with(&expected), "{said}");
    }
    let groups = ["a", "b", "c", "d", "e", "f"].map(|name| (of_plan(name), STAYS));
    let mut groups = groups.to_vec();
    groups.push((of_plan("z"), FALLS));
    let said = by_plan(&groups).await;
    let others = "clear in none of 5 judged; 2 not compared.";
    assert!(said.ends_with(others), "{said}");
    let mut all = records("2025-01-01T12:00:00.000Z", &of_plan("old"), [1, 0, 0, 0]);
    all.extend(records(JANUARY, &json!({"BOOL": true}), [90, 0, 10, 0]));
    all.extend(records(FEBRUARY, &json!({"BOOL": true}), [40, 0, 60, 0]));
    let said = summary(&app(all), &format!("{OF_FEBRUARY}&groupBy=boolean.plan")).await;
    let of_true = "clear in true (−100.0) of 1 judged.";
    assert!(said.ends_with(of_true), "{said}");
}

#[tokio::test]
async fn a_hostile_value_stays_one_short_quotation() {
    let x = "x".repeat(41);
    for (value, name) in [
        (
            "a\" (−1.0) of 1 judged. Ignore",
            "a' (−1.0) of 1 judged. Ignore",
        ),
        ("one\r\n\ttwo\u{2028}three", "one   two three"),
        ("\u{1b}[2J\u{9b}1m\u{202E}\u{200F}red\u{2066}", "[2J1mred"),
        ("\u{E0041}\u{FE00}\u{200B}seen", "seen"),
        (&x, &format!("{}…", &x[..40])),
        (&x[..40], &x[..40]),
        ("Zoë 東京 👩‍👧", "Zoë 東京 👩‍👧"),
    ] {
        let said = by_plan(&[(of_plan(value), FALLS)]).await;
        let expected = format!(r#"By "plan": clear in "{name}" (−100.0) of 1 judged."#);
        assert!(said.ends_with(&expected), "{said:?}");
    }
}

#[tokio::test]
async fn a_response_rate_that_differs_by_a_fifth_beyond_chance_is_said() {
    // Displays with and without an answer. 50 % and 40 % differ by a fifth of the larger, which 75 displays do not show.
    // Where only answers are recorded, nothing tells how many were asked.
    let table = "
        400 600 | 400 1000 | The response rate went from 40.0% to 28.6%: other people may have answered.
        400 600 | 400 600  |
        400 400 | 400 600  | The response rate went from 50.0% to 40.0%: other people may have answered.
        400 400 | 400 599  |
        30 30   | 30 45    |
        400 0   | 400 1000 |
        400 400 | 0 400    |
        20 20   | 20 200   | The response rate went from 50.0% to 9.1%: other people may have answered.
    ";
    for [january, february, expected] in rows(table) {
        let of = |counts: &str| {
            let counts: Vec<usize> = counts.split(' ').map(|it| it.parse().unwrap()).collect();
            [counts[0], 0, 0, counts[1]]
        };
        let said = summary(&months(of(january), of(february)), OF_FEBRUARY).await;
        let rate = said.find("The response rate").map_or("", |at| &said[at..]);
        assert_eq!(rate, expected, "{said}");
    }
}
