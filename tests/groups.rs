//! Groups by the value of a trait (contract, section 4).

use serde_json::{Value, json};
use service::App;

use crate::support::{Operation, app_of, app_of_traits, ask, empty_app, filter, sha256};

const PERIOD: &str = "startDate=2026-03-01&endDate=2026-03-03";
const BY_PLAN: &str = "&groupBy=user.traits.string.plan";

/// Makes the state of the handlers over a record for each of these values of the trait `plan`, and one
/// without.
fn with_plans(plans: impl IntoIterator<Item = Value>) -> App {
    app_of_traits(plans.into_iter().map(|plan| json!({"plan": plan})))
}

fn s(text: &str) -> Value {
    json!({"S": text})
}

/// Returns the elements of a response.
async fn elements(app: &App, query: &str) -> Vec<Value> {
    let query = format!("{PERIOD}{query}");
    let reply = ask(app, Operation::Statistics, &query).await;
    assert_eq!(reply.status, 200, "{query} {reply:?}");
    reply.json()["data"].as_array().unwrap().clone()
}

/// Returns group, `other` and displays of each element.
async fn groups(app: &App, query: &str) -> Vec<Value> {
    let elements = elements(app, query).await;
    let attributes = elements.iter().map(|element| &element["attributes"]);
    attributes
        .map(|group| json!([group["group"], group["other"], group["displays"]]))
        .collect()
}

#[tokio::test]
async fn groups_are_ranked_by_displays_then_by_bytes_and_null_is_one_of_them() {
    let plans = ["pro", "pro", "é", "Z", "a", "", "null", "pro"].map(s);
    let others = [
        json!({"NULL": true}),
        json!({"N": "1"}),
        json!({"BOOL": true}),
    ];
    let app = with_plans(plans.into_iter().chain(others));
    let expected = [
        json!([null, false, 4]),
        json!(["pro", false, 3]),
        json!(["", false, 1]),
        json!(["Z", false, 1]),
        json!(["a", false, 1]),
        json!(["null", false, 1]),
        json!(["é", false, 1]),
    ];
    assert_eq!(groups(&app, BY_PLAN).await, expected);
}

#[tokio::test]
async fn without_a_limit_twenty_groups_are_shown_and_the_others_are_one_element() {
    let many = (0..21).map(|plan| s(&format!("{plan:02}")));
    let shown = groups(&with_plans(many), BY_PLAN).await;
    let last = [json!(["19", false, 1]), json!([null, true, 2])];
    assert_eq!(shown[19..], last);
}

#[tokio::test]
async fn every_interval_has_the_same_groups_in_the_order_of_the_whole_period() {
    let days = ["2026-03-01T12:00:00.000Z", "2026-03-02T12:00:00.000Z"];
    let records = [(0, "a"), (0, "b"), (0, "c"), (1, "b"), (1, "b"), (1, "c")];
    let app = app_of(&records.map(|(day, plan)| {
        let traits = json!({"M": {"plan": {"S": plan}}});
        (days[day], json!({"traits": traits}))
    }));
    let query = format!("{BY_PLAN}&groupLimit=2&interval=day");
    let expected = [
        json!(["b", false, 1]),
        json!(["c", false, 1]),
        json!([null, true, 1]),
        json!(["b", false, 2]),
        json!(["c", false, 1]),
        json!([null, true, 0]),
    ];
    assert_eq!(groups(&app, &query).await, expected);
    let elements = elements(&app, &query).await;
    let starts = elements
        .iter()
        .map(|element| &element["attributes"]["start"]);
    let starts: Vec<_> = starts.collect();
    assert_eq!(starts[..3], ["2026-03-01T00:00:00.000Z"; 3]);
    assert_eq!(starts[3..], ["2026-03-02T00:00:00.000Z"; 3]);
}

#[tokio::test]
async fn without_matching_records_there_is_no_element() {
    let app = with_plans([s("a")]);
    let none = filter("plan", "eq", "b");
    for query in ["", "&interval=day&confidence=90"] {
        let query = format!("{BY_PLAN}{query}{none}");
        assert_eq!(elements(&app, &query).await, [] as [Value; 0]);
    }
}

#[tokio::test]
async fn the_attributes_begin_with_what_was_requested() {
    let app = with_plans([s("a\"b"), s("a\"b")]);
    let query = format!("{PERIOD}{BY_PLAN}&interval=year&timezone=Asia/Tokyo&confidence=90");
    let reply = ask(&app, Operation::Statistics, &query).await;
    let start = r#""attributes":{"start":"2026-03-01T00:00:00.000+09:00","end":"2026-03-03T00:00:00.000+09:00","group":"a\"b","other":false,"responses":2,"displays":2,"dismissed":0,"promoters":2,"passives":0,"detractors":0,"nps":100.0,"frequency":[0,0,0,0,0,0,0,0,0,2,0],"npsLow":"#;
    assert!(reply.text().contains(start), "{reply:?}");
}

/// Returns the ids of a response.
async fn ids(app: &App, query: &str) -> Vec<String> {
    let elements = elements(app, query).await;
    let id = |element: &Value| element["id"].as_str().unwrap().to_owned();
    elements.iter().map(id).collect()
}

fn derived(rest: &str) -> String {
    let of = r#"["p","2026-03-01T00:00:00.000Z","2026-03-03T00:00:00.000Z",[]"#;
    sha256(&format!("{of},{rest}]"))[..24].to_owned()
}

#[tokio::test]
async fn ids_are_derived_from_the_question_and_the_elements_interval_and_group() {
    let app = with_plans(["a", "a", "a", "b", "b"].map(s));
    let by_plan = r#"[null,null,null,"user.traits.string.plan",2,null]"#;
    let expected = [
        r#"[null,"a",false]"#,
        r#"[null,"b",false]"#,
        r"[null,null,true]",
    ];
    let expected = expected.map(|element| derived(&format!("{by_plan},{element}")));
    let limited = format!("{BY_PLAN}&groupLimit=2");
    assert_eq!(ids(&app, &limited).await, expected);
    // The year begins before the period.
    let query =
        "interval=year&timezone=Asia/Tokyo&startDate=2026-03-01T09:00&endDate=2026-03-03T00:00Z";
    let reply = ask(&empty_app(), Operation::Statistics, query).await;
    let by_year =
        r#"["year","Asia/Tokyo",null,null,null,null],["2026-01-01T00:00:00.000+09:00",null,null]"#;
    assert_eq!(reply.json()["data"][0]["id"], derived(by_year));
    let by_week = r#"["week","UTC","monday",null,null,95],["2026-02-23T00:00:00.000Z",null,null]"#;
    for query in [
        "&interval=week&confidence=95",
        "&confidence=95&timezone=UTC&weekStart=monday&interval=week",
    ] {
        assert_eq!(ids(&app, query).await[0], derived(by_week));
    }
    let confident = derived("[null,null,null,null,null,99],[null,null,null]");
    assert_eq!(ids(&app, "&confidence=99").await, [confident]);
    // A zone alone changes what dates mean, and the instants are the same here.
    assert_eq!(ids(&app, "&timezone=Etc/UTC").await, ids(&app, "").await);
}

#[tokio::test]
async fn ids_are_unique_in_a_response() {
    let flags = [true, false].map(|flag| json!({"BOOL": flag}));
    let app = with_plans(flags.into_iter().chain(["null", "a", "b"].map(s)));
    for query in [
        format!("{BY_PLAN}&groupLimit=2&interval=day"),
        "&groupBy=user.traits.boolean.plan&groupLimit=1&interval=day".to_owned(),
    ] {
        let found = ids(&app, &query).await;
        let distinct: std::collections::BTreeSet<_> = found.iter().collect();
        assert!(
            found.len() >= 4 && distinct.len() == found.len(),
            "{found:?}"
        );
    }
}
