//! `respondents=latest`: each person once (contract, section 4). `model` has which ratings
//! count.

use serde_json::json;
use service::App;

use crate::support::{Operation, app_of, app_of_shards, ask, check_statistics};

const LATEST: &str = "startDate=2026-01-01&endDate=2027-01-01&respondents=latest";

/// Makes the state of the handlers over records of one person who rated 3 and then 10, another one who did
/// not rate, and nobody, who rated 7.
fn app() -> App {
    let [march, april, may] =
        ["03", "04", "05"].map(|month| format!("2026-{month}-01T12:00:00.000Z"));
    let of_jane = |rating| json!({"rating": {"N": rating}, "userId": {"S": "jane"}});
    app_of(&[
        (&march, of_jane("3")),
        (&april, of_jane("10")),
        (&may, json!({"userId": {"S": "john"}})),
        (&may, json!({"rating": {"N": "7"}})),
    ])
}

#[tokio::test]
async fn superseded_follows_frequency() {
    let figures = r#""responses":2,"displays":4,"dismissed":0,"promoters":1,"passives":1,"detractors":0,"nps":50.0,"frequency":[0,0,0,0,0,0,0,1,0,0,1],"superseded":1"#;
    for (query, end) in [("", "}"), ("&interval=year&confidence=95", r#","npsLow""#)] {
        let query = LATEST.to_owned() + query;
        let reply = ask(&app(), Operation::Statistics, &query).await;
        let part = figures.to_owned() + end;
        assert!(reply.text().contains(&part), "{}", reply.text());
    }
}

#[tokio::test]
async fn a_million_pairs_of_a_person_and_an_interval_are_the_most() {
    let pair = |number: usize| {
        let (month, person) = (1 + number % 2, number / 2);
        let at = format!(r#"{{"S":"2026-0{month}-01T00:00:00.000Z#1"}}"#);
        format!(r#"{{"rating":{{"N":"9"}},"at":{at},"userId":{{"S":"person {person}"}}}}"#)
    };
    let anonymous = r#"{"rating":{"N":"9"},"at":{"S":"2026-01-01T00:00:00.000Z#1"}}"#.to_owned();
    let excluded = pair(1_000_000).replace("rating", r#"traits":{"M":{"x":{"S":"x"}}},"rating"#);
    let app = app_of_shards([
        (0..500_000).map(pair).collect(),
        vec![anonymous; 1000],
        (500_000..1_000_000).map(pair).collect(),
        vec![pair(0), excluded],
    ]);
    let table = format!(
        "
        {LATEST}&interval=month&filter=x=ne:x | 501001
        {LATEST}&interval=month | 422 too_many_respondents | From 2026-01-01T00:00:00.000Z to \
         2027-01-01T00:00:00.000Z, more than 1,000,000 pairs of a person and an interval have ratings. Ask \
         for a shorter period, choose a longer interval, or omit respondents."
    );
    check_statistics(&app, &table).await;
}
