//! Groups by the value of a trait (contract, section 4).

use serde_json::{Value, json};
use service::App;

use crate::support::{Operation, app_of_traits, ask, elements};

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

#[tokio::test]
async fn without_a_limit_twenty_groups_are_shown_and_the_others_are_one_element() {
    let many = (0..21).map(|plan| s(&format!("{plan:02}")));
    let shown = elements(&with_plans(many), &format!("{PERIOD}{BY_PLAN}")).await;
    let group = |of: &Value| json!([of["group"], of["other"], of["displays"], of["frequency"][9]]);
    let last = [json!(["19", false, 1, 1]), json!([null, true, 2, 2])];
    assert_eq!(shown.iter().map(group).collect::<Vec<_>>()[19..], last);
}

#[tokio::test]
async fn the_attributes_begin_with_what_was_requested() {
    let app = with_plans([s("a\"b"), s("a\"b")]);
    let query = format!("{PERIOD}{BY_PLAN}&interval=year&timezone=Asia/Tokyo&confidence=90");
    let reply = ask(&app, Operation::Statistics, &query).await;
    let start = r#""attributes":{"start":"2026-03-01T00:00:00.000+09:00","end":"2026-03-03T00:00:00.000+09:00","group":"a\"b","other":false,"responses":2,"displays":2,"dismissed":0,"promoters":2,"passives":0,"detractors":0,"nps":100.0,"frequency":[0,0,0,0,0,0,0,0,0,2,0],"npsLow":"#;
    assert!(reply.text().contains(start), "{reply:?}");
}

#[tokio::test]
async fn the_short_name_of_a_trait_stands_for_the_long_one() {
    let app = with_plans([s("a"), json!({"BOOL": true})]);
    let of = async |by: &str| {
        let query = format!("{PERIOD}&groupBy={by}");
        ask(&app, Operation::Statistics, &query).await.body
    };
    let of_string = of("user.traits.string.plan").await;
    assert_eq!(of("plan").await, of_string);
    assert_eq!(of("string.plan").await, of_string);
    let of_boolean = of("user.traits.boolean.plan").await;
    assert_eq!(of("boolean.plan").await, of_boolean);
}
