//! Figures as a table, with `format=csv` (contract, CSV).

use serde_json::{Value, json};
use service::App;

use crate::support::{Operation, Reply, app_of, app_of_traits, ask, check_statistics, empty_app};

const PERIOD: &str = "startDate=2026-03-01&endDate=2026-04-01";
const COUNTS: &str = "responses,displays,dismissed,promoters,passives,detractors,nps,\
     frequency0,frequency1,frequency2,frequency3,frequency4,frequency5,frequency6,frequency7,frequency8,frequency9,frequency10";

/// Asks for a table.
async fn csv(app: &App, query: &str) -> Reply {
    let reply = ask(app, Operation::Statistics, &format!("{query}&format=csv")).await;
    assert_eq!(reply.status, 200, "{query}: {reply:?}");
    let media_type = "text/csv; charset=utf-8; header=present";
    assert_eq!(reply.header("content-type"), Some(media_type), "{query}");
    reply
}

#[tokio::test]
async fn the_whole_period_is_one_row_below_the_names_of_its_attributes() {
    let rated = |rating: &str| json!({"rating": {"N": rating}});
    let at = "2026-03-05T12:00:00Z";
    let app = app_of(&[
        (at, rated("9")),
        (at, rated("0")),
        (at, rated("7")),
        (at, json!({"dismissed": {"BOOL": true}})),
    ]);
    let reply = csv(&app, PERIOD).await;
    let row = "3,4,1,1,1,1,0.0,1,0,0,0,0,0,0,1,0,1,0";
    assert_eq!(reply.text(), format!("{COUNTS}\r\n{row}\r\n"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert!(reply.header("x-request-id").is_some());
}

#[tokio::test]
async fn a_score_is_written_as_in_json_and_null_is_nothing() {
    let traits = [json!({"a": {"S": ""}}), json!({"a": {"BOOL": true}})];
    let app = app_of_traits(traits);
    let query =
        format!("{PERIOD}&interval=month&groupBy=a&groupLimit=1&confidence=90&respondents=latest");
    let reply = csv(&app, &query).await;
    let json = ask(&app, Operation::Statistics, &query).await.elements();
    let number = |of: &Value, name: &str| of[name].to_string();
    let of = |at: usize, group: &str| {
        let [low, high] = ["npsLow", "npsHigh"].map(|name| number(&json[at], name));
        let count = number(&json[at], "responses");
        format!(
            "\"2026-03-01T00:00:00.000Z\",\"2026-04-01T00:00:00.000Z\",{group},{count},{count},0,{count},0,0,100.0,0,0,0,0,0,0,0,0,0,{count},0,0,{low},{high}\r\n"
        )
    };
    // Two records are of the group without a value, which is first; the empty text is another.
    let rows = [of(0, ",false"), of(1, ",true")].concat();
    let header = format!("start,end,group,other,{COUNTS},superseded,npsLow,npsHigh\r\n");
    assert_eq!(reply.text(), header + &rows);
    for (by, row) in [("a", "\"\",false,1,1,"), ("boolean.a", "true,false,1,1,")] {
        let reply = csv(&app, &format!("{PERIOD}&groupBy={by}")).await;
        let has_row = reply.text().contains(&format!("\r\n{row}"));
        assert!(has_row, "{reply:?}");
    }
    let query = "startDate=2026-04-01&endDate=2026-04-02&interval=all&confidence=90";
    let nobody = csv(&app, query).await;
    let row = "\"2026-04-01T00:00:00.000Z\",\"2026-04-02T00:00:00.000Z\",0,0,0,0,0,0,,0,0,0,0,0,0,0,0,0,0,0,,";
    assert_eq!(nobody.text().lines().nth(1), Some(row));
}

#[tokio::test]
async fn a_text_is_quoted_and_one_that_a_spreadsheet_would_compute_gets_an_apostrophe() {
    for (value, cell) in [
        ("a", "\"a\""),
        ("say \"hi\", twice", "\"say \"\"hi\"\", twice\""),
        ("two\nlines", "\"two\nlines\""),
        ("\u{9b}2J\t", "\"\u{9b}2J\t\""),
        ("=1+1", "\"'=1+1\""),
        ("+1", "\"'+1\""),
        ("-1", "\"'-1\""),
        ("@sum", "\"'@sum\""),
        ("\ta", "\"'\ta\""),
        ("\ra", "\"'\ra\""),
        ("\na", "\"'\na\""),
        ("\0a", "\"'\0a\""),
        ("\u{ff1d}1", "\"'\u{ff1d}1\""),
        ("\u{ff0b}1", "\"'\u{ff0b}1\""),
        ("\u{ff0d}1", "\"'\u{ff0d}1\""),
        ("\u{ff20}a", "\"'\u{ff20}a\""),
        ("'a", "\"''a\""),
        ("a=1", "\"a=1\""),
        ("'=1", "\"''=1\""),
        (" ", "\" \""),
        ("1", "\"1\""),
    ] {
        let app = app_of_traits([json!({"a": {"S": value}})]);
        let query = format!("{PERIOD}&groupBy=a&filter=a=ne:x&groupLimit=2");
        let reply = csv(&app, &query).await;
        let has_row = reply.text().contains(&format!("\r\n{cell},false,1,1,"));
        assert!(has_row, "{reply:?}");
    }
}

#[tokio::test]
async fn the_columns_follow_from_the_parameters_where_there_is_no_row() {
    let divided = format!("start,end,group,other,{COUNTS}");
    let windows = format!("start,end,windowStart,group,other,{COUNTS},npsLow,npsHigh");
    let within = |member: &str, names: &str| -> String {
        let names = names.split(',');
        names.flat_map(|name| [",", member, ".", name]).collect()
    };
    let before = format!("start,end,since,{COUNTS},superseded,npsLow,npsHigh");
    let before = within("before", &before);
    let change = "points,low,high,verdict,contribution,fromScore,fromShare";
    let change = within("change", change);
    let compared =
        format!("start,end,group,other,{COUNTS},superseded,npsLow,npsHigh{before}{change}");
    let comparing = "period=2026-03&groupBy=a&compare=previous&confidence=95&respondents=latest";
    for (query, columns) in [
        ("period=2026-03&groupBy=a", &*divided),
        (
            "startDate=2026-03-01&endDate=2026-03-01&interval=day&window=7d&groupBy=a&confidence=90",
            &*windows,
        ),
        (comparing, &*compared),
        (
            "period=2026-03&describe=traits",
            "name,type,displays,private",
        ),
    ] {
        let table = csv(&empty_app(), query).await;
        assert_eq!(table.text(), format!("{columns}\r\n"), "{query}");
    }
    let app = app_of_traits([json!({"a": {"S": "b"}})]);
    let reply = csv(&app, comparing).await;
    let (header, rows) = reply.text().split_once("\r\n").unwrap();
    assert_eq!(header, compared);
    let expected = ",\"2026-02-01T00:00:00.000Z\",\"2026-03-01T00:00:00.000Z\",\"2026-03-01T12:00:00.000Z\",0,0,0,0,0,0,,0,0,0,0,0,0,0,0,0,0,0,0,,,,,,\"empty\",,,";
    for row in rows.lines() {
        assert!(row.ends_with(expected), "{row}");
    }
    assert_eq!(rows.lines().count(), 2);
}

#[tokio::test]
async fn traits_are_a_table_too() {
    let app = app_of_traits([json!({"=a": {"S": "b"}, "email": {"N": "3"}})]);
    let reply = csv(&app, &format!("{PERIOD}&describe=traits")).await;
    let expected = "name,type,displays,private\r\n\"'=a\",\"string\",1,false\r\n\"email\",\"number\",1,true\r\n";
    assert_eq!(reply.text(), expected);
}

#[tokio::test]
async fn errors_stay_json_and_users_have_no_table() {
    let table = "
        format=csv&interval=hour | invalid interval
        format={CSV text/csv tsv} | invalid format | must be json or csv
        format=csv&groupBy=email | 403 private_trait groupBy
    ";
    check_statistics(&empty_app(), table).await;
    let query = "format=csv&interval=hour";
    let reply = ask(&empty_app(), Operation::Statistics, query).await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let reply = ask(&empty_app(), Operation::Users, "format=csv").await;
    assert_eq!(reply.code(400), "invalid_parameter");
}
