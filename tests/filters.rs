//! The trait filters of statistics: their form and what they compare (contract, section 4).

use std::fmt::Write;

use crate::support::{Api, filter, map, n, new_project, problem, problems, s, typed_filter};

const DAY: &str = "2026-03-01T12:00:00.000Z";
const PERIOD: &str = "&startDate=2026-03-01&endDate=2026-03-02";

#[tokio::test]
async fn filters_compare_code_points_without_normalization() {
    let project = new_project().await;
    project
        .put_response(DAY, "composed", &[("traits", map(&[("name", s("é"))]))])
        .await;
    project
        .put_response(
            DAY,
            "decomposed",
            &[("traits", map(&[("name", s("e\u{301}"))]))],
        )
        .await;
    let query = PERIOD.to_owned() + &filter("name", "eq", "%C3%A9");
    assert_eq!(
        Api::shared().statistics(&project, &query).await.figures()["displays"],
        1
    );
}

#[tokio::test]
async fn a_trait_name_may_contain_dots_spaces_brackets_and_any_utf8() {
    let project = new_project().await;
    let longest = "n".repeat(255);
    let names = [
        "a.b",
        "a b",
        "a]",
        "a[b]",
        "a][operator]",
        "][value",
        "[",
        "ünï",
        "a+b",
        "100%",
        "user.traits.string.x",
        &longest,
    ];
    for name in names {
        project
            .put_response(
                "2026-01-01T00:00:00.000Z",
                name,
                &[("traits", map(&[(name, s("yes"))]))],
            )
            .await;
    }
    for name in names {
        let encoded =
            percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC)
                .to_string();
        for name in [encoded.as_str(), name]
            .into_iter()
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            // Unencoded, these mean something else.
            if name == "100%" || name == "a+b" {
                continue;
            }
            let query = format!("&endDate=2026-01-02{}", filter(name, "eq", "yes"));
            assert_eq!(
                Api::shared().statistics(&project, &query).await.figures()["displays"],
                1,
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn a_filter_requires_a_known_operator_and_a_value_of_at_most_1024_bytes() {
    let project = new_project().await;
    let key = |member| format!("filters[user.traits.string.a][{member}]");
    let reported = async |query: &str| problems(&Api::shared().statistics(&project, query).await);
    assert_eq!(
        reported("&filters[user.traits.string.a][value]=1").await,
        problem("missing_parameter", &key("operator"))
    );
    assert_eq!(
        reported("&filters[user.traits.string.a][operator]=eq").await,
        problem("missing_parameter", &key("value"))
    );
    for operator in ["", "EQ", "equals", "gt", "eq%20"] {
        assert_eq!(
            reported(&filter("a", operator, "1")).await,
            problem("invalid_parameter", &key("operator")),
            "{operator}"
        );
    }
    assert_eq!(
        Api::shared()
            .statistics(&project, &filter("a", "eq", &"v".repeat(1024)))
            .await
            .status,
        200
    );
    assert_eq!(
        reported(&filter("a", "eq", &"v".repeat(1025))).await,
        problem("invalid_parameter", &key("value"))
    );
}

#[tokio::test]
async fn any_other_filter_key_is_an_unknown_parameter() {
    let project = new_project().await;
    let long = format!("filters[user.traits.string.{}][value]", "n".repeat(256));
    for key in [
        "filters[user.traits.date.a][value]",
        "filters[user.traits.Number.a][value]",
        "filters[user.traits..a][value]",
        "filters[user.traits.number.][value]",
        "filters[user.traits.boolean][value]",
        "filters[user.traits.string.][value]",
        "filters[user.traits.string][value]",
        "filters[user.traits.string.a]",
        "filters[user.traits.string.a][values]",
        "filters[user.email][value]",
        "filters[]",
        "Filters[user.traits.string.a][value]",
        &long,
    ] {
        let reply = Api::shared()
            .statistics(&project, &format!("&{key}=1"))
            .await;
        assert_eq!(problems(&reply), problem("unknown_parameter", key));
    }
}

#[tokio::test]
async fn twenty_filters_are_accepted_and_one_more_of_any_type_is_not() {
    let project = new_project().await;
    let traits: Vec<_> = (0..20)
        .map(|count| (format!("t{count}"), s("yes")))
        .collect();
    let traits: Vec<_> = traits
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    let day = "2026-01-01T00:00:00.000Z";
    project
        .put_response(day, "all", &[("rating", n(9)), ("traits", map(&traits))])
        .await;
    project
        .put_response(
            day,
            "but one",
            &[("rating", n(9)), ("traits", map(&traits[..19]))],
        )
        .await;
    let mut query = String::from("&endDate=2026-01-02");
    for count in 0..20 {
        write!(query, "{}", filter(&format!("t{count}"), "eq", "yes")).unwrap();
    }
    assert_eq!(
        Api::shared().statistics(&project, &query).await.figures()["displays"],
        1
    );
    let more = typed_filter("number", "t0", "ne", "1");
    let malformed = "&filters[user.traits.boolean.a][operator]=eq";
    for (more, malformed) in [(more.as_str(), ""), (&more, malformed), ("", malformed)] {
        let query = query.clone() + more + malformed;
        let reply = Api::shared().statistics(&project, &query).await;
        let mut expected = problem("invalid_parameter", "filters");
        if !malformed.is_empty() {
            let value = "filters[user.traits.boolean.a][value]";
            expected.extend(problem("missing_parameter", value));
        }
        assert_eq!(problems(&reply), expected);
    }
}
