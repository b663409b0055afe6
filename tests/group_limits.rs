//! The limits of groups, and of the response (contract, section 4).

use service::App;
use test_support::stub::Answer;

use crate::support::{
    Operation, app_of_shards, app_over, ask, check_statistics, empty, shard_of_query,
};

const BY_PLAN: &str = "startDate=2026-01-01&endDate=2026-04-10&groupBy=user.traits.string.plan";

/// Makes a record with this plan on this day.
fn record(plan: &str, day: &str) -> String {
    let traits = format!(r#"{{"M":{{"plan":{{"S":"{plan}"}}}}}}"#);
    format!(r#"{{"at":{{"S":"{day}T12:00:00.000Z#1"}},"traits":{traits}}}"#)
}

/// Makes a record on 1 January for each number, with a plan made of it.
fn plans(numbers: std::ops::Range<usize>, plan: fn(usize) -> String) -> Vec<String> {
    let records = numbers.map(|number| record(&plan(number), "2026-01-01"));
    records.collect()
}

fn short(number: usize) -> String {
    format!("plan {number}")
}

/// Makes a plan of 1,024 bytes.
fn longest(number: usize) -> String {
    format!("{number:01024}")
}

/// Makes the state of the handlers over these records of two shards.
fn app(one: Vec<String>, other: Vec<String>) -> App {
    app_of_shards([one, other])
}

/// Checks the answer to a question about statistics by plan.
async fn check(app: &App, question: &str, answer: &str) {
    check_statistics(app, &format!("{BY_PLAN}{question} | {answer}")).await;
}

#[tokio::test]
async fn a_hundred_thousand_values_are_the_most_however_they_are_distributed() {
    let halves = |end| app(plans(0..60_000, short), plans(59_000..end, short));
    check(&halves(100_000), "", "2").await;
    let refused = "422 too_many_groups | The trait \"plan\" has more values than can be counted, or one of \
                   more than 1,024 bytes. Ask for a shorter period, choose a longer interval, or \
                   group by another trait.";
    check(&halves(100_001), "", refused).await;
    let one_shard = app(plans(0..100_001, short), Vec::new());
    check(&one_shard, "", refused).await;
}

#[tokio::test]
async fn a_value_counts_once_for_each_interval() {
    let in_two_months = |end| {
        let of = |day| move |number| record(&short(number), day);
        let [january, february] = ["2026-01-15", "2026-02-15"].map(of);
        let both = (0..end).map(january).chain((0..end).map(february));
        // The pairs of the second shard are among those of the first.
        app(both.collect(), (0..1_000).map(february).collect())
    };
    check(&in_two_months(50_000), "&interval=month", "1").await;
    let too_many = in_two_months(50_001);
    check(&too_many, "&interval=month", "422 too_many_groups").await;
    check(&too_many, "&interval=year", "3").await;
}

#[tokio::test]
async fn the_earlier_period_of_a_comparison_has_the_same_limit() {
    let with_earlier = |count| {
        let earlier: Vec<_> = (0..count)
            .map(|n| record(&short(n), "2025-12-31"))
            .collect();
        let of_periods = [earlier, vec![record("plan of its own", "2026-01-01")]];
        let pages = of_periods.map(|items| format!(r#"{{"Items":[{}]}}"#, items.join(",")));
        app_over(move |input| match shard_of_query(input) {
            Some(0) => {
                let start = input["ExpressionAttributeValues"][":start"]["S"].as_str();
                Answer::from(pages[usize::from(start >= Some("2026"))].clone())
            }
            _ => empty(input).into(),
        })
    };
    let compared = "&compare=2025-12-31/2026-01-01";
    check(&with_earlier(100_000), compared, "1").await;
    check(&with_earlier(100_001), compared, "422 too_many_groups").await;
}

#[tokio::test]
async fn values_have_at_most_1024_bytes_and_4_mb_together() {
    let one = |plan: &str| app(Vec::new(), vec![record(plan, "2026-01-01")]);
    check(&one(&"ü".repeat(512)), "", "1").await;
    let too_long = "x".to_owned() + &"ü".repeat(512);
    check(&one(&too_long), "", "422 too_many_groups").await;
    let of = |end| app(plans(0..3_000, longest), plans(2_000..end, longest));
    check(&of(4 * 1024), "", "2").await;
    check(&of(4 * 1024 + 1), "", "422 too_many_groups").await;
}

#[tokio::test]
async fn values_that_do_not_pass_the_filters_do_not_count() {
    let records = ["pro", &"x".repeat(1025)].map(|plan| record(plan, "2026-01-01"));
    let app = app(records.to_vec(), Vec::new());
    check(&app, "&filter=plan=eq:pro", "1").await;
}

#[tokio::test]
async fn a_response_has_at_most_6_mb_and_is_never_cut() {
    // A hundred groups of a kilobyte in 99 days; and in one month, which fits.
    let app = app(plans(0..100, longest), Vec::new());
    let refused = "422 response_too_large | Choose a longer interval or a lower groupLimit";
    check(&app, "&groupLimit=100&interval=day", refused).await;
    check(&app, "&groupLimit=100&interval=day&format=csv", refused).await;
    check(&app, "&groupLimit=100&interval=month", "1").await;
}

#[tokio::test]
async fn the_largest_response_leaves_four_kilobytes_to_the_byte() {
    const LARGEST: usize = 6 * 1024 * 1024 - 4 * 1024;
    const DAYS: usize = 99;
    // One name a byte longer is a byte more in each of 99 days; a display more than nine, one in all.
    let of = |bytes: usize| {
        let (each, rest) = (bytes / DAYS / 100, bytes / DAYS % 100);
        let name = |number| "0".repeat(each + usize::from(number < rest)) + &short(number);
        let others = (0..bytes % DAYS).flat_map(|number| vec![name(number); 9]);
        let plans = (0..100).map(name).chain(others);
        let records = plans.map(|plan| record(&plan, "2026-01-01"));
        app(records.collect(), Vec::new())
    };
    let question = format!("{BY_PLAN}&groupLimit=100&interval=day");
    let shortest = ask(&of(0), Operation::Statistics, &question).await;
    let quotes = shortest.text().matches('"').count();
    let more = LARGEST - shortest.body.len() - quotes;
    for (bytes, status) in [(more, 200), (more + 1, 422)] {
        let reply = ask(&of(bytes), Operation::Statistics, &question).await;
        assert_eq!(reply.status, status);
    }
}
