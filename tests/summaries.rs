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
        0 0 0 9    | 30 0 0 0   | NPS 100.0. There are no responses in January 2026 to compare with.
        30 0 0 0   | 0 0 0 9    | There are no responses in this period.
        0 0 0 0    | 0 0 0 0    | There are no responses in this period, and none in January 2026.
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
        startDate=2026-04-01&endDate=2026-05-01&compare=previous | March 2026
        startDate=2026-10-01&endDate=2027-01-01&compare=previous | Q3 2026
        startDate=2026-10-01&endDate=2027-01-01&compare=year     | Q4 2025
        startDate=2027-01-01&endDate=2028-01-01&compare=previous | 2026
        startDate=2025-12-01&endDate=2026-12-01&compare=year     | December 2024 to November 2025
        startDate=2026-06-01&endDate=2026-08-01&compare=previous | April to May 2026
        startDate=2026-12-01&endDate=2026-12-16&compare=previous | 1–15 Nov 2026
        startDate=2026-10-20&endDate=2026-11-19&compare=previous | the 30 days before
        startDate=2026-11-03&endDate=2026-11-04&compare=previous | the day before
        startDate=2026-11-02&endDate=2026-11-09&compare=year     | 2–8 Nov 2025
        startDate=2026-11-02&endDate=2026-11-03&compare=year     | 2 Nov 2025
        startDate=2026-10-20&endDate=2026-11-20&compare=year     | 20 Oct – 19 Nov 2025
        startDate=2026-12-20&endDate=2027-01-08&compare=year     | 20 Dec 2025 – 7 Jan 2026
        startDate=2026-11-02T08:00&endDate=2026-11-02T20:00&compare=previous | 1 Nov 2026 20:00 – 2 Nov 2026 08:00
        startDate=2026-04-01&endDate=2026-05-01&compare=previous&timezone=Europe/Prague | March 2026
        startDate=2026-03-30&endDate=2026-04-06&compare=previous&timezone=Europe/Prague | the 7 days before
    ";
    for [query, name] in rows(table) {
        let expected = format!("There are no responses in this period, and none in {name}.");
        // Some of them still run.
        let said = summary(&app, query).await;
        assert!(said.starts_with(&expected), "{query}: {said}");
    }
}

#[tokio::test]
async fn only_a_given_end_after_today_tells_that_what_has_begun_still_runs() {
    const RUNS: &str = " The period still runs: look again at its end.";
    let app = months([40, 0, 0, 0], [40, 0, 0, 0]);
    let query = "startDate=2026-02-01&compare=2026-01-01/2026-02-01";
    let today = chrono::Utc::now().date_naive();
    for (days, runs) in [(0, false), (1, false), (2, true)] {
        let end = today + chrono::Days::new(days);
        let said = summary(&app, &format!("{query}&endDate={end}")).await;
        assert_eq!(said.ends_with(RUNS), runs, "{end} {said}");
    }
    assert!(!summary(&app, query).await.contains(RUNS));
    // What has not begun does not run.
    let coming = "startDate=9000-01-01&endDate=9001-01-01&compare=2026-01-01/2026-02-01";
    assert!(!summary(&app, coming).await.contains(RUNS));
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
            r#"By "plan": clear in "a" (−100.0) of 2 judged."#,
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
    assert!(said.ends_with(": clear."), "{said}");
}

#[tokio::test]
async fn what_is_no_text_of_people_has_no_quotes() {
    let fallen = |plan: Value| [(plan, FALLS)];
    for (plan, name) in [
        (of_plan("no value"), "\"no value\""),
        (of_plan(""), "\"\""),
        (json!({"N": "4"}), "no value"),
    ] {
        let said = by_plan(&fallen(plan)).await;
        let expected = format!("clear in {name} (−100.0) of 1 judged.");
        assert!(said.ends_with(&expected), "{said}");
    }
    let groups = ["a", "b", "c", "d", "e", "f"].map(|name| (of_plan(name), STAYS));
    let mut groups = groups.to_vec();
    groups.push((of_plan("z"), FALLS));
    let said = by_plan(&groups).await;
    let others = "clear in all others (−50.0) of 6 judged.";
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
async fn the_mix_is_named_where_shares_moved_the_score_beyond_chance() {
    let said = "The mix by \"plan\" alone would have moved it by −40.0.";
    let pro = |before: usize, after: usize| (of_plan("pro"), [[before, 0], [after, 0]]);
    let free = |before: usize, after: usize| (of_plan("free"), [[0, before], [0, after]]);
    let moved = [pro(80, 60), free(20, 40)];
    assert!(by_plan(&moved).await.ends_with(said));
    let steady = [pro(80, 78), free(20, 22)];
    assert!(!by_plan(&steady).await.contains("mix"));
    // A tenth of either period may be of groups of one, and no more.
    let gone = |count: usize| (of_plan("gone"), [[0, count], [0, 0]]);
    for (count, is_known) in [(11, true), (12, false)] {
        let groups = [pro(80, 60), free(20, 40), gone(count)];
        let is_said = by_plan(&groups).await.contains("The mix");
        assert_eq!(is_said, is_known, "{count}");
    }
}

#[tokio::test]
async fn a_response_rate_that_differs_by_a_fifth_is_said() {
    // Displays without an answer, beside forty with one. 50 % and 40 % differ by a fifth of the larger. Where only answers
    // are recorded, nothing tells how many were asked.
    let table = "
        60 | 100 | The response rate went from 40.0% to 28.6%: other people may have answered.
        60 | 60  |
        40 | 60  | The response rate went from 50.0% to 40.0%: other people may have answered.
        40 | 59  |
        0  | 100 |
    ";
    for [january, february, expected] in rows(table) {
        let [january, february] = [january, february].map(|count| count.parse().unwrap());
        let app = months([40, 0, 0, january], [40, 0, 0, february]);
        let said = summary(&app, OF_FEBRUARY).await;
        let rate = said.split_once("chance.").unwrap().1.trim_start();
        assert_eq!(rate, expected);
    }
    let few = months([20, 0, 0, 20], [20, 0, 0, 200]);
    assert!(!summary(&few, OF_FEBRUARY).await.contains("rate"));
}

#[tokio::test]
async fn a_document_without_a_comparison_has_data_alone() {
    let app = months([1, 0, 0, 0], [1, 0, 0, 0]);
    let reply = ask(&app, Operation::Statistics, "startDate=2026-02-01").await;
    assert_eq!(reply.json().as_object().unwrap().len(), 1);
}
