//! The parameters of filters on number and boolean traits, and the id that they determine (contract,
//! section 4).

use crate::support::{Api, Reply, new_project, problem, problems, sha256, typed_filter};

const OPERATORS: [(&str, &[&str], &str); 3] = [
    (
        "string",
        &["eq", "ne", "contains", "ncontains"],
        "must be eq, ne, contains or ncontains",
    ),
    (
        "number",
        &["eq", "ne", "gt", "gte", "lt", "lte"],
        "must be eq, ne, gt, gte, lt or lte",
    ),
    ("boolean", &["eq", "ne"], "must be eq or ne"),
];

/// Returns the detail of the only problem of a 400.
#[track_caller]
fn detail(reply: &Reply) -> String {
    assert_eq!(problems(reply).len(), 1, "{reply:?}");
    reply.json()["errors"][0]["detail"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn an_operator_of_another_type_is_refused_with_a_list_of_the_right_ones() {
    let project = new_project().await;
    let names = [
        "eq",
        "ne",
        "contains",
        "ncontains",
        "gt",
        "gte",
        "lt",
        "lte",
        "",
        "EQ",
        "number.eq",
    ];
    for (kind, operators, expected) in OPERATORS {
        let value = if kind == "boolean" { "true" } else { "1" };
        for operator in names {
            let filter = typed_filter(kind, "a", operator, value);
            let reply = Api::shared().statistics(&project, &filter).await;
            if operators.contains(&operator) {
                assert_eq!(reply.status, 200, "{filter}");
                continue;
            }
            let key = format!("filters[user.traits.{kind}.a][operator]");
            assert_eq!(problems(&reply), problem("invalid_parameter", &key));
            assert_eq!(
                detail(&reply),
                format!("{key} {expected}, got {operator:?}")
            );
        }
    }
}

#[tokio::test]
async fn a_value_that_is_not_of_the_type_is_refused() {
    let project = new_project().await;
    let digits = "1".repeat(39);
    // An unescaped plus is a space.
    let numbers = [
        "",
        "NaN",
        "inf",
        "-Infinity",
        "+5",
        "%205",
        "5%20",
        "1e+2",
        "0x10",
        "1e999",
        "-1e126",
        "1e-131",
        &digits,
        "1e",
        "e5",
        ".",
        "-",
        "--5",
        "1.2.3",
        "1,5",
        "1_000",
        "true",
        "%D9%A3",
    ];
    let booleans = ["", "True", "TRUE", "1", "0", "yes", "%20true", "null"];
    let numbers = numbers.map(|value| ("number", value)).into_iter();
    for (kind, value) in numbers.chain(booleans.map(|value| ("boolean", value))) {
        let filter = typed_filter(kind, "a", "eq", value);
        let reply = Api::shared().statistics(&project, &filter).await;
        let key = format!("filters[user.traits.{kind}.a][value]");
        assert_eq!(
            problems(&reply),
            problem("invalid_parameter", &key),
            "{value}"
        );
    }
    let boolean = typed_filter("boolean", "a", "eq", "True");
    let reply = Api::shared().statistics(&project, &boolean).await;
    assert_eq!(
        detail(&reply),
        r#"filters[user.traits.boolean.a][value] must be true or false, got "True""#
    );
}

#[tokio::test]
async fn an_operator_and_its_value_belong_together() {
    let project = new_project().await;
    for kind in ["number", "boolean"] {
        let key = |member| format!("filters[user.traits.{kind}.a][{member}]");
        for (given, value, absent) in [("operator", "eq", "value"), ("value", "true", "operator")] {
            let value = if kind == "number" && given == "value" {
                "1"
            } else {
                value
            };
            let query = format!("&{}={value}", key(given));
            let reply = Api::shared().statistics(&project, &query).await;
            assert_eq!(problems(&reply), problem("missing_parameter", &key(absent)));
        }
    }
}

#[tokio::test]
async fn the_id_has_the_type_of_each_filter_and_one_text_for_equal_numbers() {
    let project = new_project().await;
    let id = async |filters: &[String]| {
        let reply = Api::shared().statistics(&project, &filters.concat()).await;
        reply.json()["data"][0]["id"].as_str().unwrap().to_owned()
    };
    let expected = format!(
        r#"["{}",null,null,[["a","number.gte","-0.5"],["b","eq","4"],["b","number.eq","400"],["b","boolean.ne","true"]]]"#,
        project.id
    );
    let expected = sha256(&expected)[..24].to_owned();
    let string = typed_filter("string", "b", "eq", "4");
    let boolean = typed_filter("boolean", "b", "ne", "true");
    for (small, large) in [("-0.5", "400"), ("-.50", "4e2"), ("-5E-1", "0400.0")] {
        let small = typed_filter("number", "a", "gte", small);
        let large = typed_filter("number", "b", "eq", large);
        let filters = [boolean.clone(), large, string.clone(), small];
        assert_eq!(id(&filters).await, expected);
    }
    let number = typed_filter("number", "b", "eq", "4");
    assert_ne!(id(&[string]).await, id(&[number]).await);
}
