//! The parameter `filter`: filters that every client can send (contract, section 4).

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;

use crate::support::{
    Api, Project, Reply, filter, map, n, new_project, problem, problems, s, status, typed_filter,
};

const DEMO: &str =
    "/api/v2/response-statistics?project=demo&startDate=2025-01-01&endDate=2025-04-01";
const KEY: [(&str, &str); 1] = [("AuthKey", "demo-read-key-0000")];

/// Makes a project with a record for each of these traits, all named alike.
async fn with(name: &str, values: &[AttributeValue]) -> Project {
    let project = new_project().await;
    for (count, value) in values.iter().enumerate() {
        let attributes = [("traits", map(&[(name, value.clone())]))];
        let id = count.to_string();
        project
            .put_response("2026-03-01T12:00:00.000Z", &id, &attributes)
            .await;
    }
    project
}

async fn get(project: &Project, filters: &str) -> Reply {
    let query = format!("&startDate=2026-03-01&endDate=2026-03-02{filters}");
    Api::shared().statistics(project, &query).await
}

async fn displays(project: &Project, filters: &str) -> Value {
    get(project, filters).await.figures()["displays"].clone()
}

#[track_caller]
fn detail(reply: &Reply) -> String {
    let detail = reply.json()["errors"][0]["detail"].clone();
    detail.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_response_is_that_of_the_nested_form_byte_for_byte() {
    let nested = [
        typed_filter("number", "seats", "gte", "8.0"),
        typed_filter("boolean", "beta", "eq", "true"),
        filter("plan", "ne", "free"),
        filter("seats", "ne", "4"),
    ];
    let whole = [
        "&filter=beta=boolean.eq:true",
        "&filter=seats=ne:4",
        "&filter=plan=string.ne:free",
        "&filter=seats=number.gte:8",
    ];
    let get = async |filters: &[&str]| {
        let reply = Api::shared()
            .get(&format!("{DEMO}{}", filters.concat()), &KEY)
            .await;
        assert!(reply.figures()["displays"].as_u64() > Some(0), "{reply:?}");
        reply.text().to_owned()
    };
    let nested: Vec<_> = nested.iter().map(String::as_str).collect();
    let expected = get(&nested).await;
    assert_eq!(get(&whole).await, expected);
    assert_eq!(get(&[&nested[..1], &whole[..3]].concat()).await, expected);
    assert_ne!(get(&whole[1..]).await, expected);
}

#[tokio::test]
async fn the_name_ends_at_the_first_equals_sign_and_the_operator_at_the_first_colon() {
    let project = with("a:b.c[d]", &[s("x=y:z"), s("x"), s("a b"), s("%41")]).await;
    for (filters, expected) in [
        ("&filter=a:b.c[d]=eq:x=y:z", 1),
        ("&filter=a%3Ab.c%5Bd%5D%3Deq%3Ax%3Dy%3Az", 1),
        ("&filter=a:b.c[d]=string.contains:x", 2),
        ("&filter=a:b.c[d]=eq:a+b", 1),
        // It is decoded once.
        ("&filter=a:b.c[d]=eq:%2541", 1),
        ("&filter=a:b.c[d]=contains:", 4),
        ("&filter=a:b.c[d]=eq:", 0),
    ] {
        assert_eq!(displays(&project, filters).await, expected, "{filters}");
    }
}

#[tokio::test]
async fn a_trait_may_be_filtered_several_times_as_one_type_and_all_must_match() {
    let seats = [n(2), n(3), n(9), n(10), s("trial"), s("free"), s("pro")];
    let project = with("x", &seats).await;
    for (filters, expected) in [
        ("&filter=x=number.gte:3&filter=x=number.lt:10", 2),
        ("&filter=x=ne:free&filter=x=ne:trial&filter=x=contains:r", 1),
        ("&filter=x=eq:pro&filter=x=eq:free", 0),
    ] {
        assert_eq!(displays(&project, filters).await, expected, "{filters}");
    }
    let nested = typed_filter("number", "x", "gte", "3") + "&filter=x=number.lt:10";
    assert_eq!(displays(&project, &nested).await, 2);
}

#[tokio::test]
async fn the_first_malformed_filter_is_reported_and_quoted_and_no_other() {
    let project = new_project().await;
    let long_name = format!("{}=eq:a", "n".repeat(256));
    let long_value = format!("a=eq:{}", "v".repeat(1025));
    for (malformed, expected) in [
        ("", "must be NAME=OPERATOR:VALUE"),
        ("plan", "must be NAME=OPERATOR:VALUE"),
        ("plan=pro", "must be NAME=OPERATOR:VALUE"),
        ("plan:eq:pro", "must be NAME=OPERATOR:VALUE"),
        ("=eq:pro", "must name a trait in 1 to 255 bytes"),
        (&long_name, "must name a trait"),
        (
            "a=date.eq:1",
            "must have as the type before the operator string, number or boolean",
        ),
        ("a=.eq:1", "must have as the type before the operator"),
        (
            "a=number.string.eq:1",
            "must have as the operator of a number",
        ),
        (
            "a=is:1",
            "must have as the operator of a string eq, ne, contains or ncontains",
        ),
        ("a=:1", "must have as the operator of a string"),
        ("a=gt:1", "must have as the operator of a string"),
        (
            "a=boolean.gt:true",
            "must have as the operator of a boolean eq or ne",
        ),
        (
            "a=number.eq:four",
            "must have a value that is a decimal number",
        ),
        ("a=boolean.eq:1", "must have a value that is true or false"),
        (&long_value, "must have a value that is at most 1024 bytes"),
    ] {
        let others = "&filter=b=eq:1&filter=b=eq:1&filter=another";
        let query = format!("&filter=c=eq:1&filter={malformed}{others}");
        let reply = get(&project, &query).await;
        assert_eq!(
            problems(&reply),
            problem("invalid_parameter", "filter"),
            "{malformed}"
        );
        let detail = detail(&reply);
        let quoted: String = malformed.chars().take(90).collect();
        for part in [expected, &quoted] {
            assert!(detail.contains(part), "{malformed}: {detail}");
        }
    }
    let reply = get(&project, "&filter=a=eq:%FF").await;
    assert_eq!(problems(&reply), problem("invalid_parameter", "filter"));
}

#[tokio::test]
async fn the_same_filter_twice_is_refused_in_whichever_forms() {
    let project = new_project().await;
    let nested = typed_filter("number", "a", "gte", "4.0");
    for filters in [
        "&filter=a=eq:x&filter=a=eq:x",
        "&filter=a=eq:x&filter=a=string.eq:x",
        "&filter=a=number.gte:4&filter=b=eq:x&filter=a=number.gte:0.4e1",
        &(nested.clone() + "&filter=a=number.gte:4"),
    ] {
        let reply = get(&project, filters).await;
        assert_eq!(
            problems(&reply),
            problem("duplicate_parameter", "filter"),
            "{filters}"
        );
    }
    let key = "filters[user.traits.number.a][operator]";
    let repeated = nested.clone() + &nested;
    let reply = get(&project, &format!("{repeated}&filter=b=eq:x")).await;
    assert!(problems(&reply).contains(&problem("duplicate_parameter", key)[0]));
    assert!(!detail(&reply).is_empty());
    let other_operator = nested + "&filter=a=number.gt:4";
    assert_eq!(get(&project, &other_operator).await.status, 200);
}

#[tokio::test]
async fn there_are_twenty_filters_of_both_forms_together() {
    let project = new_project().await;
    let numbered = |count: usize, filter: &dyn Fn(usize) -> String| {
        (0..count).map(filter).collect::<Vec<_>>().concat()
    };
    let whole = |count| numbered(count, &|n| format!("&filter=a=ne:{n}"));
    let nested = |count| numbered(count, &|n| filter(&format!("t{n}"), "ne", "x"));
    for (filters, parameter) in [
        (whole(20), None),
        (whole(10) + &nested(10), None),
        (whole(21), Some("filter")),
        (whole(10) + &nested(11), Some("filter")),
        (whole(1) + &nested(21), Some("filter")),
        (nested(21), Some("filters")),
        // The first problem of `filter` is the only one.
        (whole(20) + "&filter=a=ne:7", Some("filter")),
    ] {
        let reply = get(&project, &filters).await;
        match parameter {
            None => assert_eq!(reply.status, 200, "{reply:?}"),
            Some(name) => assert_eq!(problems(&reply).len(), 1, "{name} {reply:?}"),
        }
        if let Some(name) = parameter {
            assert_eq!(problems(&reply)[0].1, name);
        }
    }
    let duplicate = get(&project, &(whole(20) + "&filter=a=ne:7")).await;
    assert_eq!(
        problems(&duplicate),
        problem("duplicate_parameter", "filter")
    );
}

#[tokio::test]
async fn no_other_parameter_may_be_repeated_and_users_has_no_filter() {
    let project = new_project().await;
    let reply = get(&project, "&timezone=UTC&timezone=UTC").await;
    assert_eq!(problems(&reply), problem("duplicate_parameter", "timezone"));
    for query in ["&filter=a=eq:x", "&filter=a=eq:x&filter=b=eq:x"] {
        let reply = Api::shared().users(&project, query).await;
        assert_eq!(problems(&reply), problem("unknown_parameter", "filter"));
    }
    assert_eq!(status(&format!("{DEMO}&filter=a=eq:x"), &KEY).await, 200);
}
