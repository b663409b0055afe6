//! Words that name a period (contract, section 4). The crate has a table of the days that each means.

use chrono::{DateTime, Utc};
use serde_json::json;
use service::App;

use crate::support::{
    Operation, Reply, app_of, check_ids, check_statistics, empty_app, handle, question, rows,
};

/// Asks at this instant.
async fn ask_at(app: &App, now: DateTime<Utc>, query: &str) -> Reply {
    let mut call = question(Operation::Statistics, query);
    call.now = now.to_rfc3339().parse().unwrap();
    handle(app, Operation::Statistics, call).await
}

#[tokio::test]
async fn a_word_means_the_same_instants_all_day_also_on_a_day_without_midnight() {
    // In Cairo, clocks went from 00:00 to 01:00 on 24 April 2026, and from 24:00 to 23:00 on 29 October.
    let app = empty_app();
    let table = "
        2026-04-23T22:00:00Z | 2026-04-24T20:59:59.999Z | 2026-04-24T01:00:00.000+03:00 | 2026-04-25T00:00:00.000+03:00
        2026-10-28T21:00:00Z | 2026-10-29T21:59:59.999Z | 2026-10-29T00:00:00.000+03:00 | 2026-10-30T00:00:00.000+02:00
    ";
    for [first, last, start, end] in rows(table) {
        let query = "period=1d&timezone=Africa/Cairo";
        let [one, other] = [first, last].map(|now| ask_at(&app, now.parse().unwrap(), query));
        let (one, other) = (one.await, other.await);
        let element = &one.elements()[0];
        assert_eq!(
            json!([element["start"], element["end"]]),
            json!([start, end])
        );
        assert_eq!(one.text(), other.text());
    }
}

#[tokio::test]
async fn a_word_has_the_figures_of_its_dates_however_they_are_divided() {
    let at = |day: &str| format!("2026-{day}T12:00:00.000Z");
    let plan = json!({"rating": {"N": "9"}, "traits": {"M": {"plan": {"S": "pro"}}}});
    let days = ["08-31", "09-01", "09-30", "10-01"].map(at);
    let records: Vec<_> = days.iter().map(|at| (&**at, plan.clone())).collect();
    let app = app_of(&records);
    let now = "2026-11-15T12:00:00Z".parse().unwrap();
    let text = async |query: String| ask_at(&app, now, &query).await.text().to_owned();
    for more in [
        "interval=all",
        "interval=week&weekStart=sunday",
        "interval=day&window=7d",
        "groupBy=plan&interval=all",
        "respondents=latest&confidence=95&interval=all",
        "describe=traits",
    ] {
        let dated = text(format!("startDate=2026-09-01&endDate=2026-10-01&{more}")).await;
        assert!(dated.contains(r#""displays":2"#) || more.starts_with("interval="));
        let named = text(format!("period=2026-09&{more}")).await;
        assert_eq!(named, dated, "{more}");
    }
    let whole = "startDate=2026-09-01&endDate=2026-10-01&interval=all".to_owned();
    assert_eq!(text("period=2026-09".to_owned()).await, text(whole).await);
}

#[tokio::test]
async fn the_earlier_period_follows_the_word_or_is_another_one() {
    let app = empty_app();
    let table = "
        startDate=2026-07-01&endDate=2026-10-01&compare=2026-Q2 | 2026-04-01 | 2026-07-01
        period=last-month&compare=this-month                    | 2026-11-01 | 2026-11-16
        period=2025-Q3&compare=30d                              | 2026-10-17 | 2026-11-16
        period=this-year&compare=last-year                      | 2025-01-01 | 2026-01-01
        period=this-month&compare=previous                      | 2026-10-01 | 2026-10-16
        period=6mo&compare=previous                             | 2025-12-01 | 2026-05-16
        period=12w&compare=previous                             | 2026-06-01 | 2026-08-24
        period=this-year&compare=year                           | 2025-01-01 | 2025-11-16
        period=2026-09&compare=2026-01-05/2026-01-09            | 2026-01-05 | 2026-01-09
    ";
    for [query, start, end] in rows(table) {
        let now = "2026-11-15T12:00:00Z".parse().unwrap();
        let before = ask_at(&app, now, query).await.elements()[0]["before"].clone();
        let midnight = |date| format!("{date}T00:00:00.000Z");
        let found = json!([before["start"], before["end"]]);
        assert_eq!(found, json!([start, end].map(midnight)), "{query}");
    }
}

#[tokio::test]
async fn other_words_are_refused() {
    let app = empty_app();
    let table = "
        period={d 0d -1d %2B1d 1.5d 30 30D 12m 10000d 26 2026- 2026-Q0 2026-Q5 2026-q3} | invalid period
        period={2026-Q03 2026Q3 2026-13 2026-00 2026-9 2026-W00 2025-W53 2026-W1 2026-09-01} | invalid period
        period={Q3 last%20quarter last-day this-all this-day next-week This-week last- previous} | invalid period
        period={%EF%BC%92026 1%C3%A9 2026/2027} | invalid period
        period=Q3 | invalid period | must be a period such as 2026, 2026-Q3, 2026-09, 2026-W41, 30d, 12w, 6mo, 1y, this-month or last-quarter, got
        period={0000 9999 9999-12 9999y} | invalid period | must be a period of the years 0001 to 9999
        period=0001&timezone=Asia/Tokyo | invalid period
        period={0001 9998 9999-Q3} | 0
        period=2020&startDate=2020-01-01 | invalid period | cannot be combined with startDate
        period=2020&{endDate=2021-01-01 endDate=2021-01-01&startDate=2020-01-01} | invalid period
        period=x&startDate=x | invalid period, invalid startDate
        period=2020&timezone=x&interval=day | invalid timezone
        period=2020&period=2021 | duplicate period
        period=2020&weekStart=sunday | missing interval
        period=2020&window=7d | missing interval
        period=2020&interval=day&groupBy=a&groupLimit=100 | invalid groupLimit
        period=2020&compare={2020 2020-03 2019-07-01/2020-07-01} | invalid compare | does not overlap
        period=2020&compare={Q3 2026-Q5 none} | invalid compare | a period such as 2026-Q3, or START/END
        period=2020&compare=9999 | invalid compare | must be a period of the years 0001 to 9999
        period=0001&compare=previous | invalid compare | must be a period of the years 0001 to 9999
        period=2020&compare=previous&interval=all | invalid compare
    ";
    check_statistics(&app, table).await;
}

#[tokio::test]
async fn the_id_of_a_word_has_its_instants_and_those_that_it_is_compared_with() {
    let table = r#"
        {period=2020-Q3 startDate=2020-07-01&endDate=2020-10-01&interval=all}
        ["p","2020-07-01T00:00:00.000Z","2020-10-01T00:00:00.000Z",[],["all","UTC",null,null,null,null],[null,null,null]]
        period=2020-03&{compare=previous compare=2020-02 compare=2020-02-01/2020-03-01}
        ["p","2020-03-01T00:00:00.000Z","2020-04-01T00:00:00.000Z",[],["all","UTC",null,null,null,null],[null,null,null],["compare",["2020-02-01T00:00:00.000Z","2020-03-01T00:00:00.000Z"]]]
        period=2020-03&compare=year
        ["p","2020-03-01T00:00:00.000Z","2020-04-01T00:00:00.000Z",[],["all","UTC",null,null,null,null],[null,null,null],["compare",["2019-03-01T00:00:00.000Z","2019-04-01T00:00:00.000Z"]]]
        startDate=2020-03-01&endDate=2020-04-01&compare=2020-02
        ["p","2020-03-01T00:00:00.000Z","2020-04-01T00:00:00.000Z",[],[null,"UTC",null,null,null,null],[null,null,null],["compare",["2020-02-01T00:00:00.000Z","2020-03-01T00:00:00.000Z"]]]
    "#;
    check_ids(&empty_app(), table).await;
}
