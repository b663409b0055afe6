//! The forms of parameters: encodings, dates, and refused values (contract, sections 1, 3 and 4).

use crate::support::{
    Api, STATISTICS, USERS, basic, filter, named_project, new_project, problem, problems,
};

#[tokio::test]
async fn a_project_is_1_to_64_characters_of_a_small_alphabet() {
    let longest = "p".repeat(64);
    let project = named_project(&longest).await;
    assert_eq!(Api::shared().users(&project, "").await.status, 200);
    let account = basic(&project.username, &project.password);
    for path in [USERS, STATISTICS] {
        let headers = [
            ("AuthKey", project.read_key.as_str()),
            ("Authorization", &account),
        ];
        for id in [
            "",
            &"p".repeat(65),
            "a.b",
            "a%20b",
            "a%23b",
            "%C3%A9",
            "a/b",
            "demo%00",
        ] {
            let reply = Api::shared()
                .get(&format!("{path}?project={id}"), &headers)
                .await;
            assert_eq!(
                problems(&reply),
                problem("invalid_parameter", "project"),
                "{path} {id}"
            );
        }
        let reply = Api::shared().get(path, &headers).await;
        assert_eq!(
            problems(&reply),
            problem("missing_parameter", "project"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn format_is_json_or_absent() {
    let project = new_project().await;
    for format in ["", "JSON", "xml", "json+"] {
        let query = format!("&format={format}");
        assert_eq!(
            problems(&Api::shared().users(&project, &query).await),
            problem("invalid_parameter", "format")
        );
        assert_eq!(
            problems(&Api::shared().statistics(&project, &query).await),
            problem("invalid_parameter", "format")
        );
    }
    let with = Api::shared()
        .statistics(&project, "&endDate=2026-01-01&format=json")
        .await;
    let without = Api::shared()
        .statistics(&project, "&endDate=2026-01-01")
        .await;
    assert_eq!(with.body, without.body);
}

#[tokio::test]
async fn a_parameter_that_the_operation_does_not_define_is_refused() {
    let project = new_project().await;
    for key in [
        "",
        "Project",
        "userid",
        "startDate",
        "endDate",
        "filters",
        "offset",
        "projects",
        "limit%00",
    ] {
        let decoded = key.replace("%00", "\0");
        let reply = Api::shared().users(&project, &format!("&{key}=1")).await;
        assert_eq!(
            problems(&reply),
            problem("unknown_parameter", &decoded),
            "{key}"
        );
    }
    for key in [
        "startdate",
        "userId",
        "limit",
        "cursor",
        "Filter",
        "filters",
    ] {
        let reply = Api::shared()
            .statistics(&project, &format!("&{key}=1"))
            .await;
        assert_eq!(problems(&reply), problem("unknown_parameter", key), "{key}");
    }
}

#[tokio::test]
async fn a_parameter_given_twice_is_refused_even_with_the_same_value() {
    let project = new_project().await;
    let again = format!("&project={}", project.id);
    for query in [again.as_str(), "&%70roject=x"] {
        assert_eq!(
            problems(&Api::shared().users(&project, query).await),
            problem("duplicate_parameter", "project")
        );
    }
    let reply = Api::shared()
        .statistics(
            &project,
            &format!(
                "{}{}",
                filter("a", "eq", "1"),
                "&filters%5Buser.traits.string.a%5D%5Bvalue%5D=2"
            ),
        )
        .await;
    assert_eq!(
        problems(&reply),
        problem(
            "duplicate_parameter",
            "filters[user.traits.string.a][value]"
        )
    );
    let reply = Api::shared()
        .users(&project, "&nonsense=1&nonsense=2")
        .await;
    assert_eq!(problems(&reply), problem("unknown_parameter", "nonsense"));
}

#[tokio::test]
async fn names_and_values_are_decoded_once() {
    let project = new_project().await;
    for user_id in ["a b", "a+b", "a%20b", "ä", "a=b"] {
        project.put_user(user_id, &[]).await;
    }
    for (query, user_id) in [
        ("userId=a+b", "a b"),
        ("userId=a%20b", "a b"),
        ("userId=a%2Bb", "a+b"),
        ("userId=a%2bb", "a+b"),
        ("userId=a%2520b", "a%20b"),
        ("user%49d=%c3%a4", "ä"),
        ("userId=a=b", "a=b"),
        ("&&userId=a%3Db&", "a=b"),
    ] {
        assert_eq!(
            Api::shared()
                .users(&project, &format!("&{query}"))
                .await
                .user_ids(),
            [user_id],
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_name_or_value_that_is_not_utf8_is_refused() {
    let project = new_project().await;
    let reply = Api::shared().users(&project, "&userId=%FF").await;
    assert_eq!(problems(&reply), problem("invalid_parameter", "userId"));
    let reply = Api::shared()
        .statistics(&project, "&startDate=%E2%82")
        .await;
    assert_eq!(problems(&reply), problem("invalid_parameter", "startDate"));
    let reply = Api::shared().statistics(&project, "&st%FFart=1").await;
    assert_eq!(
        problems(&reply),
        problem("unknown_parameter", "st\u{FFFD}art")
    );
    let reply = Api::shared()
        .statistics(&project, &filter("a", "eq", "%C0%80"))
        .await;
    assert_eq!(
        problems(&reply),
        problem("invalid_parameter", "filters[user.traits.string.a][value]")
    );
}

#[tokio::test]
async fn a_user_id_is_1_to_1024_bytes() {
    let project = new_project().await;
    let longest = "ü".repeat(512);
    project.put_user(&longest, &[]).await;
    let encoded =
        percent_encoding::utf8_percent_encode(&longest, percent_encoding::NON_ALPHANUMERIC)
            .to_string();
    assert_eq!(
        Api::shared()
            .users(&project, &format!("&userId={encoded}"))
            .await
            .user_ids(),
        [longest.as_str()]
    );
    for user_id in [String::new(), "x".repeat(1025), format!("{encoded}x")] {
        let reply = Api::shared()
            .users(&project, &format!("&userId={user_id}"))
            .await;
        assert_eq!(
            problems(&reply),
            problem("invalid_parameter", "userId"),
            "{user_id}"
        );
    }
}

#[tokio::test]
async fn timestamps_are_accepted_in_every_form_of_the_contract_and_in_no_other() {
    let project = new_project().await;
    for hour in 0..24 {
        project
            .put_response(
                &format!("2026-01-31T{hour:02}:30:00.000Z"),
                &format!("at {hour}"),
                &[],
            )
            .await;
    }
    for (start, from_hour) in [
        ("2026-01-31", 0),
        ("2026-01-31T00:30", 0),
        ("2026-01-31T00:30:00.001", 1),
        ("2026-01-31T08:30:00.000Z", 8),
        ("2026-01-31T08:30:00.0009Z", 8),
        ("2026-01-31T08:30Z", 8),
        ("2026-01-31T10:30:00%2B02:00", 8),
        ("2026-01-31T10:30:00+02:00", 8),
        ("2026-01-31T10:30:00+0200", 8),
        ("2026-01-31T06:30:00-0200", 8),
        ("2026-01-31T08:30:00%2B0000", 8),
        ("2026-01-31T08%3A30%3A00%2B00%3A00", 8),
    ] {
        let reply = Api::shared()
            .statistics(&project, &format!("&startDate={start}&endDate=2026-02-01"))
            .await;
        assert_eq!(reply.figures()["displays"], 24 - from_hour, "{start}");
    }
    for date in [
        "",
        "yesterday",
        "1546300800",
        "2026-01-31T",
        "2026-02-30",
        "2026-01-31T25:00",
        "20260131",
        "2026-W05",
        "10000-01-01",
        "2026-01-31+00:00",
        "2026-01-31T08:30:60Z",
        "0000-01-01",
    ] {
        for name in ["startDate", "endDate"] {
            let reply = Api::shared()
                .statistics(&project, &format!("&{name}={date}"))
                .await;
            assert_eq!(
                problems(&reply),
                problem("invalid_parameter", name),
                "{date}"
            );
        }
    }
}

#[tokio::test]
async fn a_start_after_a_given_end_is_refused() {
    let project = new_project().await;
    let query = "&startDate=2026-01-01T00:00:00.001Z&endDate=2026-01-01";
    assert_eq!(
        problems(&Api::shared().statistics(&project, query).await),
        problem("invalid_parameter", "startDate")
    );
}
