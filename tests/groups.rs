//! Groups by the value of a trait (contract, section 4).

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::support::{Api, Project, filter, map, n, new_project, null, s, sha256};

const DAY: &str = "2026-03-01T12:00:00.000Z";
const PERIOD: &str = "&startDate=2026-03-01&endDate=2026-03-03";
const BY_PLAN: &str = "&groupBy=user.traits.string.plan";

/// Makes a project with a record for each of these values of the trait `plan`.
async fn with_plans(plans: Vec<AttributeValue>) -> Project {
    let project = new_project().await;
    for (count, plan) in plans.into_iter().enumerate() {
        let attributes = [("rating", n(9)), ("traits", map(&[("plan", plan)]))];
        project
            .put_response(DAY, &format!("r{count}"), &attributes)
            .await;
    }
    project
}

/// Returns the elements of a response.
async fn elements(project: &Project, query: &str) -> Vec<Value> {
    let reply = Api::shared()
        .statistics(project, &format!("{PERIOD}{query}"))
        .await;
    assert_eq!(reply.status, 200, "{query} {reply:?}");
    reply.json()["data"].as_array().unwrap().clone()
}

/// Returns group, `other` and displays of each element.
async fn groups(project: &Project, query: &str) -> Vec<Value> {
    let elements = elements(project, query).await;
    let attributes = elements.iter().map(|element| &element["attributes"]);
    attributes
        .map(|group| json!([group["group"], group["other"], group["displays"]]))
        .collect()
}

#[tokio::test]
async fn groups_are_ranked_by_displays_then_by_bytes_and_null_is_one_of_them() {
    let plans = ["pro", "pro", "é", "Z", "a", "", "null"].map(s);
    let others = [null(), n(1), AttributeValue::Bool(true), s("pro")];
    let project = with_plans(plans.into_iter().chain(others).collect()).await;
    project.put_response(DAY, "without traits", &[]).await;
    let expected = [
        json!([null, false, 4]),
        json!(["pro", false, 3]),
        json!(["", false, 1]),
        json!(["Z", false, 1]),
        json!(["a", false, 1]),
        json!(["null", false, 1]),
        json!(["é", false, 1]),
    ];
    assert_eq!(groups(&project, BY_PLAN).await, expected);
}

#[tokio::test]
async fn without_a_limit_twenty_groups_are_shown_and_the_others_are_one_element() {
    let many = (0..21).map(|plan| s(&format!("{plan:02}"))).collect();
    let shown = groups(&with_plans(many).await, BY_PLAN).await;
    let last = [json!(["19", false, 1]), json!([null, true, 1])];
    assert_eq!(shown[19..], last);
}

#[tokio::test]
async fn every_interval_has_the_same_groups_in_the_order_of_the_whole_period() {
    let project = with_plans(vec![s("a"), s("b"), s("c")]).await;
    for (id, plan) in [("x", "b"), ("y", "b"), ("z", "c")] {
        let traits = map(&[("plan", s(plan))]);
        let created = "2026-03-02T12:00:00.000Z";
        project
            .put_response(created, id, &[("traits", traits)])
            .await;
    }
    let query = format!("{BY_PLAN}&groupLimit=2&interval=day");
    let expected = [
        json!(["b", false, 1]),
        json!(["c", false, 1]),
        json!([null, true, 1]),
        json!(["b", false, 2]),
        json!(["c", false, 1]),
        json!([null, true, 0]),
    ];
    assert_eq!(groups(&project, &query).await, expected);
    let starts: Vec<_> = elements(&project, &query).await;
    let starts: Vec<_> = starts
        .iter()
        .map(|element| element["attributes"]["start"].as_str().unwrap())
        .collect();
    assert_eq!(starts[..3], ["2026-03-01T00:00:00.000Z"; 3]);
    assert_eq!(starts[3..], ["2026-03-02T00:00:00.000Z"; 3]);
}

#[tokio::test]
async fn without_matching_records_there_is_no_element() {
    let project = with_plans(vec![s("a")]).await;
    let none = filter("plan", "eq", "b");
    for query in [
        BY_PLAN.to_owned(),
        format!("{BY_PLAN}&interval=day&confidence=90"),
    ] {
        assert_eq!(
            elements(&project, &format!("{query}{none}")).await,
            Vec::<Value>::new()
        );
    }
}

#[tokio::test]
async fn the_attributes_begin_with_what_was_requested() {
    let project = with_plans(vec![s("a\"b")]).await;
    let query = format!("{PERIOD}{BY_PLAN}&interval=year&timezone=Asia/Tokyo&confidence=90");
    let reply = Api::shared().statistics(&project, &query).await;
    let start = r#""attributes":{"start":"2026-03-01T00:00:00.000+09:00","end":"2026-03-03T00:00:00.000+09:00","group":"a\"b","other":false,"responses":1,"displays":1,"dismissed":0,"promoters":1,"passives":0,"detractors":0,"nps":100.0,"frequency":[0,0,0,0,0,0,0,0,0,1,0],"npsLow":-36.68"#;
    assert!(reply.text().contains(start), "{reply:?}");
}

/// Returns the ids of a response.
async fn ids(project: &Project, query: &str) -> Vec<String> {
    let elements = elements(project, query).await;
    let id = |element: &Value| element["id"].as_str().unwrap().to_owned();
    elements.iter().map(id).collect()
}

#[tokio::test]
async fn ids_are_derived_from_the_question_and_the_elements_interval_and_group() {
    let project = with_plans(vec![s("a"), s("a"), s("b"), null()]).await;
    let derived = |rest: &str| {
        let question = format!(
            r#"["{}","2026-03-01T00:00:00.000Z","2026-03-03T00:00:00.000Z",[],{rest}]"#,
            project.id
        );
        sha256(&question)[..24].to_owned()
    };
    let by_plan = r#"[null,null,null,"user.traits.string.plan",2,null]"#;
    let expected = [
        r#"[null,"a",false]"#,
        r#"[null,"b",false]"#,
        r"[null,null,true]",
    ];
    let expected = expected.map(|element| derived(&format!("{by_plan},{element}")));
    assert_eq!(
        ids(&project, &format!("{BY_PLAN}&groupLimit=2")).await,
        expected
    );
    // The year begins before the period.
    let query =
        "&interval=year&timezone=Asia/Tokyo&startDate=2026-03-01T09:00&endDate=2026-03-03T00:00Z";
    let reply = Api::shared().statistics(&project, query).await;
    let by_year =
        r#"["year","Asia/Tokyo",null,null,null,null],["2026-01-01T00:00:00.000+09:00",null,null]"#;
    assert_eq!(reply.json()["data"][0]["id"], derived(by_year));
    let by_week = r#"["week","UTC","monday",null,null,95],["2026-02-23T00:00:00.000Z",null,null]"#;
    for query in [
        "&interval=week&confidence=95",
        "&confidence=95&timezone=UTC&weekStart=monday&interval=week",
    ] {
        assert_eq!(ids(&project, query).await[0], derived(by_week));
    }
    assert_eq!(
        ids(&project, "&confidence=99").await,
        [derived("[null,null,null,null,null,99],[null,null,null]")]
    );
    // A zone alone changes what dates mean, and the instants are the same here.
    assert_eq!(
        ids(&project, "&timezone=Etc/UTC").await,
        ids(&project, "").await
    );
}

#[tokio::test]
async fn ids_are_unique_in_a_response() {
    let flags = [true, false].map(AttributeValue::Bool);
    let plans = flags
        .into_iter()
        .chain([s("null"), s("a"), s("b"), null()])
        .collect();
    let project = with_plans(plans).await;
    for query in [
        format!("{BY_PLAN}&groupLimit=2&interval=day"),
        "&groupBy=user.traits.boolean.plan&groupLimit=1&interval=day".to_owned(),
    ] {
        let found = ids(&project, &query).await;
        let distinct: std::collections::BTreeSet<_> = found.iter().collect();
        assert!(
            found.len() >= 4 && distinct.len() == found.len(),
            "{found:?}"
        );
    }
}
