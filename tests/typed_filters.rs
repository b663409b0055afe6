//! Filters on number and boolean traits: their form and what they compare (contract, section 4).

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;

use crate::support::{
    Api, Pages, Project, app_at, body_of, map, n, new_project, null, problem, problems,
    request_statistics, s, serve_pages, typed_filter,
};

const DAY: &str = "2026-03-01T12:00:00.000Z";
const PERIOD: &str = "&startDate=2026-03-01&endDate=2026-03-02";

fn flag(flag: bool) -> AttributeValue {
    AttributeValue::Bool(flag)
}

/// Makes a project whose records have the trait `x`, or lack it.
async fn with_x(values: &[Option<AttributeValue>]) -> Project {
    let project = new_project().await;
    for (count, value) in values.iter().enumerate() {
        let traits: Vec<_> = value.iter().map(|value| ("x", value.clone())).collect();
        let attributes = [("rating", n(9)), ("traits", map(&traits))];
        project
            .put_response(DAY, &count.to_string(), &attributes)
            .await;
    }
    project
        .put_response(DAY, "no traits", &[("rating", n(9))])
        .await;
    project
}

/// Returns the number of displays that match.
async fn displays(project: &Project, filters: &str) -> Value {
    let reply = Api::shared()
        .statistics(project, &format!("{PERIOD}{filters}"))
        .await;
    reply.figures()["displays"].clone()
}

/// Returns the values of a trait of every type, and none.
fn one_of_each_type() -> Vec<Option<AttributeValue>> {
    vec![
        Some(n(1)),
        Some(n(0)),
        Some(s("1")),
        Some(s("true")),
        Some(flag(true)),
        Some(flag(false)),
        Some(null()),
        Some(AttributeValue::L(vec![n(1), flag(true)])),
        Some(AttributeValue::Ns(vec!["1".to_owned()])),
        Some(map(&[("x", n(1))])),
        None,
    ]
}

#[tokio::test]
async fn a_trait_of_another_type_is_equal_to_nothing_and_neither_greater_nor_less() {
    let project = with_x(&one_of_each_type()).await;
    for (kind, operator, value, expected) in [
        ("number", "eq", "1", 1),
        ("number", "ne", "1", 11),
        ("number", "ne", "7", 12),
        ("number", "gt", "0", 1),
        ("number", "gte", "0", 2),
        ("number", "gte", "-1e125", 2),
        ("number", "lt", "1", 1),
        ("number", "lte", "1", 2),
        ("number", "lte", "1e125", 2),
        ("boolean", "eq", "true", 1),
        ("boolean", "ne", "true", 11),
        ("boolean", "eq", "false", 1),
        ("boolean", "ne", "false", 11),
        ("string", "eq", "1", 1),
        ("string", "ne", "true", 11),
        ("string", "contains", "", 2),
    ] {
        let filter = typed_filter(kind, "x", operator, value);
        assert_eq!(displays(&project, &filter).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn numbers_are_compared_by_value_and_exactly() {
    let numbers = [
        "-1e125",
        "-3",
        "-2.5",
        "0",
        "1e-130",
        "0.1",
        "2.5",
        // Two doubles that are the same.
        "9007199254740993",
        "9007199254740992",
        "12345678901234567890123456789012345678",
        "12345678901234567890123456789012345679",
        "9.9999999999999999999999999999999999999e125",
    ];
    let stored: Vec<_> = numbers.iter().map(|number| Some(n(number))).collect();
    let project = with_x(&stored).await;
    for (operator, value, expected) in [
        ("eq", "-2.50", 1),
        ("eq", "25e-1", 1),
        ("eq", "%2B00250E-2", 1),
        ("eq", "-0", 1),
        ("eq", "0.1000000000000000000000000000000000001", 0),
        ("eq", ".1", 1),
        ("eq", "9007199254740992", 1),
        ("gt", "9007199254740992", 4),
        ("lte", "12345678901234567890123456789012345678", 10),
        ("lt", "12345678901234567890123456789012345678", 9),
        ("gt", "0", 8),
        ("lt", "0", 3),
        ("lt", "1e-129", 5),
        ("gte", "-25E-1", 10),
        ("gte", "9.9999999999999999999999999999999999999e125", 1),
        ("lte", "-1e125", 1),
        ("ne", "2.5", 12),
    ] {
        let filter = typed_filter("number", "x", operator, value);
        assert_eq!(displays(&project, &filter).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn one_trait_may_be_filtered_once_as_each_type_and_all_filters_must_match() {
    let project = with_x(&one_of_each_type()).await;
    let string = typed_filter("string", "x", "ne", "1");
    let number = typed_filter("number", "x", "ne", "1");
    let boolean = typed_filter("boolean", "x", "ne", "true");
    for (filters, expected) in [
        ([&string, &number, &boolean], 9),
        ([&boolean, &string, &number], 9),
        ([&number, &string, &String::new()], 10),
        (
            [&typed_filter("number", "x", "gte", "0"), &string, &boolean],
            2,
        ),
        (
            [
                &typed_filter("number", "x", "gte", "0"),
                &typed_filter("boolean", "x", "eq", "true"),
                &string,
            ],
            0,
        ),
    ] {
        let filters: String = filters.into_iter().map(String::as_str).collect();
        assert_eq!(displays(&project, &filters).await, expected, "{filters}");
    }
    let twice = format!("{number}{}", typed_filter("number", "x", "gt", "0"));
    let reply = Api::shared().statistics(&project, &twice).await;
    let key = "filters[user.traits.number.x]";
    let expected = ["[operator]", "[value]"]
        .map(|member| problem("duplicate_parameter", &format!("{key}{member}")));
    assert_eq!(problems(&reply), expected.concat());
}

#[tokio::test]
async fn a_name_may_contain_anything_whatever_the_type() {
    let project = new_project().await;
    let names = [
        "a.b",
        "]",
        "a][operator]",
        "ünï",
        "名",
        "string.x",
        "number",
        "x=y&z",
        "%",
    ];
    for name in names {
        for (count, value) in [n(4), flag(true)].into_iter().enumerate() {
            let id = format!("{count} {name}");
            project
                .put_response(DAY, &id, &[("traits", map(&[(name, value)]))])
                .await;
        }
    }
    for name in names {
        let encoded =
            percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC)
                .to_string();
        for (kind, operator, value) in [("number", "gte", "4"), ("boolean", "eq", "true")] {
            let filter = typed_filter(kind, &encoded, operator, value);
            assert_eq!(displays(&project, &filter).await, 1, "{name}");
        }
    }
}

#[tokio::test]
async fn a_stored_number_is_read_however_it_is_written_and_one_that_is_none_equals_nothing() {
    let items: Vec<_> = [
        "1E+2",
        "-0.50",
        "+7.",
        "00100",
        r"\u0031e2",
        "abc",
        "",
        "1e999",
    ]
    .map(|digits| format!(r#"{{"traits":{{"M":{{"x":{{"N":"{digits}"}}}}}}}}"#))
    .into();
    let page = format!(r#"{{"Items":[{}]}}"#, items.join(","));
    let app = app_at(&serve_pages(Pages(vec![(page, None)])));
    for (operator, value, expected) in [
        ("eq", "100", 3),
        ("ne", "100", 5),
        ("lt", "-0.4", 1),
        ("gte", "-0.5", 5),
        ("lte", "1e125", 5),
    ] {
        let filter = typed_filter("number", "x", operator, value);
        let query = format!("&startDate=2020-01-01{filter}");
        let body = body_of(request_statistics(&app, &query).await).await;
        let document: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(
            document["data"][0]["attributes"]["displays"], expected,
            "{filter}"
        );
    }
}
