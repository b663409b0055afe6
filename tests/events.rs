//! API Gateway's events, handled by the functions: v1 of a REST API, v2 of an HTTP API.

use serde_json::{Value, json};

use crate::support::{
    Api, BUFFERED, Operation, STATISTICS_PROGRAM, USERS, USERS_PROGRAM, answer, basic, bootstrap,
    event, handle_event, new_project, next,
};

#[tokio::test]
async fn a_list_is_the_same_for_every_event_and_the_served_request() {
    let account = basic("demo", "demo-password-0000");
    let (target, line) = (
        format!("{USERS}?project=demo&limit=2"),
        ("Authorization", &*account),
    );
    let users = Api::shared().get(&target, &[line]).await;
    assert_eq!(users.user_ids().len(), 2);
    for (variables, streams) in [(&[][..], true), (&BUFFERED, false)] {
        let mut bootstrap = bootstrap(USERS_PROGRAM, variables);
        for gateway in ["rest", "http"] {
            let outcome = bootstrap.invoke(&event(&format!("users-{gateway}"))).await;
            // An HTTP API does not accept a stream.
            assert_eq!(outcome.streamed, streams && gateway == "rest");
            assert!(!outcome.failed, "{outcome:?}");
            let reply = outcome.response();
            assert_eq!((reply.status, reply.text()), (users.status, users.text()));
            assert_eq!(reply.header("content-type"), Some("application/json"));
            assert_eq!(reply.header("cache-control"), Some("no-store"));
            assert_eq!(reply.request_id(), outcome.request_id);
            assert!(reply.header("link").is_some());
        }
    }
}

#[tokio::test]
async fn an_event_with_another_method_is_refused() {
    let (mut v1, mut v2) = (event("users-rest"), event("users-http"));
    v1["httpMethod"] = json!("POST");
    v2["requestContext"]["http"]["method"] = json!("POST");
    for event in [v1, v2] {
        let reply = handle_event(Operation::Users, &event).await;
        assert_eq!(reply.code(405), "method_not_allowed");
    }
}

#[tokio::test]
async fn the_parameters_of_a_v1_event_are_not_decoded_again() {
    let project = new_project().await;
    project.put_user("100%25+1", &[]).await;
    let account = basic(&project.username, &project.password);
    let query = format!("project={}&userId=100%25+1", project.id);
    let event = Operation::Users.rest(&query, &[("Authorization", &account)]);
    let reply = handle_event(Operation::Users, &event).await;
    assert_eq!(reply.user_ids(), ["100%25+1"]);
}

#[tokio::test]
async fn a_v1_event_may_give_a_parameter_twice_or_none() {
    let mut twice = event("users-rest");
    twice["multiValueQueryStringParameters"]["project"] = json!(["demo", "demo"]);
    let mut none = event("users-rest");
    none["queryStringParameters"] = Value::Null;
    none["multiValueQueryStringParameters"] = Value::Null;
    for (event, problem) in [(twice, "duplicate project"), (none, "missing project")] {
        let reply = handle_event(Operation::Users, &event).await;
        assert_eq!(answer(&reply), problem);
    }
}

#[tokio::test]
async fn the_parameters_of_a_v1_event_are_sorted_by_name_in_a_link() {
    let mut event = event("users-rest");
    event["multiValueQueryStringParameters"] =
        json!({"project": ["demo"], "limit": ["2"], "userId": [], "format": ["json"]});
    for _ in 0..5 {
        let reply = handle_event(Operation::Users, &event).await;
        let link = next(&reply).unwrap();
        let sorted = "format=json&limit=2&project=demo&cursor=";
        assert!(link.starts_with(sorted), "{link}");
    }
}

#[tokio::test]
async fn a_host_a_protocol_or_a_path_that_does_not_parse_fails_no_invocation() {
    for text in ["", "[", "a b:c:d", "//", "é\t"] {
        for mut event in [event("users-rest"), event("users-http")] {
            for name in ["Host", "X-Forwarded-Proto", "X-Forwarded-Port"] {
                event["multiValueHeaders"][name] = json!([text]);
                let name = name.to_ascii_lowercase();
                event["headers"][name] = json!(text);
            }
            event["requestContext"]["domainName"] = json!(text);
            let reply = handle_event(Operation::Users, &event).await;
            assert_eq!(reply.status, 200, "{text}");
            event["path"] = json!(text);
            if event["rawPath"].is_string() {
                event["rawPath"] = event.as_object_mut().unwrap().remove("path").unwrap();
            }
            let reply = handle_event(Operation::Users, &event).await;
            assert_eq!(reply.status, 404, "{text}");
        }
    }
}

#[tokio::test]
async fn a_buffered_response_has_the_members_that_its_kind_of_api_expects() {
    let members = "body headers isBase64Encoded multiValueHeaders statusCode";
    let mut bootstrap = bootstrap(STATISTICS_PROGRAM, &[]);
    for (kind, extra) in [("rest", None), ("http", Some("cookies"))] {
        let event = event(&format!("response-statistics-{kind}"));
        let response = bootstrap.invoke(&event).await.document();
        let mut expected: Vec<_> = members.split(' ').chain(extra).collect();
        expected.sort_unstable();
        let names = response.as_object().unwrap().keys();
        assert_eq!(names.collect::<Vec<_>>(), expected);
        assert_eq!(response["statusCode"], 200);
        assert_eq!(response["multiValueHeaders"], json!({}));
        if extra.is_some() {
            assert_eq!(response["cookies"], json!([]));
        }
    }
}
