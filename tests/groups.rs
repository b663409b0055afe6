//! Groups by the value of a trait (contract, section 4).

use serde_json::{Value, json};
use service::App;

use crate::support::{Operation, app_of_traits, ask, empty_app, filter, sha256};

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

/// Returns group, `other`, displays and the number of nines of each element.
async fn groups(app: &App, query: &str) -> Vec<Value> {
    let elements = elements(app, query).await;
    let attributes = elements.iter().map(|element| &element["attributes"]);
    attributes
        .map(|group| {
            json!([
                group["group"],
                group["other"],
                group["displays"],
                group["frequency"][9]
            ])
        })
        .collect()
}

#[tokio::test]
async fn without_a_limit_twenty_groups_are_shown_and_the_others_are_one_element() {
    let many = (0..21).map(|plan| s(&format!("{plan:02}")));
    let shown = groups(&with_plans(many), BY_PLAN).await;
    let last = [json!(["19", false, 1, 1]), json!([null, true, 2, 2])];
    assert_eq!(shown[19..], last);
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

#[tokio::test]
async fn the_short_name_of_a_trait_stands_for_the_long_one() {
    let app = with_plans([s("a"), json!({"BOOL": true})]);
    for (short, long) in [
        ("plan", "user.traits.string.plan"),
        ("string.plan", "user.traits.string.plan"),
        ("boolean.plan", "user.traits.boolean.plan"),
    ] {
        let of = async |by: &str| {
            let reply = ask(
                &app,
                Operation::Statistics,
                &format!("{PERIOD}&groupBy={by}"),
            )
            .await;
            (reply.status, reply.text().to_owned())
        };
        assert_eq!(of(short).await, of(long).await, "{short}");
    }
}
