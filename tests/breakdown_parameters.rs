//! The forms of the parameters that divide statistics (contract, section 4), and what their values depend
//! on.

use crate::support::{Api, Reply, new_project, problem, problems};

const PERIOD: &str = "&startDate=2026-01-01&endDate=2026-04-01";

async fn get(query: &str) -> Reply {
    let project = new_project().await;
    Api::shared()
        .statistics(&project, &format!("{PERIOD}{query}"))
        .await
}

async fn check(query: &str, code: &str, parameter: &str) {
    assert_eq!(
        problems(&get(query).await),
        problem(code, parameter),
        "{query}"
    );
}

#[tokio::test]
async fn values_other_than_those_of_the_contract_are_refused() {
    for query in ["", "Day", "days", "hour", "month%20", "1"] {
        check(
            &format!("&interval={query}"),
            "invalid_parameter",
            "interval",
        )
        .await;
    }
    for query in ["", "Monday", "saturday", "0"] {
        let query = format!("&interval=week&weekStart={query}");
        check(&query, "invalid_parameter", "weekStart").await;
    }
    for query in ["", "0", "101", "+5", "5.0", "1e1", "all", "%D9%A1"] {
        let query = format!("&groupBy=user.traits.string.a&groupLimit={query}");
        check(&query, "invalid_parameter", "groupLimit").await;
    }
    for query in ["", "80", "95.0", "095", "0.95", "99%25"] {
        check(
            &format!("&confidence={query}"),
            "invalid_parameter",
            "confidence",
        )
        .await;
    }
}

#[tokio::test]
async fn groups_are_by_a_string_or_boolean_trait_with_a_name_of_1_to_255_bytes() {
    let longest = "%C3%BC".repeat(127);
    for by in [
        "string.plan",
        "boolean.a.b",
        "string.%20",
        &format!("string.{longest}x"),
    ] {
        assert_eq!(
            get(&format!("&groupBy=user.traits.{by}")).await.status,
            200,
            "{by}"
        );
    }
    let too_long = format!("user.traits.string.{longest}xx");
    for by in [
        "",
        "plan",
        "traits.string.plan",
        "user.traits.string",
        "user.traits.string.",
        "user.traits.boolean.",
        "user.traits.number.plan",
        "user.traits.String.plan",
        " user.traits.string.plan",
        &too_long,
    ] {
        check(
            &format!("&groupBy={by}").replace(' ', "%20"),
            "invalid_parameter",
            "groupBy",
        )
        .await;
    }
}

#[tokio::test]
async fn a_parameter_without_the_one_it_depends_on_is_refused() {
    check("&weekStart=monday", "missing_parameter", "interval").await;
    check("&groupLimit=5", "missing_parameter", "groupBy").await;
    for unit in ["day", "month", "quarter", "year"] {
        let query = format!("&interval={unit}&weekStart=monday");
        check(&query, "invalid_parameter", "weekStart").await;
    }
    // These depend on nothing.
    for query in [
        "&timezone=Asia/Tokyo",
        "&confidence=90",
        "&interval=week",
        "&groupBy=user.traits.string.a",
    ] {
        assert_eq!(get(query).await.status, 200, "{query}");
    }
}

#[tokio::test]
async fn all_problems_are_reported_together() {
    let reply =
        get("&interval=x&weekStart=x&timezone=x&groupLimit=x&confidence=x&frequency=1").await;
    let expected = [
        ("invalid_parameter", "confidence"),
        ("unknown_parameter", "frequency"),
        ("missing_parameter", "groupBy"),
        ("invalid_parameter", "groupLimit"),
        ("invalid_parameter", "interval"),
        ("invalid_parameter", "timezone"),
        ("invalid_parameter", "weekStart"),
    ];
    let expected: Vec<_> = expected
        .map(|(code, name)| (code.to_owned(), name.to_owned()))
        .into();
    assert_eq!(problems(&reply), expected);
    let reply = get("&interval=day&interval=week").await;
    assert_eq!(problems(&reply), problem("duplicate_parameter", "interval"));
}

#[tokio::test]
async fn a_malformed_date_or_zone_is_the_only_problem() {
    let malformed = [
        (
            "endDate",
            "startDate=2014-01-01&endDate=2014-02-31&interval=day",
        ),
        (
            "startDate",
            "startDate=2014-02-31&endDate=2014-03-31&interval=day",
        ),
        (
            "timezone",
            "startDate=2014-01-02T00:00&endDate=2014-01-01T23:00Z&timezone=x",
        ),
    ];
    for (parameter, query) in malformed {
        let project = new_project().await;
        let reply = Api::shared()
            .statistics(&project, &format!("&{query}"))
            .await;
        let expected = problem("invalid_parameter", parameter);
        assert_eq!(problems(&reply), expected, "{query}");
    }
}

#[tokio::test]
async fn ten_thousand_elements_are_the_most() {
    let of = |days: u32, limit: &str| {
        let start = chrono::NaiveDate::from_ymd_opt(2020, 1, 1).unwrap();
        let end = start + chrono::Days::new(days.into());
        format!("&startDate={start}&endDate={end}&interval=day&groupBy=user.traits.string.a{limit}")
    };
    let project = new_project().await;
    for (days, limit, accepted) in [
        (1000, "&groupLimit=9", true),
        (1000, "&groupLimit=10", false),
        (99, "&groupLimit=100", true),
        (100, "&groupLimit=100", false),
        (476, "", true),
        (477, "", false),
    ] {
        let reply = Api::shared().statistics(&project, &of(days, limit)).await;
        if accepted {
            assert_eq!(reply.status, 200, "{days} {limit}");
        } else {
            assert_eq!(problems(&reply), problem("invalid_parameter", "groupLimit"));
            let most = format!("must be at most {} for", 10_000 / days - 1);
            assert!(reply.text().contains(&most), "{reply:?}");
        }
    }
    let reply = Api::shared().statistics(&project, &of(1001, "")).await;
    assert_eq!(problems(&reply), problem("invalid_parameter", "interval"));
}
